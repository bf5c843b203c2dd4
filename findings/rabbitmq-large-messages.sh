#!/bin/bash
# RabbitMQ 3.10.8 (Debian 12), MQTT plugin: what follows a message over max_message_size.
#
# Expected: the connection is closed, as MQTT 3.1.1 has no answer that refuses a message; the client connects again.
#
# Seen:
# 1. With QoS 1 the connection stays open, pings are answered, and the client goes on receiving. But neither the message nor anything
#    that the client publishes afterwards is acknowledged or delivered, small messages included, until it connects again by itself.
# 2. With QoS 0 the connection is closed.
#
# Exits with 1 if the behavior is another one.
settings='max_message_size = 100000'
. "$(dirname "$0")/shared/debian-rabbitmq.sh"

cat > client/check.cjs <<'JS'
const mqtt = require('mqtt');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const sign = { username: 'client', password: 'secret', protocolVersion: 4, reconnectPeriod: 0, keepalive: 2 };
const connect = () => mqtt.connectAsync(`mqtt://127.0.0.1:${process.argv[2]}`, sign);

async function seen(qos) {
  const [reader, writer] = [await connect(), await connect()];
  const delivered = [];
  const acknowledged = [];
  let pings = 0;
  let heard = 0;
  reader.on('message', (topic) => delivered.push(topic));
  writer.on('message', () => heard++);
  writer.on('packetreceive', ({ cmd }) => { if (cmd === 'pingresp') pings++; });
  writer.on('error', () => undefined);
  await reader.subscribeAsync('size/#', { qos: 1 });
  await writer.subscribeAsync('to-writer', { qos: 0 });
  const send = async (topic, size) => {
    writer.publish(topic, 'x'.repeat(size), { qos }, (error) => { if (!error) acknowledged.push(topic); });
    await sleep(1000);
  };
  await send('size/before', 100_000);
  await send('size/large', 100_001);
  if (writer.connected) await send('size/after', 1);
  await reader.publishAsync('to-writer', 'x', { qos: 1 });
  await sleep(5000);
  const result = { connected: writer.connected, pinged: pings > 1, heard, acknowledged: [...acknowledged], delivered: [...delivered] };
  reader.end(true);
  writer.end(true);
  return result;
}

(async () => {
  const result = { one: await seen(1), zero: await seen(0) };
  console.log(JSON.stringify(result, null, 1));
  const before = ['size/before'];
  const expected = {
    one: { connected: true, pinged: true, heard: 1, acknowledged: before, delivered: before },
    // Of QoS 0 a client knows that it was sent.
    zero: { connected: false, pinged: result.zero.pinged, heard: 0, acknowledged: [...before, 'size/large'], delivered: before },
  };
  const isSame = JSON.stringify(result) === JSON.stringify(expected);
  console.log(isSame ? 'As described.' : 'The behavior has changed.');
  process.exit(isSame ? 0 : 1);
})();
JS
node client/check.cjs "$mqtt_port"
