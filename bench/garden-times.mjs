// Measures the garden at any time (`GET /api/garden`): 1,000 plants with a year of changes, 2,500 readings and a schedule, each request in
// turn with a constant response of a plain Fastify server. Responses are not compressed, and not read.
//   npm run bench:garden         SQLite, and PostgreSQL if BENCH_DATABASE_URL is an empty database
// CHANGES (5,000), REQUESTS (500)
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { signIn, signUp } from './gardens.mjs';
import { each, quantile } from './load-tools.mjs';
import { json, start } from './server-process.mjs';

const changes = Number(process.env.CHANGES ?? 5000);
const requests = Number(process.env.REQUESTS ?? 500);
const day = 86_400_000;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends a request. Returns the time until the end of the response, in ms. */
const timeOf = (base, path, authorization) =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = { authorization, 'user-agent': 'bench' };
    get(base + path, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
      response.resume().on('end', () => resolve(performance.now() - began));
    }).on('error', reject);
  });

/** Returns p50 and p99 in ms and the CPU time in µs of requests to a server. */
async function measure(server, pathOf, token) {
  const all = [];
  for (let index = 0; index < requests / 4; index++) await timeOf(server.base, pathOf(), token);
  const before = server.cpuTime();
  for (let index = 0; index < requests; index++) all.push(await timeOf(server.base, pathOf(), token));
  const cpu = ((server.cpuTime() - before) / requests) * 1_000_000;
  return { p50: quantile(all, 0.5), p99: quantile(all, 0.99), cpu };
}

/** Fills a garden: crops at ages of up to 90 days, planned ones, and changes of all of them. */
async function fill(base, token) {
  const crops = ['beet', 'carrot', 'broccoli', 'tomato', 'lettuce'];
  const ids = [];
  for (let from = 0; from < 1000; from += 500) {
    const plants = Array.from({ length: 500 }, (_, index) => ({
      pointer_type: 'Plant',
      name: `Plant ${from + index}`,
      x: ((from + index) * 97) % 5900,
      y: ((from + index) * 53) % 2900,
      openfarm_slug: crops[index % crops.length],
      plant_stage: index % 5 === 0 ? 'planned' : 'planted',
      planted_at: new Date(Date.now() + ((index % 120) - 90) * day).toISOString(),
    }));
    ids.push(...(await json(base, 'POST', '/api/points/bulk', token, { points: plants })).map(({ id }) => id));
  }
  await json(base, 'PATCH', '/api/device', token, { timezone: 'Europe/Paris', lat: 48.8, lng: 2.3 });
  await each(Array.from({ length: changes }), 32, (_, index) =>
    json(base, 'PATCH', `/api/points/${ids[index % ids.length]}`, token, { x: (index * 31) % 5900 }),
  );
  await each(Array.from({ length: 2500 }), 32, (_, index) =>
    json(base, 'POST', '/api/sensor_readings', token, {
      ...{ pin: 59, mode: 1, value: 500, x: index, y: index, z: 0 },
      read_at: new Date(Date.now() - (index / 2500) * 365 * day).toISOString(),
    }),
  );
  const sequence = await json(base, 'POST', '/api/sequences', token, { name: 'Water all', body: [] });
  for (const hour of [6, 18])
    await json(base, 'POST', '/api/farm_events', token, {
      ...{ executable_type: 'Sequence', executable_id: sequence.id, repeat: 1, time_unit: 'daily' },
      start_time: new Date(Date.now() + hour * 3_600_000).toISOString(),
      end_time: new Date(Date.now() + 400 * day).toISOString(),
    });
}

/** Spreads the changes of a stopped server over the last year, in their order. */
async function spreadChanges(folder, url) {
  const first = Date.now() - 365 * day;
  if (url) {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query('select min(id) as first, max(id) as last from changes');
    const step = (365 * day) / (rows[0].last - rows[0].first + 1) / 1000;
    await client.query(
      `update changes set created_at = to_timestamp(${first / 1000}) + (id - ${rows[0].first}) * interval '${step} seconds'`,
    );
    await client.end();
    return;
  }
  const database = new Database(join(folder, 'potager.sqlite'));
  const [range] = database.prepare('select min(id) as first, max(id) as last from changes').all();
  const update = database.prepare('update changes set created_at = ? where id = ?');
  const step = (365 * day) / (range.last - range.first + 1);
  database.transaction(() => {
    for (let id = range.first; id <= range.last; id++)
      update.run(new Date(first + (id - range.first) * step).toISOString(), id);
  })();
  database.close();
}

const baseline = await start('baseline.mjs', {});
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${changes} changes in a year\n`);
const engines = [
  ['SQLite', undefined],
  ...(process.env.BENCH_DATABASE_URL ? [['PostgreSQL', process.env.BENCH_DATABASE_URL]] : []),
];
for (const [engine, url] of engines) {
  const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  const environment = {
    ...{ DATA_DIR: folder, EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', HISTORY_DAYS: '366' },
    ...(url && { DATABASE_URL: url }),
  };
  const filled = await start('server.mjs', environment);
  const { email, token: first } = await signUp(filled.base);
  await fill(filled.base, first);
  await filled.stop();
  await spreadChanges(folder, url);
  const server = await start('server.mjs', environment);
  const { token } = await signIn(server.base, email);
  const began = server.cpuTime();
  const cold = await timeOf(server.base, '/api/garden', token);
  const coldCpu = server.cpuTime() - began;
  const { now, begins_at } = await json(server.base, 'GET', '/api/garden', token);
  const [oldest, present] = [Date.parse(begins_at), Date.parse(now)];
  const timeIn = (from, to) => new Date(from + Math.random() * (to - from)).toISOString();
  const past = () => timeIn(oldest, present);
  const future = () => timeIn(present, present + 365 * day);
  const cases = {
    'a time of the past year': () => `/api/garden?at=${past()}`,
    'a time of the next year': () => `/api/garden?at=${future()}`,
    'a span of a month': () => {
      const from = Date.parse(timeIn(oldest, present - 30 * day));
      return `/api/garden?from=${new Date(from).toISOString()}&to=${new Date(from + 30 * day).toISOString()}`;
    },
    'from the past year into the next': () => `/api/garden?from=${past()}&to=${future()}`,
    'all of it': () => `/api/garden?from=${begins_at}`,
  };
  console.log(`${engine}: read first in ${cold.toFixed(0)} ms, ${(coldCpu * 1000).toFixed(0)} ms of CPU time\n`);
  console.log('| request | p50 ms | p99 ms | CPU µs | of a constant response | constant responses |');
  console.log('|---|---:|---:|---:|---:|---:|');
  for (const [name, pathOf] of Object.entries(cases)) {
    const constant = await measure(baseline, () => '/', token);
    const { p50, p99, cpu } = await measure(server, pathOf, token);
    const figures = [p50.toFixed(1), p99.toFixed(1), cpu.toFixed(0), constant.cpu.toFixed(0)];
    console.log(`| ${[name, ...figures, (cpu / constant.cpu).toFixed(1)].join(' | ')} |`);
  }
  console.log('');
  await server.stop();
  rmSync(folder, { recursive: true });
}
await baseline.stop();
agent.destroy();
