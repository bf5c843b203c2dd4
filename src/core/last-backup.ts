import { stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timestamp } from './clock.ts';
import { timestamp } from './clock.ts';
import { writeDurableFile } from './durable-file.ts';

/** An empty file of the data folder, modified at the last backup. */
export const lastBackupFile = 'last-backup';

/** Records that a data folder was backed up now. A folder that cannot be written keeps no record: the backup itself needs no right to. */
export async function recordBackup(folder: string, clock: Clock): Promise<void> {
  const path = join(folder, lastBackupFile);
  const now = clock.now() / 1000;
  await writeDurableFile(path, '', { overwrite: true })
    .then(() => utimes(path, now, now))
    .catch(() => undefined);
}

/** Returns the time of the last backup of a data folder with `potager backup`; null: never, or before this was recorded. */
export async function lastBackup(folder: string): Promise<Timestamp | null> {
  const found = await stat(join(folder, lastBackupFile)).catch(() => null);
  return found && timestamp(found.mtimeMs);
}
