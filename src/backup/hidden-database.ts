import { globalConfig } from '../accounts/global-config.ts';
import { movedMessage, movedTo, placeText, postgresPlace } from '../accounts/moved-database.ts';
import { users } from '../accounts/users.ts';
import { sqliteDialect } from '../db/dialect.ts';
import { hasTable } from '../db/migrator.ts';
import { databasePath, openDatabase } from '../db/open.ts';
import type { Database } from '../db/session.ts';
import { SqliteCopy } from '../db/sqlite-copy.ts';
import { hasDatabase } from './lost-database.ts';

/** The settings that say where the database is. */
interface DatabaseSettings {
  readonly DATABASE_URL: string | null;
  readonly DATA_DIR: string;
}

type Readable = Pick<Database, 'reader' | 'dialect'>;

async function hasRows(database: Readable, table: string): Promise<boolean> {
  if (!(await hasTable(database, table))) return false;
  return (await database.reader.query(`select 1 from ${table} limit 1`, [], false)).length > 0;
}

/** Reads the SQLite database of a data folder without changing it; null if there is none, or if it cannot be read. */
async function readSqlite<T>(folder: string, read: (database: Readable) => Promise<T>): Promise<T | null> {
  if (!(await hasDatabase(folder))) return null;
  let copy: SqliteCopy | null = null;
  try {
    const opened = new SqliteCopy(databasePath(folder));
    copy = opened;
    return await read({ reader: { query: (sql, parameters) => opened.rows(sql, parameters) }, dialect: sqliteDialect });
  } catch {
    return null;
  } finally {
    copy?.close();
  }
}

/** Returns where the accounts of the SQLite database of a data folder were moved, if they were; null: it has none. */
const accountsIn = (folder: string) =>
  readSqlite(folder, async (database) =>
    (await hasRows(database, users.name)) ? { moved: await movedTo(database) } : null,
  );

/** Whether a start creates an SQLite database. */
export const isNewFolder = async ({ DATABASE_URL, DATA_DIR }: DatabaseSettings): Promise<boolean> =>
  DATABASE_URL === null && !(await hasDatabase(DATA_DIR));

/** Returns the reason why the SQLite database of a data folder is not used any more, or null. */
export const movedDatabase = (folder: string): Promise<string | null> =>
  readSqlite(folder, async (database) => movedMessage(database));

/**
 * Returns the warning that the accounts of an SQLite database are not used because DATABASE_URL is set, or that they were moved, but not
 * to its database, which has none; null: a database that was moved names its own remedy.
 */
export async function hiddenDatabase(settings: DatabaseSettings): Promise<string | null> {
  const { DATABASE_URL, DATA_DIR } = settings;
  const accounts = DATABASE_URL === null ? null : await accountsIn(DATA_DIR);
  if (DATABASE_URL === null || accounts === null) return null;
  const file = databasePath(DATA_DIR);
  if (accounts.moved !== null) {
    const { place, at } = accounts.moved;
    // Whether it responds is checked elsewhere.
    if (await readDatabase(settings, (database) => hasRows(database, users.name)).catch(() => true)) return null;
    return (
      `The accounts in ${file} were moved to ${placeText(place)} at ${at}, but ${placeText(postgresPlace(DATABASE_URL))} has none. ` +
      `Correct DATABASE_URL, or restore a dump. To begin with an empty database instead, move the file out of ${DATA_DIR}.`
    );
  }
  // Whether it responds is checked elsewhere.
  if ((await readDatabase(settings, movedMessage).catch(() => null)) !== null) return null;
  return (
    `DATABASE_URL is set, so the accounts in ${file} are not used. ` +
    'Move them to that database, which must be empty: potager move --to DATABASE_URL. ' +
    `If they are not needed, move the file out of ${DATA_DIR}.`
  );
}

/** Reads the database of DATABASE_URL. */
async function readDatabase<T>(
  { DATABASE_URL, DATA_DIR }: DatabaseSettings,
  read: (database: Readable) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(DATABASE_URL, DATA_DIR, () => undefined);
  try {
    return await read(database);
  } finally {
    await database.close();
  }
}

/** Returns whether a server or a command has written to the database of DATABASE_URL. */
export const isDatabaseUsed = (settings: DatabaseSettings): Promise<boolean> =>
  readDatabase(
    settings,
    async (database) => (await hasRows(database, globalConfig.name)) || (await hasRows(database, users.name)),
  );
