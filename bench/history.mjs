// Measures pages of the history of a garden with 50,000 changes, each in turn with a constant response of a plain Fastify server, and
// small requests while the log is trimmed. Responses are compressed, and not read: the garbage collections of a client that parses them
// take longer than the server.
//   npm run bench:history        SQLite, and PostgreSQL if BENCH_DATABASE_URL is an empty database
// CHANGES (50,000), REQUESTS (1,000), TRIMMED (5,000)
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp } from './gardens.mjs';
import { json, start } from './server-process.mjs';

const changes = Number(process.env.CHANGES ?? 50_000);
const requests = Number(process.env.REQUESTS ?? 1000);
const trimmed = Number(process.env.TRIMMED ?? 5000);

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const inMilliseconds = (all, parts) => {
  all.sort((a, b) => a - b);
  return parts.map((part) => all[Math.floor(part * (all.length - 1))].toFixed(1));
};

/** Returns the time until the end of the response, in ms. */
const timeOf = (base, path, authorization) =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = { authorization, 'accept-encoding': 'br', 'user-agent': 'bench' };
    get(base + path, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
      response.resume().on('end', () => resolve(performance.now() - began));
    }).on('error', reject);
  });

/** Returns the median and the 99th percentile of the times of a request, and of a constant response, and the CPU time in µs. */
async function times(server, path, token) {
  const [all, constant] = [[], []];
  // The first ones are compiled.
  for (let i = 0; i < requests / 4; i++) await timeOf(server.base, path, token);
  const cpuBefore = server.cpuTime();
  for (let i = 0; i < requests; i++) {
    all.push(await timeOf(server.base, path, token));
    constant.push(await timeOf(baselineServer.base, '/', token));
  }
  const cpu = ((server.cpuTime() - cpuBefore) / requests) * 1_000_000;
  return [...inMilliseconds(all, [0.5, 0.99]), ...inMilliseconds(constant, [0.5, 0.99]), cpu.toFixed(0)];
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
  console.log(
    `${engine}:\n| request | p50 ms | p99 ms | constant p50 | p99 | CPU µs |\n|---|---:|---:|---:|---:|---:|`,
  );
  const cases = {
    'a small request': '/api/global_config',
    'the first page': '/api/history',
    'the first page of 200': '/api/history?limit=200',
    'the last page': '/api/history?before_id=100',
    'a record that changed once': `/api/history?resource=Tool&record_id=${tool}`,
  };
  for (const [name, path] of Object.entries(cases))
    console.log(`| ${name} | ${(await times(server, path, token)).join(' | ')} |`);
  // Beyond the 50,000 changes that are kept; they are trimmed every five seconds.
  await change(trimmed);
  const meanwhile = [];
  const end = performance.now() + 8000;
  while (performance.now() < end) meanwhile.push(await timeOf(server.base, '/api/global_config', token));
  const [median, high, longest] = inMilliseconds(meanwhile, [0.5, 0.99, 1]);
  console.log(
    `| a small request while ${trimmed} changes are trimmed (longest: ${longest}) | ${median} | ${high} | | | |`,
  );
  await server.stop();
  rmSync(folder, { recursive: true });
}
await baselineServer.stop();
agent.destroy();
