import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type CommandResult, runHosted } from './command-host.ts';
import { createDatabase, createMigratedDatabase, dropDatabase } from './databases.ts';
import type { Engine } from './engines.ts';
import { freePort } from './free-port.ts';
import { HttpClient } from './http-client.ts';
import { Outbox } from './outbox.ts';
import { isRunning, startProgram } from './started-program.ts';
import { suiteFixture } from './suite-fixture.ts';

/** The built server. */
export const program = resolve(import.meta.dirname, '../../dist/main.js');
/** Options of Node.js with which a server hashes passwords at a test's cost. */
export const cheapPasswords = ['--import', pathToFileURL(resolve(import.meta.dirname, 'password-cost.mjs')).href];
/**
 * Options of Node.js for every server and command. Each runs for seconds: V8 of Node.js 20 spends a sixth of the CPU time of
 * a start on optimizing functions, unless it only optimizes functions that run nine times as long. Later versions
 * have no such option.
 */
export const shortLived: readonly string[] = process.versions.node.startsWith('20.')
  ? ['--interrupt-budget=600000']
  : [];

/** In ms; only for a process that hangs: a busy machine can take a minute. */
const timeout = 120_000;

/** The commands that have been processes of their own on PostgreSQL in this worker. */
const ranAlone = new Set<string>();

/** The built server as a separate process with its own folder and only the given settings. */
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
  /** The program that {@link start} runs. Commands run the built server. */
  program = program;
  readonly #nodeOptions: readonly string[];
  #child: ChildProcess | null = null;
  #output = '';

  constructor(
    folder: string,
    port: number,
    env: Readonly<Record<string, string>>,
    nodeOptions: readonly string[] = [],
  ) {
    this.#nodeOptions = nodeOptions;
    this.folder = folder;
    this.port = port;
    this.base = `http://127.0.0.1:${port}`;
    this.env = { ...env, PORT: String(port) };
    this.mqtt = `mqtt://${env.HOST ?? '127.0.0.1'}:${env.MQTT_PORT ?? 1883}`;
    this.dataDir = resolve(folder, env.DATA_DIR ?? 'data');
    this.outbox = new Outbox(join(this.dataDir, 'outbox'));
    this.client = new HttpClient(this.base);
  }

  /** The process id of the running server. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Standard output and error so far. */
  logs(): string {
    return this.#output;
  }

  /** Starts the server and waits until it responds and has logged that it is ready: its broker listens after HTTP. `stdout`: a file descriptor for its log, which is not read then. Throws with its output if it exits or after {@link timeout}. */
  async start(stdout: 'pipe' | number = 'pipe'): Promise<void> {
    const earlier = this.#output.length;
    const keep = (text: string) => {
      this.#output += text;
    };
    const child = this.#spawn([...this.#nodeOptions, this.program, 'serve'], this.env, keep, stdout);
    this.#child = child;
    const isReady = () =>
      this.env.LOG_LEVEL !== undefined || stdout !== 'pipe' || this.#output.includes('"msg":"ready; ', earlier);
    const deadline = Date.now() + timeout;
    for (;;) {
      const end = child.exitCode ?? child.signalCode;
      if (end !== null) throw new Error(`the server exited with ${end}:\n${this.#output}`);
      if ((await this.client.get('/').catch(() => null)) && isReady()) return;
      if (Date.now() > deadline) throw new Error(`the server does not respond:\n${this.#output}`);
      await sleep(20);
    }
  }

  /**
   * Runs a command in the same folder. `env` is added to the settings; `input` is its standard input. Where it could leave a
   * connection open, on PostgreSQL, each command is a process of its own once a worker, and must end; the others share a process.
   */
  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}, input = ''): Promise<CommandResult> {
    const settings = { ...this.env, ...env };
    const [command = 'serve', subject = ''] = args;
    const isFirst = settings.DATABASE_URL !== undefined && !ranAlone.has(`${command} ${subject}`);
    if (isFirst) ranAlone.add(`${command} ${subject}`);
    if (isFirst || command === 'serve' || settings.NODE_OPTIONS !== undefined) return this.runAlone(args, env, input);
    return runHosted({ program, words: args, folder: this.folder, env: environmentOf(settings), input });
  }

  /** Like {@link run}, always as a process of its own. */
  async runAlone(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    input = '',
  ): Promise<CommandResult> {
    const text = { output: '', stdout: '' };
    const child = this.#spawn([program, ...args], { ...this.env, ...env }, (part, stream) => {
      text.output += part;
      if (stream === 'stdout') text.stdout += part;
    });
    // A command that reads nothing may have exited.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    return { code: await exited(child), ...text };
  }

  /** Sends a signal without waiting. */
  signal(name: NodeJS.Signals): void {
    this.#running().kill(name);
  }

  /** Waits for the exit and returns the exit code. Throws after {@link timeout}. */
  async waitForExit(): Promise<number | null> {
    const code = await exited(this.#running());
    this.#child = null;
    return code;
  }

  /** Stops the server with SIGTERM and returns its exit code. Throws after {@link timeout}. */
  stop(): Promise<number | null> {
    this.signal('SIGTERM');
    return this.waitForExit();
  }

  /** Kills the server with SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.kill('SIGKILL');
    await exited(child);
    this.#child = null;
  }

  /** Stops the server if it runs, and starts it on the same data. */
  async restart(): Promise<void> {
    if (this.#child) await this.stop();
    await this.start();
  }

  /** Kills the server and removes its folder and its database. */
  async remove(): Promise<void> {
    await this.kill();
    this.client.close();
    await rm(this.folder, { recursive: true, force: true });
    const database = this.env.DATABASE_URL;
    if (database) await dropDatabase(database);
  }

  #running(): ChildProcess {
    if (!this.#child) throw new Error('the server is not running');
    return this.#child;
  }

  #spawn(
    args: readonly string[],
    settings: Readonly<Record<string, string>>,
    keep: (output: string, stream: 'stdout' | 'stderr') => void,
    stdout: 'pipe' | number = 'pipe',
  ): ChildProcess {
    if (!existsSync(program)) throw new Error('dist/main.js is missing: run `npm run build` first');
    const env = environmentOf(settings);
    const words = [...shortLived, ...args];
    return startProgram(process.execPath, words, { cwd: this.folder, env, stdio: ['pipe', stdout, 'pipe'] }, keep);
  }
}

/** Returns the environment of a process: settings of the test run must not leak in. */
const environmentOf = (settings: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  ...settings,
});

/** Waits until a process has exited and its output is read. Kills it and throws after {@link timeout}. */
async function exited(child: ChildProcess): Promise<number | null> {
  if (!isRunning(child)) return child.exitCode;
  return new Promise((settle, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error('the process did not exit within two minutes'));
    }, timeout);
    child.once('close', (code) => {
      clearTimeout(timer);
      settle(code);
    });
  });
}

/** Creates an empty temporary folder. */
export const createTempFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'potager-server-'));

/** A value of port settings that is replaced by a free port. */
export const anyPort = 'any';

/** The built server with an empty database, for 127.0.0.1, without a broker unless `env` has its port; not started yet. Call `remove()` at the end. */
export const prepareServer = (engine: Engine, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> =>
  prepare(env, async () => (engine === 'postgres' ? createDatabase() : null));

/** Like {@link prepareServer}, but with a key and a migrated database, which a first start takes as long to make as for the rest. */
export const prepareMigratedServer = (
  engine: Engine,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> => prepare(env, (dataFolder) => createMigratedDatabase(engine, dataFolder));

/** A running server of {@link prepareMigratedServer}. */
export async function startServer(engine: Engine, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await prepareMigratedServer(engine, env);
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

const shared = new Map<string, Promise<ServerProcess>>();

/** A server of {@link startServer} that all suites of a worker with the same settings share, because a start costs as much as many requests. It ends with the worker. */
export const sharedServer = (engine: Engine, env: Readonly<Record<string, string>> = {}): ServerProcess => {
  const key = `${engine} ${JSON.stringify(env)}`;
  return suiteFixture(() => {
    const server = shared.get(key) ?? startServer(engine, env);
    shared.set(key, server);
    server.catch(() => shared.delete(key));
    return server;
  });
};

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
    // As with a mail server: tests follow the links in the outbox.
    EMAIL_VERIFICATION: 'required',
    ...(url !== null && { DATABASE_URL: url }),
    ...env,
  };
  for (const [name, value] of Object.entries(settings))
    if (value === anyPort) settings[name] = String(await freePort());
  const port = settings.PORT ? Number(settings.PORT) : await freePort();
  return new ServerProcess(folder, port, settings, cheapPasswords);
}
