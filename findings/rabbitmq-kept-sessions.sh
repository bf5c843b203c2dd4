#!/bin/bash
# RabbitMQ 3.10.8 (Debian 12), MQTT plugin: what a session that a client asked to keep (clean_session=0) brings back.
#
# Expected (MQTT 3.1.1, 3.1.2.4 and 3.2.2.2): the session has all subscriptions of the client, of any QoS; a later CONNECT with
# clean_session=0 gets them back, and its CONNACK says that the session is present.
#
# Seen:
# 1. With subscriptions of QoS 0 alone the session is not kept: "session present" is 0, and nothing is delivered until the client
#    subscribes again. Robots that subscribe again in that case go on working.
# 2. With one subscription of QoS 1 beside one of QoS 0 it is kept by half: "session present" is 1, but only the subscription of
#    QoS 1 is back. A client that trusts the CONNACK never hears the other topic again.
#
# Exits with 1 if the behavior is another one.
. "$(dirname "$0")/shared/debian-rabbitmq.sh"

cat > client/check.cjs <<'JS'
const mqtt = require('mqtt');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const url = `mqtt://127.0.0.1:${process.argv[2]}`;
const sign = { username: 'client', password: 'secret', protocolVersion: 4, reconnectPeriod: 0, resubscribe: false };

/** Connects with a session that is kept; subscribes only if it is not there. */
const connect = (clientId, topics) =>
  new Promise((resolve, reject) => {
    const client = mqtt.connect(url, { ...sign, clientId, clean: false });
    const received = [];
    client.on('message', (topic) => received.push(topic));
    client.once('error', reject);
    client.once('connect', async ({ sessionPresent }) => {
      for (const [topic, qos] of sessionPresent ? [] : topics) await client.subscribeAsync(topic, { qos });
      resolve({ client, received, sessionPresent });
    });
  });

async function seen(clientId, topics, sender) {
  const connections = [];
  for (let i = 0; i < 3; i++) {
    const { client, received, sessionPresent } = await connect(clientId, topics);
    for (const [topic, qos] of topics) await sender.publishAsync(topic, 'x', { qos });
    await sleep(500);
    connections.push({ sessionPresent, received: received.sort() });
    client.stream.destroy();
    await sleep(1500);
  }
  return connections;
}

(async () => {
  const sender = await mqtt.connectAsync(url, { ...sign, clientId: 'sender' });
  const zero = await seen('zero', [['zero/a', 0], ['zero/b', 0]], sender);
  const both = await seen('both', [['both/0', 0], ['both/1', 1]], sender);
  console.log(JSON.stringify({ zero, both }, null, 1));
  const expected = {
    zero: [false, false, false].map((sessionPresent) => ({ sessionPresent, received: ['zero/a', 'zero/b'] })),
    both: [
      { sessionPresent: false, received: ['both/0', 'both/1'] },
      { sessionPresent: true, received: ['both/1'] },
      { sessionPresent: true, received: ['both/1'] },
    ],
  };
  const isSame = JSON.stringify({ zero, both }) === JSON.stringify(expected);
  console.log(isSame ? 'As described.' : 'The behavior has changed.');
  process.exit(isSame ? 0 : 1);
})();
JS
node client/check.cjs "$mqtt_port"
