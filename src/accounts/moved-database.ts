import { hasTable } from '../db/migrator.ts';
import type { Database, TransactionSession } from '../db/session.ts';

/** Where the data of a server is: the folder of an SQLite database, or a PostgreSQL database, without its secrets. */
export type DataPlace = { readonly folder: string } | { readonly postgres: string };

/** Returns the place of a PostgreSQL database. */
export function postgresPlace(url: string): DataPlace {
  const { pathname, host } = new URL(url);
  return { postgres: `${decodeURIComponent(pathname.slice(1))} at ${host}` };
}

/** Returns a place for a sentence. */
export const placeText = (place: DataPlace): string =>
  'folder' in place ? `the folder ${place.folder}` : `the PostgreSQL database ${place.postgres}`;

/** The key of the server setting that says where a database was moved to. */
const key = 'moved_to';

/** A database whose data is used elsewhere. */
type MarkedDatabase = Pick<Database, 'reader' | 'dialect'>;

/** Marks a database as moved. */
export async function markMoved(session: TransactionSession, place: DataPlace, at: string): Promise<void> {
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  await session.query(
    `insert into server_settings (created_at, updated_at, key, value) values (${text(at)}, ${text(at)}, '${key}', ${text(JSON.stringify(place))})`,
    [],
    false,
  );
}

/** Where and when the data of a database was moved. */
interface Moved {
  readonly place: DataPlace;
  readonly at: string;
}

/** Returns where and when a database was moved; null: it was not. */
export async function movedTo(database: MarkedDatabase): Promise<Moved | null> {
  if (!(await hasTable(database, 'server_settings'))) return null;
  const [found] = await database.reader.query(
    `select value, created_at from server_settings where key = '${key}'`,
    [],
    false,
  );
  return found ? { place: JSON.parse(String(found[0])) as DataPlace, at: String(found[1]) } : null;
}

/** Returns the reason why a server must not use a database: it was moved, and what changed since is elsewhere. Null if it was not. [ADR 117] */
export async function movedMessage(database: MarkedDatabase): Promise<string | null> {
  const moved = await movedTo(database);
  if (moved === null) return null;
  const { place, at } = moved;
  const remedy =
    'folder' in place ? 'Unset DATABASE_URL, and set DATA_DIR to that folder' : 'Set DATABASE_URL to that database';
  const first = database.dialect.name === 'postgres' ? 'empty this database with dropdb and createdb, and ' : '';
  return `This database was moved to ${placeText(place)} at ${at}, and is not used any more. ${remedy}, or ${first}move the data back with "potager move".`;
}

/** Throws an Error with {@link movedMessage}. */
export async function assertNotMoved(database: MarkedDatabase): Promise<void> {
  const message = await movedMessage(database);
  if (message !== null) throw new Error(message);
}
