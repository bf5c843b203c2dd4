// Measures event streams of the built server: the delay between the response to a change and its event.
//   npm run bench:events
// STREAMS (100), RATE (1000 changes per second), SECONDS (5); BENCH_DATABASE_URL: an empty PostgreSQL database instead of SQLite
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signUpWithTool } from './gardens.mjs';
import { quantile } from './load-tools.mjs';
import { drive, seconds, start } from './server-process.mjs';

const streams = Number(process.env.STREAMS ?? 100);
const rate = Number(process.env.RATE ?? 1000);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Opens a stream and reports the values of changed tools. */
const listen = (base, token, report) =>
  new Promise((resolve, reject) => {
    const opened = get(`${base}/api/events?resources=Tool`, { headers: { authorization: token } }, (response) => {
      response.setEncoding('latin1').on('data', (text) => {
        const at = performance.now();
        for (const [, value] of text.matchAll(/"flow_rate_ml_per_s":(\d+)/g)) report(Number(value), at);
      });
      response.on('error', () => undefined);
      resolve(opened);
    });
    opened.on('error', reject);
  });

/** Changes a tool. Returns the time at which the response arrived. */
const change = (base, { token, tool }, value) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: token, 'content-type': 'application/json', 'user-agent': 'bench' };
    const sent = request(`${base}/api/tools/${tool}`, { method: 'PATCH', agent, headers }, (response) => {
      const at = performance.now();
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().on('end', () => resolve(at));
    });
    sent.on('error', reject);
    sent.end(`{"flow_rate_ml_per_s":${value}}`);
  });

const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
const url = process.env.BENCH_DATABASE_URL;
const server = await start('server.mjs', {
  DATA_DIR: folder,
  EMAIL_VERIFICATION: 'off',
  RATE_LIMITS: 'off',
  ...(url && { DATABASE_URL: url }),
});
const baseline = await start('baseline.mjs', {});
const owners = [];
for (let index = 0; index < streams; index++) owners.push(await signUpWithTool(server.base));
const received = new Map();
const repeated = [];
const opened = await Promise.all(
  owners.map(({ token }) =>
    listen(server.base, token, (value, at) => (received.has(value) ? repeated.push(value) : received.set(value, at))),
  ),
);

const responded = new Map();
const changes = [];
const began = performance.now();
const cpuBefore = server.cpuTime();
for (let value = 1; performance.now() < began + seconds * 1000; ) {
  // Sends all changes that are due, however late this process wakes up.
  for (; value <= ((performance.now() - began) * rate) / 1000; value++) {
    const own = value;
    changes.push(change(server.base, owners[own % streams], own).then((at) => responded.set(own, at)));
  }
  await sleep(1);
}
await Promise.all(changes);
const elapsed = (performance.now() - began) / 1000;
const cpu = (server.cpuTime() - cpuBefore) / elapsed;
await sleep(2000);
const delays = [...responded].map(([value, at]) => Math.max(0, (received.get(value) ?? Number.NaN) - at));
const lost = delays.filter(Number.isNaN).length;
const arrived = delays.filter((each) => !Number.isNaN(each));
const { perSecond, p99 } = await drive(baseline.base);

console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${url ? 'PostgreSQL' : 'SQLite'}\n`);
console.log(
  '| streams | changes/s | delay p50 ms | p99 ms (aim: 20) | lost | repeated | cores | baseline/s | baseline p99 ms |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
);
const row = [
  streams,
  (responded.size / elapsed).toFixed(0),
  quantile(arrived, 0.5).toFixed(1),
  quantile(arrived, 0.99).toFixed(1),
  lost,
  repeated.length,
  cpu.toFixed(2),
  perSecond.toFixed(0),
  p99,
];
console.log(`| ${row.join(' | ')} |`);
for (const each of opened) each.destroy();
agent.destroy();
await server.stop();
await baseline.stop();
rmSync(folder, { recursive: true, force: true });
process.exit();
