import { isUtf8 } from 'node:buffer';
import { createReadStream, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { pino } from 'pino';
import type { App } from './app.ts';
import { Failure } from './core/errors.ts';
import { addRobotCommand } from './robot/robot-command.ts';
import { DataFolderInUse, lockDataFolder } from './settings/data-folder-lock.ts';
import type { Settings } from './settings/settings.ts';
import { readSettings, SettingsError, settingWarnings } from './settings/settings.ts';

/** Why a command was not carried out, in words for its user. */
class Refusal extends Error {}

/** Milliseconds that a stop may take. */
const stopTime = 10_000;

/** npm passes on a Ctrl+C that the terminal has sent to everybody already: within this many ms the same signal is no second one. */
const echoTime = 300;

const longestPassword = 1024;

/** Bytes of a program in a file: more than a server takes. */
const longestProgram = 4 * 1024 * 1024;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Text from the database, harmless to a terminal. */
const plain = (value: string | number): string => String(value).replaceAll(/\p{Cc}/gu, '\ufffd');

/** Resolves at the first signal to stop. From then on time is limited; a second signal ends the process at once. */
function stopSignal(logger: pino.Logger): Promise<void> {
  return new Promise((resolve) => {
    let first: { signal: NodeJS.Signals; at: number } | null = null;
    const onSignal = (signal: NodeJS.Signals) => {
      if (first && first.signal === signal && performance.now() - first.at < echoTime) return;
      if (first) process.exit(signal === 'SIGINT' ? 130 : 143);
      first = { signal, at: performance.now() };
      logger.info({ signal }, 'stopping');
      setTimeout(() => {
        logger.error({ ms: stopTime }, 'the stop took too long');
        process.exit(1);
      }, stopTime).unref();
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

async function serve(settings: Settings): Promise<void> {
  const lock = lockDataFolder(settings.DATA_DIR);
  try {
    const logger = pino({ level: settings.LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime });
    const { tlsWarning } = await import('./doctor.ts');
    const unencrypted = tlsWarning(settings);
    for (const warning of [...settingWarnings(process.env), ...(unencrypted ? [unencrypted] : [])])
      logger.warn(warning);
    const stop = stopSignal(logger);
    const { createApp } = await import('./app.ts');
    const app = await createApp(settings, { logger });
    try {
      const { address, robotAddress } = await app.listen();
      const started = Math.round(performance.now());
      logger.info({ address, robotAddress, ms: started }, `ready; the address to give a robot is ${robotAddress}`);
      if (process.stdout.isTTY) print(`\nPotager is ready. Give your robot this address: ${robotAddress}\n`);
      await stop;
    } finally {
      await app.close();
    }
    logger.info('stopped');
  } finally {
    lock.release();
  }
}

/** Lets a command use the server's insides, without serving. Logs go to the standard error: the output is the command's. */
async function withApp<T>(work: (app: App) => Promise<T> | T): Promise<T> {
  const settings = readSettings(process.env);
  const level = settings.LOG_LEVEL === 'info' ? 'warn' : settings.LOG_LEVEL;
  const logger = pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  const { createApp } = await import('./app.ts');
  const app = await createApp(settings, { logger, isCommand: true });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

async function migrate(): Promise<void> {
  const applied = await withApp((app) => app.migrated);
  for (const name of applied) print(`applied ${name}`);
  if (applied.length === 0) print('The database is up to date.');
}

async function doctor(): Promise<void> {
  const settings = readSettings(process.env);
  const logger = pino({ level: 'silent' });
  const { examine } = await import('./doctor.ts');
  const checks = await examine(settings, logger);
  print('ok    settings');
  for (const warning of settingWarnings(process.env)) print(`note  settings: ${warning}`);
  for (const { name, ok, message } of checks) print(`${ok ? 'ok  ' : 'FAIL'}  ${name}: ${message}`);
  if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
}

/** The document follows from the routes; composing them wants a database, so a passing one is made. */
async function openapi(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'potager-openapi-'));
  try {
    const settings = { ...readSettings({}), DATA_DIR: folder };
    const { createApp } = await import('./app.ts');
    const app = await createApp(settings, { logger: pino({ level: 'silent' }) });
    print(JSON.stringify(app.openapi(), null, 2));
    await app.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A line that is typed unseen. */
function typedPassword(): Promise<string> {
  process.stderr.write('Password: ');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  return new Promise<string>((resolve, reject) => {
    reader.once('line', resolve);
    // Ctrl+C and Ctrl+D.
    reader.once('SIGINT', () => reader.close());
    reader.once('close', () => reject(new Refusal('No password was given.')));
  }).finally(() => {
    reader.close();
    process.stderr.write('\n');
  });
}

/** Everything of a stream. Throws what `tooLong` says when it is more than so many bytes. */
async function bytesOf(stream: AsyncIterable<Buffer>, most: number, tooLong: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part);
    size += part.length;
    if (size > most) throw new Refusal(tooLong);
  }
  return Buffer.concat(parts);
}

async function pipedPassword(): Promise<string> {
  const bytes = await bytesOf(process.stdin, longestPassword, 'The password is too long.');
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}

async function passwordFrom(given: string | undefined): Promise<string> {
  const password = given ?? (await (process.stdin.isTTY ? typedPassword() : pipedPassword()));
  if (password === '') throw new Refusal('No password was given: type it, pipe it in, or use --password.');
  return password;
}

async function createUser(email: string, options: { name?: string; password?: string }): Promise<void> {
  const password = await passwordFrom(options.password);
  const name = options.name ?? email.replace(/@.*$/, '');
  const { id } = await withApp((app) => app.users.create(email, name, password));
  print(`Made user ${id}: ${plain(email)}`);
}

async function listUsers(): Promise<void> {
  const users = await withApp((app) => app.users.list());
  const rows = users.map((user) => [user.id, user.device_id, user.confirmed ? 'yes' : 'no', user.email, user.name]);
  for (const row of [['id', 'device', 'confirmed', 'email', 'name'], ...rows]) print(row.map(plain).join('\t'));
}

async function resetPassword(email: string, options: { password?: string }): Promise<void> {
  const password = await passwordFrom(options.password);
  const isKnown = await withApp((app) => app.users.resetPassword(email, password));
  if (!isKnown) throw new Refusal(`There is no user with the address ${plain(email)}.`);
  print(`Changed the password of ${plain(email)}.`);
}

async function programBytes(file: string): Promise<Buffer> {
  const tooLong = `A program may have at most ${longestProgram / 1024 / 1024} MiB.`;
  if (file === '-') return bytesOf(process.stdin, longestProgram, tooLong);
  try {
    return await bytesOf(createReadStream(file), longestProgram, tooLong);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new Refusal(`${plain(file)} cannot be read (${String(error.code)}).`);
  }
}

/** Why bytes are no JSON that a server takes, as far as the language tells. */
function jsonFlaw(bytes: Buffer): string {
  if (!isUtf8(bytes)) return 'it is not in UTF-8';
  try {
    JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return plain(error.message);
  }
  return 'it is nested too deeply';
}

async function checkProgram(file: string): Promise<void> {
  const bytes = await programBytes(file);
  if (bytes.toString('utf8').trim() === '')
    throw new Refusal(`${file === '-' ? 'The standard input' : plain(file)} is empty.`);
  const { checkFile } = await import('./app.ts');
  const found = checkFile(bytes);
  if (found === 'malformed') throw new Refusal(`This is no JSON: ${jsonFlaw(bytes)}.`);
  const { problems, steps, named, hint } = found;
  for (const { path, message } of problems) print(path === '' ? plain(message) : `${plain(path)}: ${plain(message)}`);
  if (problems.length > 0) process.exitCode = 1;
  else {
    const unchecked = named > 0 ? ' Whether the records that it names are there was not checked.' : '';
    print(`No problems in ${steps} ${steps === 1 ? 'step' : 'steps'}.${unchecked}`);
  }
  if (hint) print(hint);
}

interface LimitOptions {
  readonly steps?: number;
  readonly sequences?: number;
  readonly logs?: number;
  readonly photos?: number;
}

async function setLimits(email: string, limits: LimitOptions): Promise<void> {
  const changed = Object.entries(limits).map(([name, value]) => `${name} ${value}`);
  if (changed.length === 0) throw new Refusal('Say which limit: --steps, --sequences, --logs or --photos.');
  const isKnown = await withApp((app) => app.devices.setLimits(email, limits));
  if (!isKnown) throw new Refusal(`There is no user with the address ${plain(email)}.`);
  print(`Changed the limits of ${plain(email)}: ${changed.join(', ')}.`);
}

async function publishSequence(id: number, { copyright }: { copyright?: string }): Promise<void> {
  const isKnown = await withApp((app) => app.sequences.publish(id, copyright));
  if (!isKnown) throw new Refusal(`There is no sequence ${id}.`);
  print(`Published sequence ${id}.`);
}

const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return value;
  };

function version(): string {
  const content: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return content instanceof Object && 'version' in content ? String(content.version) : 'unknown';
}

function commandLine(): Command {
  const program = new Command('potager')
    .description("The server a garden robot's owner runs. Settings are environment variables: see docs/settings.md.")
    .version(version());
  program
    .command('serve')
    .description('serve robots and people until stopped (default)')
    .action(async () => {
      await serve(readSettings(process.env));
      // What clients keep open must not keep the process.
      process.exit();
    });
  program.command('migrate').description('bring the database to the form that this version needs').action(migrate);
  program.command('doctor').description('check the settings and what they lead to').action(doctor);
  program.command('openapi').description('print the description of the API as JSON').action(openapi);

  program
    .command('check')
    .description('check a program of the robot in a file, without a server')
    .argument('<file>', 'JSON: a sequence, {args, body}, or a list of steps; - is the standard input')
    .action(checkProgram);

  addRobotCommand(program, { askPassword: () => passwordFrom(undefined), print });

  const password = ['--password <password>', 'asked for, or read from the standard input, when left out'] as const;
  const user = program.command('user').description('look after accounts');
  user
    .command('create')
    .description('make an account that can sign in at once')
    .argument('<email>')
    .option('--name <name>', 'the name of its owner (default: the first part of the e-mail address)')
    .option(...password)
    .action(createUser);
  user.command('list').description('list all accounts').action(listUsers);
  user
    .command('reset-password')
    .description('give an account a new password and sign it out everywhere')
    .argument('<email>')
    .option(...password)
    .action(resetPassword);

  const device = program.command('device').description('look after robots');
  device
    .command('set-limits')
    .description('change how much the robot of an account may hold')
    .argument('<email>')
    .option('--steps <number>', 'steps of a sequence (0: as many as everybody)', wholeNumber(0, 10_000))
    .option('--sequences <number>', 'sequences (0: as many as everybody)', wholeNumber(0, 100_000))
    .option('--logs <number>', 'logs that are kept', wholeNumber(1, 1_000_000))
    .option('--photos <number>', 'photos that are listed', wholeNumber(1, 1_000_000))
    .action(setLimits);

  const sequence = program.command('sequence').description('look after programs');
  sequence
    .command('publish')
    .description('share a sequence with everybody, also with steps that people may not share themselves')
    .argument('<id>', 'the number of the sequence', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option('--copyright <text>', 'the licence (default: the one that it has, or its owner as its author)')
    .action(publishSequence);
  return program;
}

/** The sentences for a failure; its stack only for those who ask for details. */
function explained(error: unknown): string {
  if (error instanceof SettingsError) return `Some settings are not right.\n${error.message}`;
  if (error instanceof Refusal || error instanceof DataFolderInUse) return error.message;
  if (error instanceof Failure && error.code === 'unavailable' && error.cause instanceof Error) {
    const reason = 'code' in error.cause ? String(error.cause.code) : error.cause.name;
    return `The database cannot be used (${reason}). Look at DATABASE_URL or DATA_DIR, or ask "doctor".`;
  }
  if (error instanceof Failure)
    return error.fields
      ? Object.entries(error.fields)
          .map(([field, sentence]) => `${field}: ${typeof sentence === 'string' ? sentence : JSON.stringify(sentence)}`)
          .join('\n')
      : error.message;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE')
    return `Another program listens there already. Stop it, or set PORT or MQTT_PORT. (${error.message})`;
  if (code === 'EACCES') return `The system does not allow it. (${error.message})`;
  const isDetailed = ['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '');
  return isDetailed && error.stack ? error.stack : error.message;
}

/** Carries out one command line (as in `process.argv`: the two paths, then what was typed). Sets the exit code and says why when it fails; `serve` ends the process. */
export async function run(words: readonly string[]): Promise<void> {
  // Whoever reads the output may have seen enough: `potager openapi | head`.
  process.stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
  try {
    // Not commander's default command: that one would take an unknown word for an argument of its own.
    await commandLine().parseAsync(words.length > 2 ? words : [...words, 'serve']);
  } catch (error) {
    process.stderr.write(`${explained(error)}\n`);
    process.exit(1);
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await run(process.argv);
