import { execFile, execFileSync } from 'node:child_process';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../support/free-port.ts';

const run = promisify(execFile);
const programs = '/usr/lib/postgresql/15/bin';

/** A cluster of Debian's PostgreSQL 15 in a temporary folder. As root it runs under the user `postgres`, since it refuses root. */
export class DebianPostgres {
  readonly folder: string;
  /** The URL without a database. */
  readonly server: string;
  readonly #options: string;

  private constructor(folder: string, port: number, isDurable: boolean) {
    this.folder = folder;
    this.server = `postgres://postgres@127.0.0.1:${port}`;
    const fsync = isDurable ? '' : ' -c fsync=off';
    this.#options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${fsync}`;
  }

  /** `isDurable`: with `fsync`. */
  static async start(isDurable = false): Promise<DebianPostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'potager-postgresql-15-'));
    const cluster = new DebianPostgres(folder, await freePort(), isDurable);
    const { uid, gid } = owner();
    await chown(folder, uid, gid);
    await cluster.run('initdb', [
      '-D',
      cluster.#data,
      '-A',
      'trust',
      '-U',
      'postgres',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ]);
    await cluster.restart();
    return cluster;
  }

  get #data(): string {
    return join(this.folder, 'data');
  }

  /** Starts the stopped or killed server. */
  async restart(): Promise<void> {
    await this.run('pg_ctl', ['-D', this.#data, '-o', this.#options, '-l', join(this.folder, 'log'), '-w', 'start']);
  }

  /** Returns the id of the main process. */
  async pid(): Promise<number> {
    return Number.parseInt(await readFile(join(this.#data, 'postmaster.pid'), 'utf8'), 10);
  }

  /** Runs one of PostgreSQL's programs and returns its output. Throws if it fails. */
  async run(program: string, words: readonly string[]): Promise<string> {
    const { stdout } = await run(join(programs, program), words, { cwd: this.folder, ...owner() });
    return stdout;
  }

  /** Creates an empty database and returns its URL. */
  async createDatabase(name: string): Promise<string> {
    await this.query('postgres', `create database ${name}`);
    return `${this.server}/${name}`;
  }

  async query(database: string, sql: string): Promise<readonly unknown[]> {
    const client = new pg.Client({ connectionString: `${this.server}/${database}` });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await this.run('pg_ctl', ['-D', this.#data, '-m', 'immediate', '-w', 'stop']);
    await rm(this.folder, { recursive: true });
  }
}

/** Returns the user and group that PostgreSQL runs as. */
function owner(): { uid: number; gid: number } {
  if (process.getuid?.() !== 0) return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  const id = (option: string): number => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
