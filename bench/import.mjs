// Measures imports of a garden with 1,000 points and 200 sequences, as the number of responses of the baseline, a bare Fastify, in the
// same time, and the latency of other requests during the imports.
//   npm run bench:import         SQLite, and PostgreSQL when BENCH_DATABASE_URL names an empty database
// TIMES (5), SECONDS (5), CONNECTIONS (32)
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setLimits, signUp } from './gardens.mjs';
import { connections, drive, seconds, start } from './server-process.mjs';

const times = Number(process.env.TIMES ?? 5);
const counts = { points: 1000, sequences: 200 };

/** Maximum time of an import in baseline responses, and maximum latency of other requests in ms. */
const targets = { responses: 40_000, latency: 150 };

const time = '2025-01-02T03:04:05.678Z';
const standard = (id) => ({ id, created_at: time, updated_at: time });
const node = (kind, args = {}, body) => ({ kind, args, ...(body && { body }) });
const coordinate = (x) => node('coordinate', { x, y: 2.5, z: 0 });

const steps = (n) => [
  node('move_absolute', { location: node('tool', { tool_id: 1 + (n % 10) }), offset: coordinate(n), speed: 100 }),
  node('move_absolute', {
    location: node('point', { pointer_type: 'Plant', pointer_id: 1 + (n % counts.points) }),
    offset: coordinate(0),
    speed: 100,
  }),
  node('write_pin', {
    pin_number: node('named_pin', { pin_type: 'Peripheral', pin_id: 1 }),
    pin_value: 1,
    pin_mode: 0,
  }),
  node('wait', { milliseconds: n }),
  node('execute', { sequence_id: 1 + ((n + 1) % counts.sequences) }),
  node('send_message', { message: `Sequence ${n}`, message_type: 'info' }, [
    node('channel', { channel_name: 'toast' }),
  ]),
];

const many = (count, make) => Array.from({ length: count }, (_, n) => ({ ...standard(n + 1), ...make(n) }));

/** The document of a garden. */
function garden() {
  const lists =
    'farm_events farmware_installations folders images logs pin_bindings plant_templates regimens saved_gardens sensor_readings sensors webcam_feeds farmware_envs';
  return {
    export_created_at: '2026-01-01T00:00:00.000+00:00',
    server_url: '//127.0.0.1:3000',
    database_schema: 20260101000000,
    ...Object.fromEntries(lists.split(' ').map((key) => [key, []])),
    fbos_config: {},
    firmware_config: {},
    web_app_config: {},
    device: { ...standard(1), name: 'Bench' },
    tools: many(10, (n) => ({ name: `Tool ${n}` })),
    peripherals: many(1, () => ({ label: 'Pump', pin: 8 })),
    points: many(counts.points, (n) => ({
      name: `Plant ${n}`,
      pointer_type: 'Plant',
      meta: { row: String(n % 30) },
      x: n,
      y: n / 3,
      z: 0,
      openfarm_slug: 'carrot',
      plant_stage: 'planted',
      planted_at: time,
      radius: 25,
      depth: 5,
    })),
    point_groups: many(10, (n) => ({
      name: `Group ${n}`,
      sort_type: 'nn',
      point_ids: Array.from({ length: 100 }, (_, i) => n * 100 + i + 1),
    })),
    sequences: many(counts.sequences, (n) => ({
      name: `Sequence ${n}`,
      color: 'gray',
      pinned: false,
      folder_id: null,
      args: { version: 20180209, locals: node('scope_declaration') },
      body: Array.from({ length: 4 }, () => steps(n)).flat(),
    })),
  };
}

/** Sends small requests until stopped; returns the maximum latency in ms. */
function measureLatency(base) {
  let isOver = false;
  const latency = (async () => {
    let max = 0;
    while (!isOver) {
      const began = performance.now();
      await (await fetch(`${base}/api/global_config`, { headers: { 'user-agent': 'bench' } })).text();
      max = Math.max(max, performance.now() - began);
    }
    return max;
  })();
  return {
    stop: () => {
      isOver = true;
      return latency;
    },
  };
}

const baselineServer = await start('baseline.mjs', {});
console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${connections} connections, ${seconds} s each\n`,
);
console.log(
  '| database | baseline/s | import ms | baseline responses in that time | target | maximum latency of others ms | target |\n|---|---:|---:|---:|---:|---:|---:|',
);
const engines = [
  ['SQLite', {}],
  ...(process.env.BENCH_DATABASE_URL ? [['PostgreSQL', { DATABASE_URL: process.env.BENCH_DATABASE_URL }]] : []),
];
const document = JSON.stringify(garden());
for (const [engine, database] of engines) {
  const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  const environment = { DATA_DIR: folder, EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', EVENTS: 'on', ...database };
  const server = await start('server.mjs', environment);
  const before = await drive(baselineServer.base);
  const durations = [];
  const waits = [];
  for (let i = 0; i < times; i++) {
    const { email, token } = await signUp(server.base);
    setLimits(email, ['--sequences', '100000'], environment);
    const requests = measureLatency(server.base);
    const began = performance.now();
    const response = await fetch(`${server.base}/api/import`, {
      method: 'POST',
      headers: { authorization: token, 'user-agent': 'bench' },
      body: document,
    });
    const report = await response.json();
    durations.push(performance.now() - began);
    waits.push(await requests.stop());
    if (!report.ok || report.taken.sequences !== counts.sequences || report.taken.points !== counts.points)
      throw new Error(`the import failed: ${response.status} ${JSON.stringify(report).slice(0, 500)}`);
  }
  const after = await drive(baselineServer.base);
  const baseline = (before.perSecond + after.perSecond) / 2;
  // Warm-up.
  const median = (values) =>
    [...values.slice(1)].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? values[0];
  const ms = median(durations);
  const figures = [
    Math.round(baseline),
    Math.round(ms),
    Math.round((ms / 1000) * baseline),
    targets.responses,
    Math.round(median(waits)),
    targets.latency,
  ];
  console.log(`| ${engine} | ${figures.join(' | ')} |`);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
await baselineServer.stop();
