import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { Counters } from '../core/counters.ts';
import { lockDataFolder } from '../settings/data-folder-lock.ts';
import type { Settings } from '../settings/settings.ts';
import { readSettings, settingWarnings } from '../settings/settings.ts';
import { assertDatabaseKept, withDatabase, withSettingMessage } from './database-session.ts';
import { withExamples } from './examples.ts';
import type { ListOptions } from './listing.ts';
import { Listing } from './listing.ts';
import { openServerLog } from './server-log.ts';
import { addSettingFlags, commandEnvironment, commandSettings } from './setting-flags.ts';
import { readyText } from './start-messages.ts';
import { CommandError, print } from './terminal.ts';

/** Time that a stop may take after `STOP_DELAY`, in ms. */
const stopTimeout = 10_000;

/** Time in which the same signal does not count again, in ms: npm forwards the SIGINT that the terminal sends to the whole process group. */
const echoWindow = 300;

/** Resolves at the first signal to stop, which starts the timeout; a second signal exits immediately. `delay`: in ms. */
function stopSignal(logger: Logger, delay: number): Promise<void> {
  return new Promise((resolve) => {
    let first: { signal: NodeJS.Signals; at: number } | null = null;
    const onSignal = (signal: NodeJS.Signals) => {
      if (first && first.signal === signal && performance.now() - first.at < echoWindow) return;
      if (first) process.exit(signal === 'SIGINT' ? 130 : 143);
      first = { signal, at: performance.now() };
      logger.info({ signal }, 'stopping');
      setTimeout(() => {
        logger.fatal({ ms: stopTimeout }, 'the stop timed out');
        process.exit(1);
      }, stopTimeout + delay).unref();
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

async function serve(settings: Settings): Promise<void> {
  const lock = lockDataFolder(settings.DATA_DIR);
  let endCapture: (() => void) | undefined;
  try {
    const counters = new Counters();
    const target = { isTerminal: process.stdout.isTTY, environment: process.env };
    const { logger, isText, print: show } = await openServerLog(settings, target, counters);
    const { captureStrayOutput } = await import('../core/stray-output.ts');
    endCapture = captureStrayOutput(logger);
    const { hookWarning, tlsWarning } = await import('../doctor/broker-checks.ts');
    const { inactivityWarning } = await import('../doctor/doctor.ts');
    const { hiddenDatabase, isNewFolder } = await import('../backup/hidden-database.ts');
    const { hiddenPhotos, missingPhotos } = await import('../doctor/hidden-photos.ts');
    const warn = (...warnings: (string | null)[]) => {
      for (const warning of warnings) if (warning !== null) logger.warn(warning);
    };
    warn(...settingWarnings(commandEnvironment()));
    warn(tlsWarning(settings), hookWarning(settings), inactivityWarning(settings));
    const stop = stopSignal(logger, settings.STOP_DELAY * 1000);
    // Where it refuses the start, it says what is hidden.
    await assertDatabaseKept(settings);
    warn(await hiddenDatabase(settings), await hiddenPhotos(settings, logger));
    const isNew = await isNewFolder(settings);
    const { createApp } = await import('../app.ts');
    const app = await createApp(settings, { logger, counters });
    if (isNew)
      logger.info(
        { folder: settings.DATA_DIR },
        'there was no database, and an empty one was created; if there is another one, set DATA_DIR to its folder, or DATABASE_URL if it is PostgreSQL',
      );
    try {
      const { address, robotAddress, port } = await app.listen();
      const firstAccountCode = await app.firstAccountCode();
      const { descriptorWarning } = await import('../doctor/descriptor-limit.ts');
      const fewDescriptors = descriptorWarning();
      if (fewDescriptors !== null) logger.warn(fewDescriptors);
      // A bucket may take long to answer.
      missingPhotos(settings, app.server(), logger).then(
        (warning) => warning !== null && logger.warn(warning),
        (error: unknown) => logger.debug({ err: error }, 'the photos were not looked for'),
      );
      if (!isText) {
        const forRobots =
          robotAddress ?? 'that of this machine, such as http://192.168.1.20:3000; set PUBLIC_URL to it';
        const ms = Math.round(performance.now());
        logger.info({ address, robotAddress, ms }, `ready; the address for robots is ${forRobots}`);
        if (firstAccountCode !== null)
          logger.info(
            { code: firstAccountCode },
            'the first account administers the server; outside its network it needs this code',
          );
      } else if (logger.isLevelEnabled('info'))
        show(readyText(settings, { robotAddress, port, isNew: !(await app.hasAccounts()), firstAccountCode }));
      await stop;
    } finally {
      await app.close();
    }
    logger.info('stopped');
  } finally {
    // The reason why a start failed is text for people.
    endCapture?.();
    lock.release();
  }
}

async function migrate(): Promise<void> {
  const applied = await withDatabase(({ migrated }) => migrated, { creates: true });
  for (const name of applied) print(`applied ${name}`);
  if (applied.length === 0) print('The database is up to date.');
}

async function createKey(): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = commandSettings();
  if (DATABASE_URL !== null)
    throw new CommandError('With DATABASE_URL the key is stored in the database; the server creates it.');
  const operation = await import('../operating/key-creation.ts');
  print(`${await operation.createKey(DATA_DIR)} was created.`);
}

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'failed';
  readonly message: string;
}

const checkListing = new Listing<Check>({
  name: ({ name }) => name,
  state: ({ state }) => state,
  message: ({ message }) => message,
});

const stateLabels = { ok: 'ok  ', note: 'note', failed: 'FAIL' } as const;

async function doctor(options: ListOptions): Promise<void> {
  const settings = commandSettings();
  const { pino } = await import('pino');
  const logger = pino({ level: 'silent' });
  const { runChecks } = await import('../doctor/doctor.ts');
  const results = await runChecks(settings, logger).catch((error: unknown) => {
    throw withSettingMessage(error, settings);
  });
  const checks: Check[] = [
    { name: 'settings', state: 'ok', message: '' },
    ...settingWarnings(commandEnvironment()).map((message) => ({ name: 'settings', state: 'note', message }) as const),
    ...results.map(
      ({ name, ok, message, isWarning }) =>
        ({ name, message, state: isWarning ? 'note' : ok ? 'ok' : 'failed' }) as const,
    ),
  ];
  if (options.json) checkListing.print(checks, options);
  else
    for (const { name, state, message } of checks)
      print([`${stateLabels[state]}  ${name}`, ...(message === '' ? [] : [message])].join(': '));
  if (checks.some(({ state }) => state === 'failed')) process.exitCode = 1;
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
  const server = program
    .command('serve')
    .description('run the server (default)')
    .action(async () => {
      const settings = commandSettings();
      await serve(settings).catch((error: unknown) => {
        throw withSettingMessage(error, settings);
      });
      // Open connections must not keep the process alive.
      process.exit();
    });
  withExamples(
    addSettingFlags(server),
    'serve',
    'serve --port 8080 --data-dir /srv/garden',
    'serve --public-url https://garden.example --trust-proxy on --set SMTP_URL=@/etc/potager/smtp-url',
  );
  withExamples(
    program.command('migrate').description('migrate the database to the latest schema').action(migrate),
    'migrate',
    'migrate --data-dir /srv/garden',
  );
  withExamples(
    program
      .command('create-key')
      .description('create the key that signs tokens, if it was lost: users must sign in again')
      .action(createKey),
    'create-key',
    'create-key --data-dir /srv/garden',
  );
  const doctorCommand = program
    .command('doctor')
    .description('check the settings, the database, the broker and the mail server')
    .action(doctor);
  checkListing.addTo(doctorCommand);
  withExamples(addSettingFlags(doctorCommand), 'doctor', 'doctor --json', 'doctor --data-dir /srv/garden');
  withExamples(
    program.command('openapi').description('print the OpenAPI document of the API').action(openapi),
    'openapi',
    'openapi > openapi.json',
  );
}
