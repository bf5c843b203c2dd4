// Starts the built server and stops it at a random moment, many times: `node scripts/start-and-stop.mjs [COUNT]`.
// Exits with 1 if a process ends in an unexpected way.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = resolve(import.meta.dirname, '../dist/main.js');
const count = Number(process.argv[2] ?? 20);

/** A stop is a clean exit, a second signal's exit code, or the signal itself before the server handles it. */
const expected = new Set(['exit code 0', 'exit code 130', 'exit code 143', 'SIGINT', 'SIGTERM']);

/** Starts the server in `folder`, stops it after `delay` ms (when it is ready if null), and returns its end. */
async function startAndStop(folder, delay, signals) {
  const env = { PATH: process.env.PATH, DATA_DIR: folder, HOST: '127.0.0.1', PORT: '0', MQTT_PORT: '0' };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const ready = new Promise((settle) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (text.includes('"ready;')) settle();
      });
  });
  const closed = once(child, 'close');
  await (delay === null ? ready : Promise.race([sleep(delay), closed]));
  for (const [index, signal] of signals.entries()) {
    if (index > 0) await Promise.race([sleep(Math.random() * 100), closed]);
    child.kill(signal);
  }
  const [code, signal] = await closed;
  return { end: signal ?? `exit code ${code}`, output };
}

let folder = mkdtempSync(join(tmpdir(), 'potager-start-and-stop-'));
const ends = new Map();
const failures = [];
try {
  const began = performance.now();
  await startAndStop(folder, null, ['SIGTERM']);
  const duration = performance.now() - began;
  for (let index = 0; index < count; index++) {
    // Half of the starts are the first in their folder, and create the database.
    if (index % 2 === 0) {
      rmSync(folder, { recursive: true, force: true });
      folder = mkdtempSync(join(tmpdir(), 'potager-start-and-stop-'));
    }
    const delay = Math.random() * duration * 1.2;
    // Every third server gets two different signals: the second ends it immediately.
    const signals = index % 3 === 0 ? ['SIGTERM', 'SIGINT'] : ['SIGTERM'];
    const { end, output } = await startAndStop(folder, delay, signals);
    ends.set(end, (ends.get(end) ?? 0) + 1);
    if (!expected.has(end)) failures.push(`${end} after ${Math.round(delay)} ms:\n${output}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
const summary = [...ends].map(([end, times]) => `${times} × ${end}`).join(', ');
console.log(`Node ${process.versions.node}: ${count} starts and stops, ${failures.length} failed (${summary}).`);
process.exitCode = failures.length === 0 ? 0 : 1;
