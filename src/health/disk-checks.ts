import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { damagedMessage, diskErrorMessage } from '../core/disk-errors.ts';
import { databasePath, openDatabase } from '../db/open.ts';
import { writeTemporaryFile } from './write-probe.ts';

/** Writes a file into a folder and deletes it. Throws an Error that names the remedy. */
export async function assertFolderWritable(folder: string): Promise<void> {
  await writeTemporaryFile(folder).catch((error: unknown) => {
    throw new Error(diskErrorMessage(error, folder) ?? String(error));
  });
}

/** Checks that an SQLite file can be written and has no damaged pages. Throws an Error that names the remedy. */
export async function checkSqliteFile(folder: string): Promise<string> {
  const path = databasePath(folder);
  for (const name of [path, `${path}-wal`, `${path}-shm`])
    if (existsSync(name))
      await access(name, constants.R_OK | constants.W_OK).catch(() => {
        throw new Error(`${name} cannot be written. Check its owner and its permissions.`);
      });
  try {
    const database = await openDatabase(null, folder, () => undefined);
    try {
      const [row] = await database.reader.query('pragma quick_check(1)', []);
      if (row?.[0] !== 'ok') throw new Error(damagedMessage(folder));
    } finally {
      await database.close();
    }
  } catch (error) {
    throw new Error(diskErrorMessage(error, folder) ?? (error instanceof Error ? error.message : String(error)));
  }
  return `${path} is intact.`;
}
