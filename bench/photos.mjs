// Measures photos on the built server: uploads and processed photos per second, memory, and the latency of other requests.
//   npm run bench:photos
// PHOTOS (200) of each kind, CONNECTIONS (20) concurrent robots
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signUp } from './gardens.mjs';
import { quantile } from './load-tools.mjs';
import { picture, send } from './photo-uploads.mjs';
import { json, start } from './server-process.mjs';

const photos = Number(process.env.PHOTOS ?? 200);
const connections = Number(process.env.CONNECTIONS ?? 20);

/** Pictures of robot cameras, and the largest of phones. */
const kinds = [
  { name: '640 × 480', width: 640, height: 480, count: photos },
  { name: '2592 × 1944', width: 2592, height: 1944, count: Math.ceil(photos / 4) },
  { name: '8000 × 6000, on its side', width: 8000, height: 6000, count: Math.ceil(photos / 20), isTurned: true },
];

async function measure(kind) {
  const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  const settings = { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' };
  const server = await start('server.mjs', { ...settings, DATA_DIR: folder });
  const { base } = server;
  const { token } = await signUp(base);
  const bytes = await picture(kind);
  const idle = server.memory();
  let peak = idle;
  let isOver = false;
  const memoryMeasurement = (async () => {
    for (; !isOver; await sleep(20)) peak = Math.max(peak, server.memory());
  })();
  const waits = [];
  const latencyMeasurement = (async () => {
    for (; !isOver; await sleep(20)) {
      const began = performance.now();
      await json(base, 'GET', '/api/device', token);
      waits.push(performance.now() - began);
    }
  })();
  const began = performance.now();
  let remaining = kind.count;
  let last = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (remaining-- > 0) last = Math.max(last, await send(base, token, bytes));
    }),
  );
  const uploaded = (performance.now() - began) / 1000;
  const isDone = async () => {
    const images = await json(base, 'GET', '/api/images', token);
    return images.every(({ attachment_processed_at }) => attachment_processed_at !== null);
  };
  while (!(await isDone())) await sleep(50);
  const done = (performance.now() - began) / 1000;
  isOver = true;
  await Promise.all([memoryMeasurement, latencyMeasurement]);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  const row = [
    (bytes.length / 1024).toFixed(0),
    kind.count,
    (kind.count / uploaded).toFixed(1),
    (kind.count / done).toFixed(1),
    idle.toFixed(0),
    peak.toFixed(0),
    quantile(waits, 0.5).toFixed(1),
    quantile(waits, 0.99).toFixed(1),
  ];
  console.log(`| ${kind.name} | ${row.join(' | ')} |`);
}

console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${connections} concurrent uploads, SQLite, photos in a folder\n`,
);
console.log(
  '| photo | KiB | photos | uploaded/s | finished/s | idle MiB | peak MiB | other requests p50 ms | p99 ms |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|',
);
for (const kind of kinds) await measure(kind);
