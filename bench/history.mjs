// Measures pages of the history of a garden with 50,000 changes, beside a plain Fastify server with a constant response, and small
// requests while the log is trimmed.
//   npm run bench:history        SQLite, and PostgreSQL if BENCH_DATABASE_URL is an empty database
// CHANGES (50,000), REQUESTS (200), TRIMMED (5,000)
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp } from './gardens.mjs';
import { json, start } from './server-process.mjs';

const changes = Number(process.env.CHANGES ?? 50_000);
const requests = Number(process.env.REQUESTS ?? 200);
const trimmed = Number(process.env.TRIMMED ?? 5000);

const inMilliseconds = (all, parts) => {
  all.sort((a, b) => a - b);
  return parts.map((part) => all[Math.floor(part * (all.length - 1))].toFixed(1));
};

async function timeOf(base, path, token) {
  const began = performance.now();
  await json(base, 'GET', path, token);
  return performance.now() - began;
}

/** Returns the median and the 99th percentile of a request's time, in ms. */
async function times(base, path, token) {
  // The first ones are compiled.
  for (let i = 0; i < requests / 4; i++) await timeOf(base, path, token);
  const all = [];
  for (let i = 0; i < requests; i++) all.push(await timeOf(base, path, token));
  return inMilliseconds(all, [0.5, 0.99]);
}

const baselineServer = await start('baseline.mjs', {});
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${changes} changes\n`);
const engines = [
  ['SQLite', {}],
  ...(process.env.BENCH_DATABASE_URL ? [['PostgreSQL', { DATABASE_URL: process.env.BENCH_DATABASE_URL }]] : []),
];
for (const [engine, database] of engines) {
  const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  const environment = { DATA_DIR: folder, EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', ...database };
  const server = await start('server.mjs', environment);
  const { token } = await signUp(server.base);
  const { id } = await json(server.base, 'POST', '/api/points', token, { pointer_type: 'Plant', x: 1, y: 1, z: 0 });
  const { id: tool } = await json(server.base, 'POST', '/api/tools', token, { name: 'Trowel' });
  const change = async (count) => {
    for (let done = 0; done < count; done += 32)
      await Promise.all(
        Array.from({ length: 32 }, (_, i) =>
          json(server.base, 'PATCH', `/api/points/${id}`, token, { x: (done + i) % 10_000 }),
        ),
      );
  };
  await change(changes);
  console.log(`${engine}:\n| request | p50 ms | p99 ms |\n|---|---:|---:|`);
  const cases = {
    'the first page': '/api/history',
    'the first page of 200': '/api/history?limit=200',
    'the last page': '/api/history?before_id=100',
    'a record that changed once': `/api/history?resource=Tool&record_id=${tool}`,
  };
  console.log(`| baseline | ${(await times(baselineServer.base, '/', token)).join(' | ')} |`);
  for (const [name, path] of Object.entries(cases))
    console.log(`| ${name} | ${(await times(server.base, path, token)).join(' | ')} |`);
  // Beyond the 50,000 changes that are kept; they are trimmed every five seconds.
  await change(trimmed);
  const meanwhile = [];
  const end = performance.now() + 8000;
  while (performance.now() < end) meanwhile.push(await timeOf(server.base, '/api/global_config', token));
  const [median, high, longest] = inMilliseconds(meanwhile, [0.5, 0.99, 1]);
  console.log(`| a small request while ${trimmed} changes are trimmed (longest: ${longest}) | ${median} | ${high} |`);
  await server.stop();
  rmSync(folder, { recursive: true });
}
await baselineServer.stop();
