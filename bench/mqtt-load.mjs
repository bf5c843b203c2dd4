// The robots of live.mjs, in a process of their own, so that their work is not counted as the server's. Runs a command per message.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { signUpWithTool } from './gardens.mjs';
import { each, quantile } from './load-tools.mjs';
import { MqttClient, publishPacket } from './mqtt-client.mjs';

const keepAlive = 60;
/** Milliseconds after which a lost connection is opened again; twice as many after each failure. */
const firstPause = 1000;
const maxPause = 8000;

const owners = [];
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let target = { base: '', mqttPort: 0 };
/** Robots that are connected and subscribed. */
let ready = 0;
let isOver = false;

/** Connects a robot from an address of its own, subscribes, and connects again when the connection is lost. */
async function connect(owner, index) {
  const localAddress = `127.1.${index >> 8}.${index & 255}`;
  const clientId = `${owner.bot}_15.4.11`;
  owner.client = await MqttClient.connect(target.mqttPort, clientId, owner.bot, owner.token, {
    keepAlive,
    localAddress,
  });
  await owner.client.subscribe(`bot/${owner.bot}/sync/#`);
  ready++;
  owner.client.onMessage = (topic, payload) => onMessage(topic, payload);
  owner.client.onClose = () => {
    ready--;
    void reconnect(owner, index);
  };
}

async function reconnect(owner, index) {
  for (let pause = firstPause; !isOver; pause = Math.min(2 * pause, maxPause)) {
    await sleep(pause * (0.5 + Math.random()));
    try {
      await connect(owner, index);
      return;
    } catch {
      owner.client?.end();
    }
  }
}

let onMessage = () => undefined;

/** Sends the packets of idle robots: a ping in half of the keep-alive time. */
let nextPing = 0;
setInterval(() => {
  const connected = owners.filter(({ client }) => client);
  for (const end = nextPing + Math.ceil(connected.length / (keepAlive / 2)); nextPing < end; nextPing++)
    connected[nextPing % connected.length].client.ping();
}, 1000);

/** Changes a tool. Returns the time at which the response arrived. */
const change = ({ token, tool }, value) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: token, 'content-type': 'application/json', 'user-agent': 'bench' };
    const sent = request(`${target.base}/api/tools/${tool}`, { method: 'PATCH', agent, headers }, (response) => {
      const at = performance.now();
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().on('end', () => resolve(at));
    });
    sent.on('error', reject);
    sent.end(`{"flow_rate_ml_per_s":${value}}`);
  });

/** Differs from earlier runs with the same accounts: an update that changes nothing is not announced. */
let value = Date.now() % 1_000_000_000;

/** Measures the delays of this process itself, in ms, by the timer of a loop that does nothing else. */
function watchOwnDelays() {
  const delays = [];
  let expected = performance.now() + 10;
  const timer = setInterval(() => {
    delays.push(Math.max(0, performance.now() - expected));
    expected = performance.now() + 10;
  }, 10);
  return () => {
    clearInterval(timer);
    return quantile(delays, 0.99);
  };
}

const commands = {
  target(next) {
    target = next;
  },
  /** Uses accounts of an earlier run. */
  use(accounts) {
    owners.push(...accounts);
  },
  async createAccounts(count) {
    await each(Array.from({ length: count - owners.length }), 8, async () => {
      owners.push(await signUpWithTool(target.base));
    });
    return owners;
  },
  /** Connects and subscribes the robots from one number to another. Returns the time that it took, in s. */
  async connect({ from, to, concurrency }) {
    const began = performance.now();
    await each(owners.slice(from, to), concurrency, (owner, index) => connect(owner, from + index));
    return (performance.now() - began) / 1000;
  },
  /** Changes tools of robots in turn at a rate. Returns the delays from the response to the announcement, in ms. */
  async announce({ rate, seconds }) {
    const responded = new Map();
    const received = new Map();
    onMessage = (_topic, payload) =>
      received.set(Number(/"flow_rate_ml_per_s":(\d+)/.exec(payload.toString('latin1'))?.[1]), performance.now());
    const ownDelay = watchOwnDelays();
    const began = performance.now();
    const changes = [];
    while (changes.length < rate * seconds) {
      const due = Math.min(rate * seconds, ((performance.now() - began) / 1000) * rate);
      while (changes.length < due) {
        const own = value++;
        const owner = owners[(own * 7919) % owners.length];
        changes.push(change(owner, own).then((at) => responded.set(own, at)));
      }
      await sleep(1);
    }
    await Promise.all(changes);
    const took = (performance.now() - began) / 1000;
    for (let tries = 0; received.size < responded.size && tries < 1000; tries++) await sleep(10);
    const delays = [...responded].flatMap(([key, at]) =>
      received.has(key) ? Math.max(0, received.get(key) - at) : [],
    );
    return {
      achieved: responded.size / took,
      p50: quantile(delays, 0.5),
      p99: quantile(delays, 0.99),
      longest: Math.max(...delays),
      lost: responded.size - delays.length,
      ownDelay: ownDelay(),
    };
  },
  /** Changes as fast as 32 connections can. Returns announcements per second. */
  async announceMax(seconds) {
    let count = 0;
    onMessage = () => count++;
    const began = performance.now();
    const end = began + seconds * 1000;
    let changed = 0;
    await each(Array.from({ length: 32 }), 32, async (_, worker) => {
      for (let i = worker; performance.now() < end; i += 32, changed++)
        await change(owners[i % owners.length], value++);
    });
    while (count < changed && performance.now() < end + 20_000) await sleep(5);
    return count / ((performance.now() - began) / 1000);
  },
  /** One device publishes to 90 of its clients. Returns deliveries per second. */
  async deliver(seconds) {
    const [publisher] = owners;
    const listeners = await Promise.all(
      Array.from({ length: 90 }, (_, i) =>
        MqttClient.connect(target.mqttPort, `listener-${i}`, publisher.bot, publisher.token),
      ),
    );
    let delivered = 0;
    for (const listener of listeners) {
      listener.onMessage = () => delivered++;
      await listener.subscribe(`bot/${publisher.bot}/from_device`);
    }
    const status = JSON.stringify({ kind: 'rpc_ok', args: { label: 'x'.repeat(200) } });
    const began = performance.now();
    const end = began + seconds * 1000;
    let sent = 0;
    let acked = 0;
    publisher.client.onAck = () => acked++;
    while (performance.now() < end) {
      if (sent - acked < 50)
        publisher.client.write(publishPacket(`bot/${publisher.bot}/from_device`, (sent++ % 65_000) + 1, status));
      else await sleep(0);
    }
    while (delivered < sent * listeners.length && performance.now() < end + 10_000) await sleep(5);
    const perSecond = delivered / ((performance.now() - began) / 1000);
    for (const listener of listeners) listener.end();
    return perSecond;
  },
  /** Each device sends logs, with at most ten unacknowledged. Returns acknowledged logs per second. */
  async log(seconds) {
    const log = JSON.stringify({
      type: 'info',
      message: 'Moving to (100, 200, 0)',
      major_version: 15,
      minor_version: 4,
      patch_version: 11,
      verbosity: 2,
      channels: [],
      x: 1,
      y: 2,
      z: 3,
      created_at: Math.floor(Date.now() / 1000),
      meta: {},
    });
    let stored = 0;
    let isEnding = false;
    for (const { client, bot } of owners) {
      let id = 0;
      const next = () => client.write(publishPacket(`bot/${bot}/logs`, (id++ % 65_000) + 1, log));
      client.onAck = () => {
        stored++;
        if (!isEnding) next();
      };
      for (let i = 0; i < 10; i++) next();
    }
    const began = performance.now();
    await sleep(seconds * 1000);
    const perSecond = stored / ((performance.now() - began) / 1000);
    isEnding = true;
    await sleep(2000);
    return perSecond;
  },
  /** Resolves when all robots that were connected are so again. */
  async untilBack(count) {
    while (ready < count) await sleep(20);
  },
  ready: () => ready,
  end() {
    isOver = true;
    for (const { client } of owners) client?.end();
    setImmediate(() => process.exit(0));
  },
};

process.on('message', async ({ id, name, argument }) => {
  try {
    process.send({ id, result: await commands[name](argument) });
  } catch (error) {
    process.send({ id, error: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
