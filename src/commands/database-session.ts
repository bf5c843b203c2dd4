import type { Logger } from 'pino';
import { diskErrorMessage } from '../core/disk-errors.ts';
import { Failure } from '../core/errors.ts';
import type { CommandSession, OperationsBySubject } from '../operations.ts';
import type { Settings } from '../settings/settings.ts';
import { settingErrorMessage } from './setting-errors.ts';
import { commandSettings } from './setting-flags.ts';
import { CommandError } from './terminal.ts';

/** Throws CommandError if the SQLite database of the data folder is lost, or if DATABASE_URL is a new database beside one with accounts. */
export async function assertDatabaseKept(settings: Settings): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = settings;
  if (DATABASE_URL === null) {
    const { lostDatabase } = await import('../backup/lost-database.ts');
    const message = await lostDatabase(DATA_DIR);
    if (message !== null) throw new CommandError(message);
    return;
  }
  const { hiddenDatabase, isDatabaseUsed } = await import('../backup/hidden-database.ts');
  const hidden = await hiddenDatabase(settings);
  if (hidden !== null && !(await isDatabaseUsed(settings))) throw new CommandError(hidden);
}

/** Returns a CommandError that names the setting or the data folder that causes an error, and other errors unchanged. */
export function withSettingMessage(error: unknown, settings: Settings): unknown {
  const { DATABASE_URL, DATA_DIR } = settings;
  const isOfDatabase = DATABASE_URL !== null && error instanceof Failure;
  const message = settingErrorMessage(error, settings) ?? (isOfDatabase ? null : diskErrorMessage(error, DATA_DIR));
  return message === null ? error : new CommandError(message, { cause: error });
}

export interface DatabaseOptions {
  /** Creates a database where there is none. Other commands refuse: the data folder may be mistyped. */
  readonly creates?: boolean;
}

/** Throws CommandError if the data folder has no SQLite database. */
export async function assertDatabaseExists({ DATABASE_URL, DATA_DIR }: Settings): Promise<void> {
  const { hasDatabase } = await import('../backup/lost-database.ts');
  if (DATABASE_URL !== null || (await hasDatabase(DATA_DIR))) return;
  throw new CommandError(
    `DATA_DIR: there is no database in ${DATA_DIR}. Start the server once, or name its folder with --data-dir.`,
  );
}

/** Creates the logger of a command, which writes to standard error. */
export async function commandLogger({ LOG_LEVEL }: Settings): Promise<Logger> {
  const { pino } = await import('pino');
  const level = LOG_LEVEL === 'info' ? 'warn' : LOG_LEVEL;
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
}

/** Runs a command on the database, which another process may be serving. */
export async function withDatabase<T>(
  work: (session: CommandSession) => Promise<T> | T,
  { creates = false }: DatabaseOptions = {},
): Promise<T> {
  const settings = commandSettings();
  const logger = await commandLogger(settings);
  const { openCommandSession } = await import('../operations.ts');
  const open = async () => {
    await assertDatabaseKept(settings);
    if (!creates) await assertDatabaseExists(settings);
    return openCommandSession(settings, logger);
  };
  const session = await open().catch((error: unknown) => {
    throw withSettingMessage(error, settings);
  });
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** Runs a command with the operations on a subject. */
export const withOperations = <Subject extends keyof OperationsBySubject, T>(
  subject: Subject,
  work: (operations: OperationsBySubject[Subject]) => Promise<T>,
  options?: DatabaseOptions,
): Promise<T> =>
  withDatabase(async ({ operations }) => work((await operations[subject]()) as OperationsBySubject[Subject]), options);

/** The names in the operations on a subject. */
export type Listed<Subject extends keyof OperationsBySubject> = OperationsBySubject[Subject] extends {
  list(...options: never[]): Promise<readonly (infer Row)[] | null>;
}
  ? Row
  : never;
