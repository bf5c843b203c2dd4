import { join } from 'node:path';
import { openPostgres } from './postgres.ts';
import type { Database } from './session.ts';
import { openSqlite } from './sqlite.ts';

/** Returns the path of the SQLite file in a data folder. */
export const databasePath = (dataFolder: string): string => join(dataFolder, 'potager.sqlite');

/** Opens the database: PostgreSQL at `url`, else SQLite in the data folder. Throws Failure `unavailable`. */
export function openDatabase(url: string | null, dataFolder: string, onIdleError: (error: Error) => void): Database {
  return url ? openPostgres(url, onIdleError) : openSqlite(databasePath(dataFolder));
}
