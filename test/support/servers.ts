import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, createMigratedDatabase, dropDatabase } from './databases.ts';
import type { Engine } from './engines.ts';
import { freePort } from './free-port.ts';
import { HttpClient } from './http-client.ts';
import { Outbox } from './outbox.ts';
import { suiteFixture } from './suite-fixture.ts';

const program = resolve(import.meta.dirname, '../../dist/main.js');
const patience = 20_000;
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** How a command of the program ended, and what it wrote. */
export interface CommandResult {
  readonly code: number | null;
  /** Standard output and error, as they came. */
  readonly output: string;
  readonly stdout: string;
}

/** The built server as a process of its own, in a folder of its own, with only the settings it is given. */
export class ServerProcess {
  readonly folder: string;
  readonly port: number;
  /** `http://127.0.0.1:<port>`. */
  readonly base: string;
  readonly env: Readonly<Record<string, string>>;
  /** `mqtt://127.0.0.1:<MQTT_PORT>`. */
  readonly mqtt: string;
  readonly dataDir: string;
  readonly outbox: Outbox;
  readonly client: HttpClient;
  #child: ChildProcess | null = null;
  #output = '';

  constructor(folder: string, port: number, env: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.port = port;
    this.base = `http://127.0.0.1:${port}`;
    this.env = { ...env, PORT: String(port) };
    this.mqtt = `mqtt://${env.HOST ?? '127.0.0.1'}:${env.MQTT_PORT ?? 1883}`;
    this.dataDir = resolve(folder, env.DATA_DIR ?? 'data');
    this.outbox = new Outbox(join(this.dataDir, 'outbox'));
    this.client = new HttpClient(this.base);
  }

  /** Everything it wrote to its standard output and error so far. */
  logs(): string {
    return this.#output;
  }

  /** Starts it and waits until it answers. Throws with its output when it ends before, or after 20 s. */
  async start(): Promise<void> {
    const child = this.#spawn(['serve'], this.env, (text) => {
      this.#output += text;
    });
    this.#child = child;
    const end = Date.now() + patience;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${this.#output}`);
      if (await this.client.get('/').catch(() => null)) return;
      if (Date.now() > end) throw new Error(`the server does not answer:\n${this.#output}`);
      await sleep(20);
    }
  }

  /** Runs another command of the program in the same folder. `env` is added to the settings, `input` is typed into it. */
  async run(words: readonly string[], env: Readonly<Record<string, string>> = {}, input = ''): Promise<CommandResult> {
    const text = { output: '', stdout: '' };
    const child = this.#spawn(words, { ...this.env, ...env }, (part, stream) => {
      text.output += part;
      if (stream === 'stdout') text.stdout += part;
    });
    // A command that reads nothing may be gone already.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    return { code: await ended(child), ...text };
  }

  /** Sends it a signal and does not wait. */
  signal(name: NodeJS.Signals): void {
    this.#running().kill(name);
  }

  /** Waits until it has ended by itself and gives its exit code. Throws when it does not end. */
  async waitForExit(): Promise<number | null> {
    const code = await ended(this.#running());
    this.#child = null;
    return code;
  }

  /** Asks it to end (SIGTERM), waits, and gives its exit code. Throws when it does not end. */
  stop(): Promise<number | null> {
    this.signal('SIGTERM');
    return this.waitForExit();
  }

  /** Ends it without warning (SIGKILL). */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.kill('SIGKILL');
    await ended(child);
    this.#child = null;
  }

  /** Stops it if it runs, and starts it on the same data. */
  async restart(): Promise<void> {
    if (this.#child) await this.stop();
    await this.start();
  }

  /** Ends it and removes its folder and its database. */
  async remove(): Promise<void> {
    await this.kill();
    this.client.close();
    await rm(this.folder, { recursive: true, force: true });
    const database = this.env.DATABASE_URL;
    if (database) await dropDatabase(database);
  }

  #running(): ChildProcess {
    if (!this.#child) throw new Error('the server does not run');
    return this.#child;
  }

  #spawn(
    words: readonly string[],
    settings: Readonly<Record<string, string>>,
    keep: (output: string, stream: 'stdout' | 'stderr') => void,
  ): ChildProcessWithoutNullStreams {
    if (!existsSync(program)) throw new Error('dist/main.js is missing: run `npm run build` first');
    // Settings of whoever runs the tests must not leak in.
    const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...settings };
    const child = spawn(process.execPath, [program, ...words], { cwd: this.folder, env, stdio: 'pipe' });
    running.add(child);
    child.on('close', () => running.delete(child));
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8');
      child[stream].on('data', (part: string) => keep(part, stream));
    }
    return child;
  }
}

/** Waits for a process to end and its output to be read. Kills it and throws after 20 s. */
async function ended(child: ChildProcess): Promise<number | null> {
  if (!running.has(child)) return child.exitCode;
  return new Promise((settle, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error('the process did not end in 20 s'));
    }, patience);
    child.once('close', (code) => {
      clearTimeout(timer);
      settle(code);
    });
  });
}

/** An empty temporary folder. */
export const createTempFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'potager-server-'));

/** The value of a port's setting for which a free port is found. */
export const anyPort = 'any';

/** The built server with an empty database, for 127.0.0.1, without a broker unless `env` has its port; not started yet. Call `remove()` at the end. */
export const prepareServer = (engine: Engine, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> =>
  prepare(env, async () => (engine === 'postgres' ? createDatabase() : null));

/** A running server whose database is migrated already; otherwise like {@link prepareServer}. */
export async function startServer(engine: Engine, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await prepare(env, (dataFolder) => createMigratedDatabase(engine, dataFolder));
  try {
    await server.start();
  } catch (error) {
    await server.remove();
    throw error;
  }
  return server;
}

/** A server of {@link startServer} for all tests of the suite. */
export const suiteServer = (engine: Engine, env?: Readonly<Record<string, string>>): ServerProcess =>
  suiteFixture(
    () => startServer(engine, env),
    (server) => server.remove(),
  );

/** `createUrl` gets the data folder and returns the URL of the PostgreSQL database, or null for SQLite. */
async function prepare(
  env: Readonly<Record<string, string>>,
  createUrl: (dataFolder: string) => Promise<string | null>,
): Promise<ServerProcess> {
  const folder = await createTempFolder();
  const url = await createUrl(join(folder, env.DATA_DIR ?? 'data'));
  const settings: Record<string, string> = {
    HOST: '127.0.0.1',
    MQTT_PORT: '0',
    ...(url !== null && { DATABASE_URL: url }),
    ...env,
  };
  for (const [name, value] of Object.entries(settings))
    if (value === anyPort) settings[name] = String(await freePort());
  return new ServerProcess(folder, await freePort(), settings);
}
