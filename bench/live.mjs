// Measures the message broker of the built server: connections, announcements, logs of robots.
//   npm run bench:live           the built-in broker, and RabbitMQ where rabbitmq-server is installed (unless RABBITMQ=off)
// DEVICES (1000), SECONDS (10)
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MqttClient, publishPacket } from './mqtt-client.mjs';
import { drive, freePort, json, start } from './server-process.mjs';

const devices = Number(process.env.DEVICES ?? 1000);
const seconds = Number(process.env.SECONDS ?? 10);
const root = resolve(import.meta.dirname, '..');

/** Runs `work` for each of `items`, at most `concurrency` concurrently. */
async function each(items, concurrency, work) {
  const queue = [...items.entries()];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) await work(next[1], next[0]);
    }),
  );
}

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;

async function createAccounts(base) {
  const created = [];
  await each(Array.from({ length: devices }), 8, async (_, index) => {
    const email = `bench.${index}.${Date.now()}@example.com`;
    const password = 'password123';
    const names = { name: 'Bench', email, password, password_confirmation: password, agree_to_terms: true };
    await json(base, 'POST', '/api/users', null, names);
    const { token } = await json(base, 'POST', '/api/tokens', null, { user: { email, password } });
    const { id } = await json(base, 'POST', '/api/tools', token.encoded, { name: 'Hoe' });
    created.push({ token: token.encoded, bot: token.unencoded.bot, tool: id });
  });
  return created;
}

/** Changes a tool. Returns the time at which the response was read. */
async function change(base, { token, tool }, value) {
  const response = await fetch(`${base}/api/tools/${tool}`, {
    method: 'PATCH',
    headers: { authorization: token, 'content-type': 'application/json', 'user-agent': 'bench' },
    body: JSON.stringify({ flow_rate_ml_per_s: value }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return performance.now();
}

/** Returns the memory of all processes of a program, in MiB. */
function memoryOf(program) {
  let kibibytes = 0;
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${id}/comm`, 'utf8').trim() !== program) continue;
      kibibytes += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      // The process has ended.
    }
  }
  return kibibytes / 1024;
}

/** `brokerMemory` returns the memory of the process with the connections, in MiB; by default without garbage. */
async function measure(name, server, mqttPort, baselineServer, brokerMemory = server.usedMemory) {
  const { base } = server;
  const owners = await createAccounts(base);
  await sleep(3000);
  const idle = await brokerMemory();

  let began = performance.now();
  const clients = [];
  await each(owners, 50, async (owner, index) => {
    owner.client = await MqttClient.connect(mqttPort, `bench-${index}`, owner.bot, owner.token);
    clients.push(owner.client);
  });
  const connects = devices / ((performance.now() - began) / 1000);
  await each(owners, 50, (owner) => owner.client.subscribe(`bot/${owner.bot}/sync/#`));
  await sleep(5000);
  const perConnection = (((await brokerMemory()) - idle) * 1024) / devices;

  // Delay: changes of random devices, 100 per second.
  const responded = new Map();
  const received = new Map();
  for (const owner of owners)
    owner.client.onMessage = (_topic, payload) => {
      const value = Number(/"flow_rate_ml_per_s":(\d+)/.exec(payload.toString('latin1'))?.[1]);
      received.set(value, performance.now());
    };
  let value = 1;
  const changes = [];
  for (let i = 0; i < 100 * seconds; i++) {
    const own = value++;
    changes.push(change(base, owners[(i * 7919) % owners.length], own).then((at) => responded.set(own, at)));
    await sleep(10);
  }
  await Promise.all(changes);
  await sleep(1000);
  const delays = [...responded].map(([key, at]) => (received.get(key) ?? Number.NaN) - at).sort((a, b) => a - b);
  const lost = delays.filter(Number.isNaN).length;

  // Maximum rate of changes, each received by one client.
  let count = 0;
  for (const owner of owners) owner.client.onMessage = () => count++;
  const end = performance.now() + seconds * 1000;
  began = performance.now();
  let changed = 0;
  await each(Array.from({ length: 32 }), 32, async (_, worker) => {
    for (let i = worker; performance.now() < end; i += 32, changed++)
      await change(base, owners[i % owners.length], value++);
  });
  while (count < changed && performance.now() < end + 20_000) await sleep(5);
  const announcements = count / ((performance.now() - began) / 1000);

  // Deliveries: a device publishes to 90 of its clients.
  const [publisher] = owners;
  const listeners = await Promise.all(
    Array.from({ length: 90 }, (_, i) => MqttClient.connect(mqttPort, `listener-${i}`, publisher.bot, publisher.token)),
  );
  let delivered = 0;
  for (const listener of listeners) {
    listener.onMessage = () => delivered++;
    await listener.subscribe(`bot/${publisher.bot}/from_device`);
  }
  const status = JSON.stringify({ kind: 'rpc_ok', args: { label: 'x'.repeat(200) } });
  began = performance.now();
  const deliveryEnd = began + seconds * 1000;
  let sent = 0;
  let acked = 0;
  publisher.client.onAck = () => acked++;
  while (performance.now() < deliveryEnd) {
    if (sent - acked < 50)
      publisher.client.write(publishPacket(`bot/${publisher.bot}/from_device`, (sent++ % 65_000) + 1, status));
    else await sleep(0);
  }
  while (delivered < sent * listeners.length && performance.now() < deliveryEnd + 10_000) await sleep(5);
  const deliveries = delivered / ((performance.now() - began) / 1000);
  for (const listener of listeners) listener.end();

  // Logs: each device sends, with at most ten unacknowledged.
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
  let isOver = false;
  for (const { client, bot } of owners) {
    let id = 0;
    const next = () => client.write(publishPacket(`bot/${bot}/logs`, (id++ % 65_000) + 1, log));
    client.onAck = () => {
      stored++;
      if (!isOver) next();
    };
    for (let i = 0; i < 10; i++) next();
  }
  began = performance.now();
  await sleep(seconds * 1000);
  const acknowledged = stored / ((performance.now() - began) / 1000);
  isOver = true;
  await sleep(2000);
  const memory = server.memory();
  const baselineRate = (await drive(baselineServer.base)).perSecond;
  for (const client of clients) client.end();

  const row = [
    connects.toFixed(0),
    perConnection.toFixed(1),
    quantile(delays, 0.5).toFixed(1),
    quantile(delays, 0.99).toFixed(1),
    lost,
    announcements.toFixed(0),
    deliveries.toFixed(0),
    acknowledged.toFixed(0),
    memory.toFixed(0),
    baselineRate.toFixed(0),
  ];
  console.log(`| ${name} | ${row.join(' | ')} |`);
}

const settings = { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' };
console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${devices} devices, ${seconds} s each, SQLite\n`,
);
console.log(
  '| broker | connects/s | KiB per connection | delay p50 ms | p99 ms | lost | announcements/s | deliveries/s | logs acknowledged/s | server MiB | baseline/s |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
);
const baselineServer = await start('baseline.mjs', {});

const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
const mqttPort = await freePort();
const embedded = await start('server.mjs', { ...settings, DATA_DIR: folder, MQTT_PORT: String(mqttPort) });
await measure('built-in', embedded, mqttPort, baselineServer);
await embedded.stop();
rmSync(folder, { recursive: true, force: true });

if (process.env.RABBITMQ !== 'off' && existsSync('/usr/lib/rabbitmq')) {
  // The tests' TypeScript code that starts RabbitMQ is compiled for this run.
  const output = join(root, 'dist', 'bench');
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/typescript/bin/tsc'),
      ...['--ignoreConfig', '--target', 'es2023', '--module', 'nodenext', '--skipLibCheck', '--types', 'node'],
      ...['--rewriteRelativeImportExtensions', '--erasableSyntaxOnly', '--outDir', output, '--rootDir', root],
      join(root, 'test/support/rabbitmq.ts'),
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error('test/support/rabbitmq.ts could not be compiled');
  const { RabbitMq } = await import(join(output, 'test/support/rabbitmq.js'));
  const port = await freePort();
  const rabbit = await RabbitMq.prepare(`http://127.0.0.1:${port}`);
  const dataDir = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  const server = await start('server.mjs', { ...settings, ...rabbit.settings, DATA_DIR: dataDir, PORT: String(port) });
  await rabbit.start();
  await measure('RabbitMQ', server, Number(new URL(rabbit.mqttUrl).port), baselineServer, () => memoryOf('beam.smp'));
  await server.stop();
  await rabbit.stop();
  rmSync(dataDir, { recursive: true, force: true });
  rmSync(output, { recursive: true, force: true });
}
await baselineServer.stop();
