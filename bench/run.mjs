// Measures the built server relative to a bare Fastify with a constant response.
//   npm run bench                                     SQLite, and PostgreSQL when BENCH_DATABASE_URL names an empty database, beside pgbench
//   npm run bench -- --base URL --token TOKEN         any server with the same API, with an account whose garden is empty
// SECONDS (5), CONNECTIONS (32), ONLY (part of a case's name), EVENTS=on (with a listener for announcements)
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changeOf, pgbench, selectOf } from './pgbench.mjs';
import { connections, drive, json, seconds, start } from './server-process.mjs';

/** Gardens of the case with several. */
const gardenCount = 16;
let accounts = 0;

/** Creates an account, and returns its token. */
async function signUp(base) {
  const email = `bench.${Date.now()}.${++accounts}@example.com`;
  const password = 'password123';
  await json(base, 'POST', '/api/users', null, {
    name: 'Bench',
    email,
    password,
    password_confirmation: password,
    agree_to_terms: true,
  });
  return (await json(base, 'POST', '/api/tokens', null, { user: { email, password } })).token.encoded;
}

/** Creates 25 tools, 500 points and a few other records of device/sync. Returns the token with the ids of the device and of a point. */
async function fillGarden(base, token, pointCount = 500) {
  const existing = await json(base, 'GET', '/api/points', token);
  if (existing.length > 0)
    throw new Error(`the garden has ${existing.length} points: use an account with an empty one`);
  const post = (path, body) => json(base, 'POST', path, token, body);
  for (let i = 0; i < 25; i++) await post('/api/tools', { name: `Tool ${i}` });
  for (let i = 0; i < 5; i++) {
    await post('/api/sensors', { label: `Sensor ${i}`, pin: i, mode: 0 });
    await post('/api/peripherals', { label: `Peripheral ${i}`, pin: i, mode: 0 });
    await post('/api/farmware_envs', { key: `key ${i}`, value: `${i}` });
  }
  const ids = [];
  for (let i = 0; i < pointCount; i++) {
    const kind = ['Plant', 'Weed', 'GenericPointer'][i % 3];
    const point = await post('/api/points', {
      pointer_type: kind,
      name: `Point ${i}`,
      x: (i % 30) * 100,
      y: Math.floor(i / 30) * 75.5,
      z: 0,
      openfarm_slug: 'tomato',
      meta: { color: 'green', created_by: 'plant-detection' },
    });
    ids.push(point.id);
  }
  await json(base, 'GET', '/api/fbos_config', token);
  await json(base, 'GET', '/api/firmware_config', token);
  const { id: device } = await json(base, 'GET', '/api/device', token);
  return { token, device, point: ids[Math.floor(pointCount / 5)] };
}

const targets = {
  'show one point': 30000,
  'list 25 tools': 15000,
  'list 500 points': 1000,
  'device/sync': 8000,
  'change a point': 6000,
  'post a log': 6000,
};

const { values: given } = parseArgs({ options: { base: { type: 'string' }, token: { type: 'string' } } });
if ((given.base === undefined) !== (given.token === undefined))
  throw new Error('--base needs --token, and --token --base');

const baselineServer = await start('baseline.mjs', {});
await drive(baselineServer.base);
console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${connections} connections, ${seconds} s each; bare Fastify: ${baselineServer.memory().toFixed(0)} MiB after load\n`,
);

/** Measures all cases with gardens of {@link fillGarden}. `cpuTime`: returns that of the server, and `url` its PostgreSQL, if they are known. */
async function measure(base, gardens, cpuTime, url) {
  const [first] = gardens;
  const { token, point } = first;
  const headersOf = (authorization) => ({ authorization, 'user-agent': 'bench', 'content-type': 'application/json' });
  const headers = headersOf(token);
  let turn = 0;
  let client = 0;
  /** Returns the change of a point for autocannon. */
  const change = (garden) => ({
    method: 'PATCH',
    path: `/api/points/${garden.point}`,
    headers: headersOf(garden.token),
    setupRequest: (request) => ({ ...request, body: `{"x":${turn++ % 1000}}` }),
  });
  const cases = {
    'show one point': { url: `/api/points/${point}` },
    'list 25 tools': { url: '/api/tools' },
    'list 500 points': { url: '/api/points' },
    'device/sync': { url: '/api/device/sync' },
    'change a point': { url: `/api/points/${point}`, method: 'PATCH', requests: [change(first)] },
    ...(gardens.length > 1 && {
      'change a point in each of 16 gardens': {
        url: '/',
        method: 'PATCH',
        setupClient: (each) => each.setRequests([change(gardens.at(client++ % gardens.length))]),
      },
    }),
    'post a log': {
      url: '/api/logs',
      method: 'POST',
      body: '{"message":"Moving to (1, 2, 3)","type":"info","channels":["ticker"],"verbosity":1,"x":1,"y":2,"z":3}',
    },
  };
  const limits = {
    'show one point': [selectOf(first)],
    'change a point': [changeOf(first)],
    'change a point in each of 16 gardens': gardens.map(changeOf),
  };
  const columns = [
    ...['case', 'baseline/s', 'requests/s', 'p99 ms', 'per 60,000 baseline responses', 'target'],
    ...['CPU of a baseline response µs', 'CPU of a response µs', 'share of the baseline %'],
    ...(url ? ['pgbench/s', 'share of pgbench'] : []),
  ];
  console.log(`| ${columns.join(' | ')} |\n|---${'|---:'.repeat(columns.length - 1)}|`);
  for (const [name, { url: path, ...options }] of Object.entries(cases)) {
    if (process.env.ONLY && !name.includes(process.env.ONLY)) continue;
    // The baseline is measured before and after each case, because other processes slow both.
    const limit = () => drive(baselineServer.base, { headers, cpuTime: baselineServer.cpuTime });
    const before = await limit();
    const { perSecond, p99, cpu } = await drive(base + path, { headers, ...options, cpuTime });
    const after = await limit();
    const baseline = (before.perSecond + after.perSecond) / 2;
    const baselineCpu = (before.cpu + after.cpu) / 2;
    const ratio = Math.round((perSecond / baseline) * 60000);
    const shares = Number.isNaN(cpu)
      ? ['', '', '']
      : [baselineCpu.toFixed(1), cpu.toFixed(1), Math.round((100 * baselineCpu) / cpu)];
    const figures = [Math.round(baseline), Math.round(perSecond), p99, ratio, targets[name] ?? '', ...shares];
    const pgbenchLimit = url && limits[name] ? await pgbench(url, limits[name]) : null;
    if (url)
      figures.push(...(pgbenchLimit ? [Math.round(pgbenchLimit), (perSecond / pgbenchLimit).toFixed(2)] : ['', '']));
    console.log(`| ${name} | ${figures.join(' | ')} |`);
  }
}

/** Starts the built server with a database, and measures it. */
async function measureBuilt(engine, environment) {
  const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  const server = await start('server.mjs', {
    DATA_DIR: folder,
    EMAIL_VERIFICATION: 'off',
    RATE_LIMITS: 'off',
    EVENTS: process.env.EVENTS ?? 'off',
    ...environment,
  });
  console.log(
    `${engine}: ready after ${server.ready.toFixed(0)} ms, ${server.memory().toFixed(0)} MiB idle; one account, 25 tools, 500 points, events ${process.env.EVENTS ?? 'off'}`,
  );
  const gardens = [await fillGarden(server.base, await signUp(server.base))];
  while (gardens.length < gardenCount) gardens.push(await fillGarden(server.base, await signUp(server.base), 1));
  await measure(server.base, gardens, server.cpuTime, environment.DATABASE_URL);
  console.log(`memory after load: ${server.memory().toFixed(0)} MiB\n`);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

if (given.base) {
  const base = given.base.replace(/\/$/, '');
  await measure(base, [await fillGarden(base, given.token)]);
} else {
  await measureBuilt('SQLite', {});
  const { BENCH_DATABASE_URL: url } = process.env;
  if (url) await measureBuilt('PostgreSQL', { DATABASE_URL: url });
}
await baselineServer.stop();
