import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { FreeSpace } from '../core/free-space.ts';
import { version } from '../core/version.ts';
import { lockDataFolder } from '../settings/data-folder-lock.ts';
import type { Settings } from '../settings/settings.ts';
import { withExamples } from './examples.ts';
import { explainFileErrors, formatSize, outputPath } from './output-files.ts';
import { commandSettings } from './setting-flags.ts';
import { CommandError, print, printable, UsageError, wholeNumber } from './terminal.ts';

const locationsOf = ({ DATABASE_URL, STORAGE_URL }: Settings) =>
  ({ database: DATABASE_URL ? 'postgres' : 'sqlite', photos: STORAGE_URL ? 'bucket' : 'folder' }) as const;

/** Prints the files that a backup does not contain. */
function printNotIncluded({ database, photos }: ReturnType<typeof locationsOf>, remedy: string): void {
  if (database === 'postgres') print(`Not included: the PostgreSQL database. ${remedy}; see docs/backup.md.`);
  if (photos === 'bucket') print('Not included: the photos in the bucket.');
}

interface BackupOptions {
  readonly force?: boolean;
  /** Backups to keep in the folder. */
  readonly keep?: number;
}

const isFolder = (path: string): boolean =>
  path.endsWith('/') || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);

async function backup(target: string, { force = false, keep }: BackupOptions): Promise<void> {
  const settings = commandSettings();
  const locations = locationsOf(settings);
  const folder = isFolder(target) ? target : null;
  if (folder === null && keep !== undefined)
    throw new UsageError(`--keep needs a folder, and ${printable(target)} is none. Make it, or leave out --keep.`);
  const { movedDatabase } = await import('../backup/hidden-database.ts');
  const moved = settings.DATABASE_URL === null ? await movedDatabase(settings.DATA_DIR) : null;
  if (moved !== null) throw new CommandError(moved);
  const { createBackup } = await import('../backup/backup.ts');
  const { backupName, pruneBackups } = await import('../backup/backup-folder.ts');
  const name = backupName(systemClock);
  const file = folder === null ? target : join(folder, name);
  const freeSpace = new FreeSpace({ minFree: settings.MIN_FREE_BYTES, clock: systemClock });
  const source = { folder: settings.DATA_DIR, ...locations, program: version, clock: systemClock, freeSpace };
  const { recordBackup } = await import('../core/last-backup.ts');
  const { size, files, omitted } = await explainFileErrors(createBackup(source, await outputPath(file), force));
  print(`Backed up ${files} ${files === 1 ? 'file' : 'files'} to ${printable(file)} (${formatSize(size)}).`);
  await recordBackup(settings.DATA_DIR, systemClock);
  for (const { path, reason } of omitted) print(`Omitted: ${printable(path)} (${reason})`);
  if (folder !== null && keep !== undefined)
    for (const each of await explainFileErrors(pruneBackups(folder, keep, name))) print(`Deleted ${printable(each)}.`);
  printNotIncluded(locations, 'Dump it with pg_dump first');
}

async function restoreBackup(file: string): Promise<void> {
  const settings = commandSettings();
  if (!existsSync(file)) throw new CommandError(`File not found: ${printable(file)}.`);
  const { restore } = await import('../backup/restoration.ts');
  // Prevents a server from starting on the folder.
  const lock = lockDataFolder(settings.DATA_DIR);
  try {
    const target = { folder: settings.DATA_DIR, database: locationsOf(settings).database };
    const manifest = await explainFileErrors(restore(resolve(file), target));
    const count = manifest.files.length;
    print(
      `Restored ${count} ${count === 1 ? 'file' : 'files'} of ${printable(manifest.created_at)} to ${settings.DATA_DIR}.`,
    );
    for (const { path, reason } of manifest.left_out)
      print(`Not in the backup: ${printable(path)} (${printable(reason)})`);
    printNotIncluded(manifest, 'Restore its dump with pg_restore');
  } finally {
    lock.release();
  }
}

/** Adds the commands `backup` and `restore`. */
export function addBackupCommands(program: Command): void {
  const backupCommand = program
    .command('backup')
    .description('back up the database, photos and keys to an archive; the server may be running')
    .argument('<file>', 'archive to write, outside DATA_DIR (tar, compressed if it ends with .gz), or a folder')
    .option('--force', 'overwrite an existing file')
    .option(
      '--keep <number>',
      'backups to keep in the folder; older ones with the names that this command gives are deleted',
      wholeNumber(1, 100_000),
    )
    .action(backup);
  withExamples(backupCommand, 'backup /mnt/disk/garden.tar.gz', 'backup /mnt/backups --keep 7');
  const restoreCommand = program
    .command('restore')
    .description('verify a backup and extract it into an empty DATA_DIR')
    .argument('<file>', 'archive written by "backup"')
    .action(restoreBackup);
  withExamples(
    restoreCommand,
    'restore /mnt/disk/garden.tar.gz',
    'restore /mnt/disk/garden.tar.gz --data-dir /srv/garden',
  );
}
