import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileKeyStore, keyFile } from '../accounts/key-pair.ts';
import { movedMessage } from '../accounts/moved-database.ts';
import { createDurableFolder, FileExistsError, moveDurably, syncFile, writeDurableFile } from '../core/durable-file.ts';
import { createTemporaryPath, deleteTemporaryFile, sweepDataFolder } from '../core/temporary-files.ts';
import { migrations } from '../db/migrations/list.ts';
import { pendingMigrations } from '../db/migrator.ts';
import { copiesFolder, databasePath, openDatabase } from '../db/open.ts';
import type { OmittedFile } from './archive-format.ts';
import { dataFolderFiles, notRegular } from './data-folder-files.ts';
import { hasDatabase } from './lost-database.ts';
import { MoveError } from './move-error.ts';
import type { MovedServer, MoveFollower } from './move-rows.ts';
import { fillTarget, hasSameRows, notEmpty } from './move-rows.ts';

/** Copies a server to a folder: its files, if they are in another one, its key, and its database last. Throws {@link MoveError} and file system errors. */
export async function copyToFolder(server: MovedServer, folder: string, follow: MoveFollower): Promise<void> {
  await sweepDataFolder(folder);
  const keys = fileKeyStore(keyFile(folder));
  const stored = await keys.read();
  if (stored !== null && stored !== server.key)
    throw new MoveError(`${keyFile(folder)} is the key of another server. Move it away first; nothing was changed.`);
  if ((await hasDatabase(folder)) && (await hasCopy(server, folder, follow))) return;
  if (folder !== follow.dataDir) await copyFiles(follow.dataDir, folder);
  if (server.key !== null) await keys.write(server.key);
  const path = createTemporaryPath(databasePath(folder));
  try {
    const { openSqlite } = await import('../db/sqlite.ts');
    const database = openSqlite(path);
    try {
      await fillTarget(server, database, follow, { folder });
    } finally {
      await database.close();
    }
    await syncFile(path);
    await moveDurably(path, databasePath(folder));
  } finally {
    await deleteTemporaryFile(path);
  }
}

/** Returns whether an earlier run has completed the database of the folder. Sets one aside whose data was moved away. Throws {@link MoveError} for any other. */
async function hasCopy(server: MovedServer, folder: string, { clock }: MoveFollower): Promise<boolean> {
  const database = await openDatabase(null, folder, () => undefined);
  try {
    if ((await movedMessage(database)) === null) {
      const rows = { session: database.reader, dialect: database.dialect };
      const isCurrent = (await pendingMigrations(database, migrations)).length === 0;
      if (isCurrent && (await hasSameRows(server, rows))) return true;
      throw notEmpty({ folder });
    }
  } finally {
    await database.close();
  }
  await moveDurably(databasePath(folder), join(copiesFolder(folder), `moved-${clock.now()}.sqlite`));
  return false;
}

async function checksum(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Copies the files of a data folder, and compares each. Files that an earlier run has copied are left. Throws {@link MoveError} for other files of the same name. */
async function copyFiles(from: string, to: string): Promise<void> {
  const omitted: OmittedFile[] = [];
  for await (const { path, source } of dataFolderFiles(from, omitted)) {
    if (path === keyFile('')) continue;
    const target = join(to, path);
    await createDurableFolder(dirname(target), 0o700);
    await writeDurableFile(target, createReadStream(source)).catch((error: unknown) => {
      if (!(error instanceof FileExistsError)) throw error;
    });
    if ((await checksum(source)) !== (await checksum(target)))
      throw new MoveError(`${target} differs from ${source}. Name an empty folder.`);
  }
  const link = omitted.find(({ reason }) => reason === notRegular);
  if (link)
    throw new MoveError(
      `${join(from, link.path)} is ${notRegular}, and cannot be moved. Replace it by what it stands for; nothing was changed.`,
    );
}
