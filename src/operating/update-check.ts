import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { assertNotMoved } from '../accounts/moved-database.ts';
import { createDurableFolder, moveDurably, syncFile } from '../core/durable-file.ts';
import type { FreeSpace } from '../core/free-space.ts';
import { createTemporaryPath, deleteTemporaryFile } from '../core/temporary-files.ts';
import { migrations } from '../db/migrations/list.ts';
import type { Migration } from '../db/migrator.ts';
import { oldestBeside, pendingMigrations } from '../db/migrator.ts';
import { copiesFolder, databasePath, openDatabase } from '../db/open.ts';
import { copySqlite } from '../db/sqlite-copy.ts';

/** The database of a server, and the effect of the next start of this version on it. */
export interface UpdateCheck {
  /** There is a database with tables. */
  readonly exists: boolean;
  /** The migrations that the next start applies, in order. */
  readonly pending: readonly Pick<Migration, 'number' | 'name'>[];
  /** The oldest release that works with the migrated database; null: none before this one. */
  readonly oldest: string | null;
  /** The path of the copy that was created of an SQLite database with pending migrations. */
  readonly copy: string | null;
}

interface CheckedServer {
  /** The URL of the PostgreSQL database; null: SQLite. */
  readonly url: string | null;
  /** The data folder. */
  readonly folder: string;
  readonly freeSpace: FreeSpace;
}

/**
 * Finds the pending migrations of a database, and copies an SQLite database that has any, whether or not a server is running
 * on it. Throws an Error if its data was moved away, NewerDatabaseError, Failure `unavailable`, NativeModuleError, DiskAlmostFull and file system errors.
 */
export async function checkUpdate({ url, folder, freeSpace }: CheckedServer): Promise<UpdateCheck> {
  // Opening would create it.
  if (url === null && !existsSync(databasePath(folder)))
    return { exists: false, pending: migrations, oldest: null, copy: null };
  const database = await openDatabase(url, folder, () => undefined);
  const readPending = async () => {
    await assertNotMoved(database);
    return pendingMigrations(database, migrations);
  };
  const pending = await readPending().finally(() => database.close());
  const exists = pending.length < migrations.length;
  const [first] = pending;
  const oldest = oldestBeside(pending);
  if (!exists || !first || url !== null) return { exists, pending, oldest, copy: null };
  freeSpace.assertRoom(folder);
  return { exists, pending, oldest, copy: await copyBefore(first.number, folder) };
}

/** Copies the SQLite database of a data folder; the copy of an earlier check before the same migration is replaced. */
async function copyBefore(migration: number, folder: string): Promise<string> {
  const copies = copiesFolder(folder);
  await createDurableFolder(copies, 0o700);
  const path = join(copies, `before-${migration}-check.sqlite`);
  const temporary = createTemporaryPath(path);
  try {
    copySqlite(databasePath(folder), temporary);
    await syncFile(temporary);
    await moveDurably(temporary, path);
    return path;
  } finally {
    await deleteTemporaryFile(temporary);
  }
}
