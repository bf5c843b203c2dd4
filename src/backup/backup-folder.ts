import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';

/** `potager-2026-11-21-031000.tar`, in UTC: names sort by time. */
const namePattern = /^potager-\d{4}-\d{2}-\d{2}-\d{6}\.tar$/;

/** Whether a file name is a backup's. */
export const isBackupName = (name: string): boolean => namePattern.test(name);

/** The folder of the backups that a server makes itself, in its data folder; no backup contains it. */
export const backupsFolder = (folder: string): string => join(folder, 'backups');

/** Returns the name of a backup that is created now. */
export const backupName = (clock: Clock): string =>
  `potager-${currentTimestamp(clock).slice(0, 19).replaceAll(':', '').replace('T', '-')}.tar`;

/** Deletes the oldest backups of a folder, by their names, so that `keep` are left; never `latest`, nor anything else. Returns the deleted names. */
export async function pruneBackups(folder: string, keep: number, latest: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const others = entries
    .filter((entry) => entry.isFile() && isBackupName(entry.name) && entry.name !== latest)
    .map(({ name }) => name)
    .sort();
  const surplus = others.slice(0, Math.max(0, others.length - (keep - 1)));
  for (const name of surplus) await rm(join(folder, name));
  return surplus;
}
