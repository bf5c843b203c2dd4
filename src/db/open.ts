import { join } from 'node:path';
import type { Database } from './session.ts';

/** Returns the path of the SQLite file in a data folder. */
export const databasePath = (dataFolder: string): string => join(dataFolder, 'potager.sqlite');

/** Returns the folder for copies of the SQLite file from before its migrations. */
export const copiesFolder = (dataFolder: string): string => join(dataFolder, 'copies');

/**
 * Opens the database, and loads its driver: PostgreSQL at `url`, else SQLite in the data folder. `onWarning`: called with facts that
 * operators should know. Throws Failure `unavailable`.
 */
export async function openDatabase(
  url: string | null,
  dataFolder: string,
  onIdleError: (error: Error) => void,
  onWarning?: (message: string) => void,
): Promise<Database> {
  if (url) return (await import('./postgres.ts')).openPostgres(url, onIdleError, onWarning);
  return (await import('./sqlite.ts')).openSqlite(databasePath(dataFolder));
}
