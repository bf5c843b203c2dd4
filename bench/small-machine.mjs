// Measures the capacity of a small machine: the built server with one core and 1 GB of memory, and three active robots.
//   npm run bench:small
// SECONDS (5) per case of requests, CONNECTIONS (32); ROBOTS (3), MEGABYTES (1024), WORK (30): seconds in which the robots work
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signUp } from './gardens.mjs';
import { MqttClient, publishPacket } from './mqtt-client.mjs';
import { picture, send } from './photo-uploads.mjs';
import { drive, freePort, json, start } from './server-process.mjs';

const robots = Number(process.env.ROBOTS ?? 3);
const megabytes = Number(process.env.MEGABYTES ?? 1024);
const work = Number(process.env.WORK ?? 30);

/** Returns the prefix of a command that limits memory, its description, and a function that removes the limit. */
function memoryLimit() {
  const name = `potager-bench-${process.pid}`;
  for (const [folder, file] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
    ['/sys/fs/cgroup', 'memory.max'],
  ]) {
    const group = join(folder, name);
    try {
      mkdirSync(group);
      writeFileSync(join(group, file), String(megabytes * 1024 * 1024));
      const prefix = ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs')];
      return { prefix, words: `a control group with ${megabytes} MiB`, remove: () => rmdirSync(group) };
    } catch {
      if (existsSync(group)) rmdirSync(group);
    }
  }
  // Without the right to create a control group, the heap is limited: buffers and libraries need about 200 MiB beside it.
  const option = `--max-old-space-size=${megabytes - 256}`;
  const words = `${option}, because no control group could be created`;
  return { prefix: ['env', `NODE_OPTIONS=${option}`], words, remove: () => undefined };
}

/** Creates a typical garden: the seeded records, and 200 plants. */
async function garden(base, token) {
  await json(base, 'POST', '/api/device/seed', token, { product_line: 'genesis_1.7' });
  while ((await json(base, 'GET', '/api/sequences', token)).length === 0) await sleep(50);
  for (let i = 0; i < 200; i++) {
    const place = { x: (i % 20) * 150, y: Math.floor(i / 20) * 120, z: 0 };
    await json(base, 'POST', '/api/points', token, { pointer_type: 'Plant', name: `Tomato ${i}`, ...place });
  }
}

const log = JSON.stringify({
  type: 'info',
  message: 'Moving to (100, 200, 0)',
  major_version: 15,
  verbosity: 2,
  channels: [],
  x: 100,
  y: 200,
  z: 0,
});
const telemetry = JSON.stringify({ telemetry_target: 'rpi3', telemetry_soc_temp: 42, telemetry_uptime: 60 });
const status = JSON.stringify({ location_data: { position: { x: 1, y: 2, z: 3 } }, padding: 'x'.repeat(4000) });

/** A robot at work: a log and two states a second, telemetry every five seconds, a photo every ten. */
function robotAtWork({ client, bot, token, base, photo }) {
  let id = 0;
  const publish = (channel, text) => client.write(publishPacket(`bot/${bot}/${channel}`, (id++ % 65_000) + 1, text));
  const uploads = [];
  const timers = [
    setInterval(() => publish('logs', log), 1000),
    setInterval(() => publish('status', status), 500),
    setInterval(() => publish('telemetry', telemetry), 5000),
    setInterval(() => uploads.push(send(base, token, photo)), 10_000),
  ];
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(uploads);
  };
}

const isProcessed = ({ attachment_processed_at }) => attachment_processed_at !== null;

/** Returns the photos that all robots together have processed within a minute, sending as fast as they can. */
async function photosPerMinute(base, owners, photo) {
  const each = 20;
  const began = performance.now();
  await Promise.all(
    owners.map(async ({ token }) => {
      for (let i = 0; i < each; i++) await send(base, token, photo);
      while (!(await json(base, 'GET', '/api/images', token)).every(isProcessed)) await sleep(100);
    }),
  );
  return (owners.length * each * 60_000) / (performance.now() - began);
}

/** Returns the share of a core that the server uses within some seconds, in percent. */
async function cpuShare(server, seconds) {
  const before = server.cpuTime();
  await sleep(seconds * 1000);
  return ((server.cpuTime() - before) / seconds) * 100;
}

// The load runs on another core than the server.
const onCore = (core) => ['taskset', '-c', String(core)];
spawnSync('taskset', ['-cp', '1', String(process.pid)], { stdio: 'ignore' });
const limit = memoryLimit();
const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
const mqttPort = await freePort();
const settings = { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', DATA_DIR: folder, MQTT_PORT: String(mqttPort) };
const server = await start('server.mjs', settings, [...limit.prefix, ...onCore(0)]);
const baseline = await start('baseline.mjs', {}, onCore(0));
const { base } = server;
console.log(`${cpus()[0]?.model}, one core, ${limit.words}, Node ${process.version}, SQLite, ${robots} robots\n`);

const photo = await picture({ width: 1280, height: 960 });
const owners = [];
for (let i = 0; i < robots; i++) {
  const { token, bot } = await signUp(base);
  await garden(base, token);
  const client = await MqttClient.connect(mqttPort, `robot-${i}`, bot, token);
  const browser = await MqttClient.connect(mqttPort, `browser-${i}`, bot, token);
  await browser.subscribe(`bot/${bot}/#`);
  owners.push({ client, browser, bot, token, base, photo });
}
await sleep(3000);

const row = (name, ...values) => console.log(`| ${[name, ...values].join(' | ')} |`);
console.log('| state | MiB | CPU share % |\n|---|---:|---:|');
row('idle, robots connected', server.memory().toFixed(0), (await cpuShare(server, 5)).toFixed(1));
const stops = owners.map(robotAtWork);
const share = await cpuShare(server, work);
row('robots at work', server.memory().toFixed(0), share.toFixed(1));

console.log('\nWhile the robots work:\n\n| request | requests/s | p99 ms | bare Fastify/s |\n|---|---:|---:|---:|');
const [{ token }] = owners;
const [point] = await json(base, 'GET', '/api/points', token);
const headers = { authorization: token, 'user-agent': 'bench', 'content-type': 'application/json' };
let turn = 0;
const setupRequest = (request) => ({ ...request, body: `{"x":${turn++ % 1000}}` });
const change = { method: 'PATCH', path: `/api/points/${point.id}`, setupRequest };
for (const [name, path, options] of [
  ['show a point', `/api/points/${point.id}`, {}],
  ['list all points', '/api/points', {}],
  ['device/sync', '/api/device/sync', {}],
  ['change a point', change.path, { method: 'PATCH', requests: [change] }],
]) {
  const bare = (await drive(baseline.base)).perSecond;
  const { perSecond, p99 } = await drive(base + path, { headers, ...options });
  row(name, perSecond.toFixed(0), p99, bare.toFixed(0));
}
for (const stop of stops) await stop();

const rate = await photosPerMinute(base, owners, photo);
console.log(
  `\nphotos of 1280 × 960 (${(photo.length / 1024).toFixed(0)} KiB), processed per minute: ${rate.toFixed(0)}`,
);
console.log(`peak memory: ${server.peakMemory().toFixed(0)} MiB`);
for (const { client, browser } of owners) for (const each of [client, browser]) each.end();
await server.stop();
await baseline.stop();
limit.remove();
rmSync(folder, { recursive: true, force: true });
