// Measures backups: a data folder with photos (random bytes, which do not compress) is backed up while its server runs, and
// restored; compared with a plain copy of the folder, also synced to the disk.
//   npm run bench:backup
// MEGABYTES (1000), FOLDER (default: the temporary folder), which needs three times as much space
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { start } from './server-process.mjs';

const megabytes = Number(process.env.MEGABYTES ?? 1000);
const program = resolve(import.meta.dirname, '../dist/main.js');
const root = mkdtempSync(join(process.env.FOLDER ?? tmpdir(), 'potager-bench-backup-'));
const data = join(root, 'data');

/** Bytes of the files of one photo: the full size, and the five smaller ones together. */
const sizes = [1_600_000, 600_000];

const highest = (child) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Runs a process; returns its time in s and its peak memory in MiB. */
function timed(command, words, environment = {}) {
  const began = performance.now();
  let memory = 0;
  const child = spawn(command, words, {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const watch = setInterval(() => {
    try {
      memory = Math.max(memory, highest(child));
    } catch {
      // The process has ended.
    }
  }, 10);
  return new Promise((done, reject) => {
    child.once('exit', (code) => {
      clearInterval(watch);
      if (code !== 0) reject(new Error(`${command} ${words.join(' ')} ended with ${code}`));
      else done({ seconds: (performance.now() - began) / 1000, memory });
    });
  });
}

function takePhotos() {
  const count = Math.ceil((megabytes * 1e6) / sizes.reduce((sum, size) => sum + size));
  for (let i = 0; i < count; i++) {
    const folder = join(data, 'photos/1/photos', randomBytes(16).toString('hex'));
    mkdirSync(folder, { recursive: true });
    for (const [index, size] of sizes.entries()) writeFileSync(join(folder, `${index}.jpg`), randomBytes(size));
  }
  spawnSync('sync', ['-f', root]);
  return count * sizes.length;
}

const copied = () => timed('sh', ['-c', `cp -r "${data}" "${join(root, 'copy')}" && sync -f "${root}"`]);
const potager = (words, folder) => timed(process.execPath, [program, ...words], { DATA_DIR: folder });

try {
  const server = await start('server.mjs', { DATA_DIR: data });
  const files = takePhotos();
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}`);
  console.log(`${files} files, ${megabytes} MB\n`);
  const rates = [];
  const print = (name, { seconds, memory }) =>
    console.log(
      `${name.padEnd(18)}${seconds.toFixed(1).padStart(6)} s  ${(megabytes / seconds).toFixed(0).padStart(5)} MB/s  ${memory.toFixed(0).padStart(4)} MiB at most`,
    );
  for (let round = 0; round < 2; round++) {
    const plain = await copied();
    rmSync(join(root, 'copy'), { recursive: true });
    const archive = join(root, 'back-up.tar');
    const backup = await potager(['backup', archive], data);
    const restored = await potager(['restore', archive], join(root, 'restored'));
    print('cp -r', plain);
    print('potager backup', backup);
    print('potager restore', restored);
    const size = statSync(archive).size / 1e6;
    rates.push([plain.seconds / backup.seconds, plain.seconds / restored.seconds]);
    console.log(
      `archive of ${size.toFixed(0)} MB; back-up at ${rates.at(-1)[0].toFixed(2)}, restoration at ${rates.at(-1)[1].toFixed(2)} of the speed of cp\n`,
    );
    rmSync(join(root, 'restored'), { recursive: true });
    rmSync(archive);
  }
  await server.stop();
} finally {
  rmSync(root, { recursive: true, force: true });
}
