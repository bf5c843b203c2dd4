import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { Counters } from '../core/counters.ts';
import { LogOutput } from '../core/log-output.ts';
import { lockDataFolder } from '../settings/data-folder-lock.ts';
import type { Settings } from '../settings/settings.ts';
import { readSettings, settingWarnings } from '../settings/settings.ts';
import { assertDatabaseKept, CommandError, print, withDatabase, withDiskMessage } from './terminal.ts';

/** Time that a stop may take, in ms. */
const stopTimeout = 10_000;

/** Time in which the same signal does not count again, in ms: npm forwards the SIGINT that the terminal sends to the whole process group. */
const echoWindow = 300;

/** Resolves at the first signal to stop, which starts the timeout; a second signal exits immediately. */
function stopSignal(logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    let first: { signal: NodeJS.Signals; at: number } | null = null;
    const onSignal = (signal: NodeJS.Signals) => {
      if (first && first.signal === signal && performance.now() - first.at < echoWindow) return;
      if (first) process.exit(signal === 'SIGINT' ? 130 : 143);
      first = { signal, at: performance.now() };
      logger.info({ signal }, 'stopping');
      setTimeout(() => {
        logger.error({ ms: stopTimeout }, 'the stop timed out');
        process.exit(1);
      }, stopTimeout).unref();
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

async function serve(settings: Settings): Promise<void> {
  const lock = lockDataFolder(settings.DATA_DIR);
  try {
    const { pino } = await import('pino');
    const counters = new Counters();
    const output = new LogOutput({
      onDrop: () => counters.add('log_lines_dropped'),
      onRecovery: (lines) => logger.warn({ lines }, 'lines of the log were dropped because they could not be written'),
    });
    const logger: Logger = pino(
      { level: settings.LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime },
      output,
    );
    const { hookWarning, inactivityWarning, tlsWarning } = await import('../doctor.ts');
    const warnings = [tlsWarning(settings), hookWarning(settings), inactivityWarning(settings)];
    for (const warning of [...settingWarnings(process.env), ...warnings]) if (warning !== null) logger.warn(warning);
    const stop = stopSignal(logger);
    await assertDatabaseKept(settings);
    const { createApp } = await import('../app.ts');
    const app = await createApp(settings, { logger, counters });
    try {
      const { address, robotAddress } = await app.listen();
      const started = Math.round(performance.now());
      logger.info({ address, robotAddress, ms: started }, `ready; the address for robots is ${robotAddress}`);
      if (process.stdout.isTTY) print(`\nPotager is ready. The address for your robot: ${robotAddress}\n`);
      await stop;
    } finally {
      await app.close();
    }
    logger.info('stopped');
  } finally {
    lock.release();
  }
}

async function migrate(): Promise<void> {
  const applied = await withDatabase(({ migrated }) => migrated);
  for (const name of applied) print(`applied ${name}`);
  if (applied.length === 0) print('The database is up to date.');
}

async function createKey(): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = readSettings(process.env);
  if (DATABASE_URL !== null)
    throw new CommandError('With DATABASE_URL the key is stored in the database; the server creates it.');
  const operation = await import('../operating/key-creation.ts');
  print(`${await operation.createKey(DATA_DIR)} was created.`);
}

async function doctor(): Promise<void> {
  const settings = readSettings(process.env);
  const { pino } = await import('pino');
  const logger = pino({ level: 'silent' });
  const { runChecks } = await import('../doctor.ts');
  const checks = await runChecks(settings, logger);
  print('ok    settings');
  for (const warning of settingWarnings(process.env)) print(`note  settings: ${warning}`);
  for (const { name, ok, message, isWarning } of checks)
    print(`${isWarning ? 'note' : ok ? 'ok  ' : 'FAIL'}  ${name}: ${message}`);
  if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
}

/** Prints the OpenAPI document, which follows from the routes. Composing them needs a database, so a temporary one is used. */
async function openapi(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'potager-openapi-'));
  try {
    const settings = { ...readSettings({}), DATA_DIR: folder };
    const { createApp } = await import('../app.ts');
    const { pino } = await import('pino');
    const app = await createApp(settings, { logger: pino({ level: 'silent' }) });
    print(JSON.stringify(app.openapi(), null, 2));
    await app.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds the commands that run, migrate and check the server. */
export function addServerCommands(program: Command): void {
  program
    .command('serve')
    .description('run the server (default)')
    .action(async () => {
      const settings = readSettings(process.env);
      await serve(settings).catch((error: unknown) => {
        throw withDiskMessage(error, settings);
      });
      // Open connections must not keep the process alive.
      process.exit();
    });
  program.command('migrate').description('migrate the database to the latest schema').action(migrate);
  program
    .command('create-key')
    .description('create the key that signs tokens, if it was lost: users must sign in again')
    .action(createKey);
  program
    .command('doctor')
    .description('check the settings, the database, the broker and the mail server')
    .action(doctor);
  program.command('openapi').description('print the OpenAPI document of the API').action(openapi);
}
