import { setTimeout as sleep } from 'node:timers/promises';
import { fileKeyStore, keyFile, serverKeys } from '../accounts/key-pair.ts';
import type { DataPlace } from '../accounts/moved-database.ts';
import { markMoved, movedMessage, postgresPlace } from '../accounts/moved-database.ts';
import { currentTimestamp } from '../core/clock.ts';
import { LockTimeout } from '../db/errors.ts';
import { migrations } from '../db/migrations/list.ts';
import { assertKnown, migrate } from '../db/migrator.ts';
import { copiesFolder, openDatabase } from '../db/open.ts';
import type { CopyEnd } from '../db/table-copy.ts';
import { countRows, otherConnections, prepareSource } from '../db/table-copy.ts';
import { tables } from '../resources.ts';
import { MoveError, TargetError } from './move-error.ts';
import type { MoveContext, MovedServer, MoveFollower } from './move-rows.ts';
import { fillTarget, keyIn, movedTables } from './move-rows.ts';
import { copyToFolder } from './move-to-folder.ts';

/** Where a server is moved: a PostgreSQL database, or a folder, of which the caller holds the lock. */
export type MoveTarget = { readonly url: string } | { readonly folder: string };

/** How long a stopped server may take to close its connections, in ms. */
const closingTime = 3000;

/**
 * Moves the database and the key of a server, all or nothing: the target has everything or is as empty as before, and the source is marked in
 * the transaction that kept others from writing to it. If it is killed in between, the next run finds the complete target. `url`: of the source; null: the
 * SQLite database of the data folder. Returns the number of rows. Throws {@link MoveError}, {@link TargetError}, NewerDatabaseError, Failure `unavailable`.
 */
export async function moveServer(url: string | null, target: MoveTarget, context: MoveContext): Promise<number> {
  await prepared(url, context);
  const source = await openDatabase(url, context.dataDir, () => undefined);
  try {
    return await source.transaction(null, async (session) => {
      const rows = { session, dialect: source.dialect };
      await prepareSource(rows, tables);
      // From now on, others wait when they start.
      await assertUnused(rows);
      const server = {
        rows,
        key: url === null ? await fileKeyStore(keyFile(context.dataDir)).read() : await keyIn(rows),
      };
      const count = await countRows(rows, movedTables);
      const follow = { ...context, total: count };
      if ('url' in target) await copyToPostgres(server, target.url, follow);
      else await copyToFolder(server, target.folder, follow);
      await markMoved(session, placeOf(target), currentTimestamp(context.clock));
      return async () => count;
    });
  } finally {
    await source.close();
  }
}

/** Returns the place of a target. */
const placeOf = (target: MoveTarget): DataPlace => ('url' in target ? postgresPlace(target.url) : target);

/**
 * Migrates the source, and closes its connections again, as the later ones of this process would be taken for others. Throws {@link MoveError} if it
 * was moved or is in use, NewerDatabaseError if this version does not know all of its tables.
 */
async function prepared(url: string | null, { clock, log, dataDir }: MoveContext): Promise<void> {
  const source = await openDatabase(url, dataDir, () => undefined);
  try {
    const moved = await movedMessage(source);
    if (moved !== null) throw new MoveError(moved);
    await assertUnused({ session: source.reader, dialect: source.dialect });
    await migrate(source, migrations, { clock, log, copies: copiesFolder(dataDir) });
    await assertKnown(source, migrations);
  } finally {
    await source.close();
  }
}

/** Throws {@link MoveError} if other processes are connected to a database, also after a while. */
async function assertUnused(source: CopyEnd): Promise<void> {
  const deadline = performance.now() + closingTime;
  while ((await otherConnections(source)) > 0) {
    if (performance.now() > deadline)
      throw new MoveError(
        'Another process is connected to the database to be moved. Stop all servers on it, close other programs such as psql, and try again.',
      );
    await sleep(100);
  }
}

async function copyToPostgres(server: MovedServer, url: string, follow: MoveFollower): Promise<void> {
  const database = await openDatabase(url, follow.dataDir, () => undefined);
  try {
    await fillTarget(server, database, follow, postgresPlace(url), async (session) => {
      const now = currentTimestamp(follow.clock);
      const statement = `insert into ${serverKeys.name} (created_at, updated_at, name, pem) values ($1, $1, 'tokens', $2)`;
      if (server.key !== null) await session.query(statement, [now, server.key]);
    });
  } catch (error) {
    if (error instanceof MoveError) throw error;
    if (error instanceof LockTimeout)
      throw new MoveError('Another process uses the target. Stop all servers on it, and try again.');
    throw new TargetError(error);
  } finally {
    await database.close();
  }
}
