import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { recordBackup } from '../core/last-backup.ts';
import { sweepTemporaryFiles } from '../core/temporary-files.ts';
import type { Foundation } from '../foundation.ts';
import { createBackup } from './backup.ts';
import { backupName, backupsFolder, isBackupName, pruneBackups } from './backup-folder.ts';

/** A backup in the folder of the server. */
interface ServerBackup {
  readonly name: string;
  /** Size of the archive, in bytes. */
  readonly bytes: number;
}

/** Returns the backups that a server created in its data folder, the newest first. */
async function listServerBackups(dataDir: string): Promise<readonly ServerBackup[]> {
  const folder = backupsFolder(dataDir);
  const names = (await readdir(folder).catch(() => [])).filter(isBackupName).sort().reverse();
  const found = await Promise.all(
    names.map(async (name) => ({ name, file: await stat(join(folder, name)).catch(() => null) })),
  );
  return found.flatMap(({ name, file }) => (file?.isFile() ? [{ name, bytes: file.size }] : []));
}

/** Creates the object that lists and creates the backups of a serving process. `program`: the version of Potager. */
export const serverBackupFolder = (
  { dataDir, ownsDatabase, freeSpace }: Foundation,
  program: string,
  hasBucket: boolean,
) => ({
  list: () => listServerBackups(dataDir),
  /** Backs up to the folder, and deletes the oldest, so that `keep` are left. Throws as {@link createBackup}. */
  async make(clock: Clock, keep: number): Promise<void> {
    const folder = backupsFolder(dataDir);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await sweepTemporaryFiles(folder).catch(() => undefined);
    const name = backupName(clock);
    const [database, photos] = [ownsDatabase ? 'sqlite' : 'postgres', hasBucket ? 'bucket' : 'folder'] as const;
    const source = { folder: dataDir, database, photos, program, clock, freeSpace, isServing: true };
    await createBackup(source, join(folder, name));
    await recordBackup(dataDir, clock);
    await pruneBackups(folder, keep, name);
  },
});
