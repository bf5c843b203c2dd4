// Measures seeding: gardens per second, as a ratio to a plain Fastify server with a constant response, and the latency of another
// account's requests in that time.
//   npm run bench:seeding        SQLite, and PostgreSQL if BENCH_DATABASE_URL is an empty database
// GARDENS (20), SECONDS (5), CONNECTIONS (32), ONLY (part of a case's name)
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp } from './gardens.mjs';
import { connections, drive, json, seconds, start } from './server-process.mjs';

const gardens = Number(process.env.GARDENS ?? 20);
const cases = {
  'genesis_1.7': { product_line: 'genesis_1.7' },
  'genesis_xl_1.9, demo': { product_line: 'genesis_xl_1.9', demo: true },
  'genesis_1.8, demo with a past': { product_line: 'genesis_1.8', demo: true, past: true },
  '1000 of each kind': { product_line: 'genesis_xl_1.8_stress_1000', demo: true },
};

/** Seeds all accounts concurrently; returns the total time and the maximum latency of another account's requests, in ms. */
async function seedAll(base, tokens, otherToken, body) {
  const latencies = [];
  let isDone = false;
  const otherRequests = (async () => {
    while (!isDone) {
      const began = performance.now();
      await json(base, 'PATCH', '/api/device', otherToken, { name: `Robot ${latencies.length}` });
      latencies.push(performance.now() - began);
    }
  })();
  const began = performance.now();
  await Promise.all(tokens.map((token) => json(base, 'POST', '/api/device/seed', token, body)));
  for (const token of tokens)
    while ((await json(base, 'GET', '/api/device', token)).name === 'FarmBot')
      await new Promise((resolve) => setTimeout(resolve, 5));
  const time = performance.now() - began;
  isDone = true;
  await otherRequests;
  return { time, maxLatency: Math.max(...latencies) };
}

const baselineServer = await start('baseline.mjs', {});
await drive(baselineServer.base);
console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${gardens} gardens, ${connections} connections, ${seconds} s each\n`,
);
const engines = [
  ['SQLite', {}],
  ...(process.env.BENCH_DATABASE_URL ? [['PostgreSQL', { DATABASE_URL: process.env.BENCH_DATABASE_URL }]] : []),
];
for (const [engine, database] of engines) {
  const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  const environment = { DATA_DIR: folder, EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', ...database };
  const server = await start('server.mjs', environment);
  const { token: otherToken } = await signUp(server.base);
  // Warm-up: the first garden prepares the statements.
  await seedAll(server.base, [(await signUp(server.base)).token], otherToken, cases['genesis_xl_1.9, demo']);
  console.log(`${engine}:`);
  console.log(
    '| garden | baseline/s | gardens/s | baseline responses per garden | maximum latency of others, ms |\n|---|---:|---:|---:|---:|',
  );
  for (const [name, body] of Object.entries(cases)) {
    if (process.env.ONLY && !name.includes(process.env.ONLY)) continue;
    const tokens = [];
    for (let i = 0; i < gardens; i++) tokens.push((await signUp(server.base)).token);
    // The baseline is measured before and after, since other processes may slow down both.
    const before = await drive(baselineServer.base);
    const { time, maxLatency } = await seedAll(server.base, tokens, otherToken, body);
    const after = await drive(baselineServer.base);
    const baseline = (before.perSecond + after.perSecond) / 2;
    const perSecond = (gardens * 1000) / time;
    const figures = [
      Math.round(baseline),
      perSecond.toFixed(1),
      Math.round(baseline / perSecond),
      Math.round(maxLatency),
    ];
    console.log(`| ${name} | ${figures.join(' | ')} |`);
  }
  console.log('');
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
await baselineServer.stop();
