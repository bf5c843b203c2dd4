// Measures the built server relative to a bare Fastify with a constant response.
//   npm run bench                SQLite, and PostgreSQL when BENCH_DATABASE_URL names an empty database
// SECONDS (5), CONNECTIONS (32), ONLY (part of a case's name), EVENTS=on (with a listener for announcements)
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connections, drive, json, seconds, start } from './server-process.mjs';

/** Creates an account with 25 tools, 500 points and a few other records of device/sync. */
async function garden(base) {
  const email = `bench.${Date.now()}@example.com`;
  const password = 'password123';
  await json(base, 'POST', '/api/users', null, {
    name: 'Bench',
    email,
    password,
    password_confirmation: password,
    agree_to_terms: true,
  });
  const token = (await json(base, 'POST', '/api/tokens', null, { user: { email, password } })).token.encoded;
  const post = (path, body) => json(base, 'POST', path, token, body);
  for (let i = 0; i < 25; i++) await post('/api/tools', { name: `Tool ${i}` });
  for (let i = 0; i < 5; i++) {
    await post('/api/sensors', { label: `Sensor ${i}`, pin: i, mode: 0 });
    await post('/api/peripherals', { label: `Peripheral ${i}`, pin: i, mode: 0 });
    await post('/api/farmware_envs', { key: `key ${i}`, value: `${i}` });
  }
  const ids = [];
  for (let i = 0; i < 500; i++) {
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
  return { token, point: ids[100] };
}

const targets = {
  'show one point': 30000,
  'list 25 tools': 15000,
  'list 500 points': 1000,
  'device/sync': 8000,
  'change a point': 6000,
  'post a log': 6000,
};

const baselineServer = await start('baseline.mjs', {});
await drive(baselineServer.base);
const bareMemory = baselineServer.memory();
console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${connections} connections, ${seconds} s each; bare Fastify: ${bareMemory.toFixed(0)} MiB after load\n`,
);

const engines = [
  ['SQLite', {}],
  ...(process.env.BENCH_DATABASE_URL ? [['PostgreSQL', { DATABASE_URL: process.env.BENCH_DATABASE_URL }]] : []),
];
for (const [engine, environment] of engines) {
  const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  const server = await start('server.mjs', {
    DATA_DIR: folder,
    EMAIL_VERIFICATION: 'off',
    RATE_LIMITS: 'off',
    EVENTS: process.env.EVENTS ?? 'off',
    ...environment,
  });
  const idle = server.memory();
  const { token, point } = await garden(server.base);
  const headers = { authorization: token, 'user-agent': 'bench', 'content-type': 'application/json' };
  let turn = 0;
  const cases = {
    'show one point': { url: `/api/points/${point}` },
    'list 25 tools': { url: '/api/tools' },
    'list 500 points': { url: '/api/points' },
    'device/sync': { url: '/api/device/sync' },
    'change a point': {
      url: `/api/points/${point}`,
      method: 'PATCH',
      requests: [
        {
          method: 'PATCH',
          path: `/api/points/${point}`,
          setupRequest: (request) => ({ ...request, body: `{"x":${turn++ % 1000}}` }),
        },
      ],
    },
    'post a log': {
      url: '/api/logs',
      method: 'POST',
      body: '{"message":"Moving to (1, 2, 3)","type":"info","channels":["ticker"],"verbosity":1,"x":1,"y":2,"z":3}',
    },
  };
  console.log(
    `${engine}: ready after ${server.ready.toFixed(0)} ms, ${idle.toFixed(0)} MiB idle; one account, 25 tools, 500 points, events ${process.env.EVENTS ?? 'off'}`,
  );
  console.log(
    '| case | baseline/s | requests/s | p99 ms | per 60,000 baseline responses | target |\n|---|---:|---:|---:|---:|---:|',
  );
  for (const [name, { url, ...options }] of Object.entries(cases)) {
    if (process.env.ONLY && !name.includes(process.env.ONLY)) continue;
    // The baseline is measured before and after each case, because other processes slow both.
    const before = await drive(baselineServer.base);
    const { perSecond, p99 } = await drive(server.base + url, { headers, ...options });
    const after = await drive(baselineServer.base);
    const baseline = (before.perSecond + after.perSecond) / 2;
    const ratio = Math.round((perSecond / baseline) * 60000);
    const figures = [Math.round(baseline), Math.round(perSecond), p99, ratio, targets[name]];
    console.log(`| ${name} | ${figures.join(' | ')} |`);
  }
  console.log(`memory after load: ${server.memory().toFixed(0)} MiB (bare Fastify ${bareMemory.toFixed(0)} MiB)\n`);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
await baselineServer.stop();
