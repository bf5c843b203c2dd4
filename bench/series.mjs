// Measures series of a device with a million sensor readings in a year: a year in days, a day of whole values, and the latency of
// other requests while the series is compacted.
//   npm run bench:series         SQLite, and PostgreSQL when BENCH_DATABASE_URL names an empty database
// READINGS (1000000), TIMES (100), SECONDS (5) of the compaction
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { signUp } from './gardens.mjs';
import { seconds, start } from './server-process.mjs';

const readings = Number(process.env.READINGS ?? 1_000_000);
const times = Number(process.env.TIMES ?? 100);
const quarter = 900_000;
const day = 86_400_000;

/** Maximum durations in ms. */
const targets = { year: 50, day: 10, latency: 10 };

const now = Math.floor(Date.now() / quarter) * quarter;
const first = now - 365 * day;
const step = (365 * day) / readings;
const stamp = `'${new Date(now).toISOString()}'`;

/** Statements that fill the series of pin 59, with the numbers below `readings` from a generator of the engine. */
const fill = (deviceId, numbers) => [
  `insert into series (created_at, updated_at, device_id, number, compacted_until, row_count, swept_at) values (${stamp}, ${stamp}, ${deviceId}, 59, 0, ${readings}, 0)`,
  `insert into series_samples (created_at, updated_at, device_id, series_id, at, value, x, y, z, record_id) select ${stamp}, ${stamp}, ${deviceId}, (select max(id) from series), cast(${first} + cast(i as bigint) * ${step} as bigint), (i % 1024) * 7919 % 1024, 1, 2, 3, i from ${numbers}`,
  `insert into series_quarters (created_at, updated_at, device_id, series_id, at, minimum, maximum, total, readings) select ${stamp}, ${stamp}, device_id, series_id, at / ${quarter} * ${quarter}, min(value), max(value), sum(value), count(*) from series_samples group by device_id, series_id, at / ${quarter}`,
  // The hourly job begins some seconds after the measurements.
  `update job_schedules set next_at = '${new Date(Date.now() + 60_000).toISOString()}' where name = 'compact_series'`,
];

function openSqlite(folder) {
  const database = new Database(join(folder, 'potager.sqlite'));
  return {
    run: (sql) => database.prepare(sql).run(),
    count: () => database.prepare('select count(*) as count from series_samples').get().count,
    close: () => database.close(),
    numbers: `(with recursive n(i) as (select 0 union all select i + 1 from n where i < ${readings - 1}) select i from n) as numbers`,
  };
}

async function openPostgres(url) {
  const client = new pg.Client(url);
  await client.connect();
  return {
    run: (sql) => client.query(sql),
    count: async () => Number((await client.query('select count(*) from series_samples')).rows[0].count),
    close: () => client.end(),
    numbers: `generate_series(0, ${readings - 1}) as numbers(i)`,
  };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Returns the median duration of a request in ms. */
async function measure(base, token, path, headers = {}) {
  const durations = [];
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    const response = await fetch(`${base}${path}`, {
      headers: { authorization: token, 'user-agent': 'bench', ...headers },
    });
    const text = await response.text();
    durations.push(performance.now() - began);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  }
  return median(durations);
}

console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${readings} readings\n`);
console.log(
  `| database | a small request ms | a year in days ms (≤ ${targets.year}) | a day whole ms (≤ ${targets.day}) | the same as CSV ms | compacted/s | a small request meanwhile: median, 99 % ms (≤ ${targets.latency}) |\n|---|---:|---:|---:|---:|---:|---:|`,
);
const engines = [
  ['SQLite', {}],
  ...(process.env.BENCH_DATABASE_URL ? [['PostgreSQL', { DATABASE_URL: process.env.BENCH_DATABASE_URL }]] : []),
];
for (const [engine, environment] of engines) {
  const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  const settings = { DATA_DIR: folder, EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', ...environment };
  let server = await start('server.mjs', settings);
  const { token, device } = await signUp(server.base);
  await server.stop();

  const database = engine === 'SQLite' ? openSqlite(folder) : await openPostgres(environment.DATABASE_URL);
  for (const statement of fill(device, database.numbers)) await database.run(statement);
  if (engine !== 'SQLite') await database.run('analyze');
  server = await start('server.mjs', settings);
  const span = (from, to) => `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
  const path = '/api/series?source=sensor_reading&pin=59&';
  const small = () => measure(server.base, token, '/api/global_config');
  await small();
  const constant = await small();
  const year = await measure(server.base, token, `${path}bucket=1d&${span(first, now)}`);
  const minutes = await measure(server.base, token, `${path}bucket=1m&${span(now - 9 * day, now - 8 * day)}`);
  const csv = await measure(server.base, token, `${path}${span(now - 9 * day, now - 8 * day)}`, { accept: 'text/csv' });

  while ((await database.count()) === readings) await new Promise((resolve) => setTimeout(resolve, 500));
  const latencies = [];
  const left = await database.count();
  const began = performance.now();
  while (performance.now() - began < seconds * 1000) {
    const sent = performance.now();
    await (await fetch(`${server.base}/api/global_config`, { headers: { 'user-agent': 'bench' } })).text();
    latencies.push(performance.now() - sent);
  }
  const rate = (left - (await database.count())) / seconds;
  const sorted = latencies.sort((a, b) => a - b);
  const latency = [median(sorted), sorted[Math.floor(sorted.length * 0.99)]].map((ms) => ms.toFixed(1)).join(', ');
  const figures = [constant, year, minutes, csv].map((ms) => ms.toFixed(1));
  console.log(`| ${[engine, ...figures, rate.toFixed(0), latency].join(' | ')} |`);
  await server.stop();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}
