import { serverKeys } from '../accounts/key-pair.ts';
import type { DataPlace } from '../accounts/moved-database.ts';
import { movedMessage, placeText } from '../accounts/moved-database.ts';
import { serverSettings } from '../accounts/server-settings.ts';
import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import { migrations } from '../db/migrations/list.ts';
import { assertKnown, migrate, pendingMigrations } from '../db/migrator.ts';
import { copiesFolder } from '../db/open.ts';
import type { Database, TransactionSession } from '../db/session.ts';
import type { CopyEnd } from '../db/table-copy.ts';
import { copyTables, countRows, findDifference, openTarget, tableNames } from '../db/table-copy.ts';
import { tables } from '../resources.ts';
import { MoveError } from './move-error.ts';

/** A step of a move, for the operator. */
export interface MoveProgress {
  readonly step: 'copied' | 'checked';
  readonly rows: number;
  readonly total: number;
}

/** What a move needs. */
export interface MoveContext {
  /** The folder with the files of the server, of which the caller holds the lock. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onProgress: (progress: MoveProgress) => void;
}

/** A server to copy: its rows, and the key that signs its tokens, null before its first start. */
export interface MovedServer {
  readonly rows: CopyEnd;
  readonly key: string | null;
}

/** The key is a file beside an SQLite database, and a row of a PostgreSQL one. */
export const movedTables = tables.filter((table) => table !== serverKeys);

/** Tables that have no rows in a new database: its migrations write settings. */
const emptyTables = tables.filter((table) => table !== serverSettings);

/** Reads the key in a PostgreSQL database. */
export async function keyIn({ session }: CopyEnd): Promise<string | null> {
  const [[pem] = []] = await session.query(`select pem from ${serverKeys.name}`, []);
  return typeof pem === 'string' ? pem : null;
}

/** A move whose rows are counted. */
export interface MoveFollower extends MoveContext {
  /** All rows. */
  readonly total: number;
}

/** Calls back with the sum of the rows. */
function progressOf({ onProgress, total }: MoveFollower, step: MoveProgress['step']): (count: number) => void {
  let rows = 0;
  return (count) => {
    rows += count;
    onProgress({ step, rows, total });
  };
}

/** Whether a database has the rows of a server already. */
export const hasSameRows = async (server: MovedServer, rows: CopyEnd): Promise<boolean> =>
  (await findDifference(server.rows, rows, movedTables)) === null;

/** The sentences for a target with data. */
export const notEmpty = (place: DataPlace): MoveError => {
  const other = 'folder' in place ? '' : ' If its data is not needed, empty it with dropdb and createdb.';
  return new MoveError(
    `The target, ${placeText(place)}, is not empty. Name an empty one; nothing was changed.${other}`,
  );
};

/** Throws {@link MoveError} before a database is migrated that another program or an earlier version of Potager has filled. */
async function assertEmpty(database: Database, place: DataPlace): Promise<void> {
  const rows = { session: database.reader, dialect: database.dialect };
  const names = (await tableNames(rows)).filter((name) => name !== 'schema_migrations');
  const pending = await pendingMigrations(database, migrations);
  const isNew = pending.length === migrations.length;
  const filled = isNew ? names.length > 0 : await hasRows(rows, names);
  if (pending.length > 0 && filled) throw notEmpty(place);
}

/** Whether one of the tables that a database has by now has rows. */
const hasRows = async (rows: CopyEnd, names: readonly string[]): Promise<boolean> =>
  (await countRows(
    rows,
    emptyTables.filter(({ name }) => names.includes(name)),
  )) > 0;

/** Migrates a new database and fills it with the rows of a server, then compares all of them. `finish`: what else belongs to the transaction. */
export async function fillTarget(
  server: MovedServer,
  database: Database,
  follow: MoveFollower,
  place: DataPlace,
  finish: (session: TransactionSession) => Promise<void> = async () => undefined,
): Promise<void> {
  await assertEmpty(database, place);
  await migrate(database, migrations, { clock: follow.clock, log: follow.log, copies: copiesFolder(follow.dataDir) });
  await assertKnown(database, migrations);
  await database.migration(async (session) => {
    const to = { session, dialect: database.dialect };
    const close = await openTarget(to, tables);
    if ((await countRows(to, emptyTables)) > 0) {
      // An earlier run was killed after its commit.
      const isKnown = (await movedMessage({ reader: session, dialect: database.dialect })) === null;
      if (isKnown && (await hasSameRows(server, to)) && (await hasKey(to, server.key))) return close();
      throw notEmpty(place);
    }
    await copyTables(server.rows, to, movedTables, progressOf(follow, 'copied'));
    await finish(session);
    await close();
    const difference = await findDifference(server.rows, to, movedTables, progressOf(follow, 'checked'));
    if (difference !== null)
      throw new MoveError(`The copy is not the same: ${difference}. Nothing was moved; please report this.`);
  });
}

/** Whether a PostgreSQL database has a key; that of an SQLite database is a file. */
const hasKey = async (to: CopyEnd, key: string | null): Promise<boolean> =>
  to.dialect.name === 'sqlite' || (await keyIn(to)) === key;
