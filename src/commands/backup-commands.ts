import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { version } from '../core/version.ts';
import { lockDataFolder } from '../settings/data-folder-lock.ts';
import type { Settings } from '../settings/settings.ts';
import { readSettings } from '../settings/settings.ts';
import { explainFileErrors, formatSize, outputPath } from './output-files.ts';
import { CommandError, print, printable } from './terminal.ts';

const locationsOf = ({ DATABASE_URL, STORAGE_URL }: Settings) =>
  ({ database: DATABASE_URL ? 'postgres' : 'sqlite', photos: STORAGE_URL ? 'bucket' : 'folder' }) as const;

/** Prints what a backup does not contain. */
function printNotIncluded({ database, photos }: ReturnType<typeof locationsOf>): void {
  if (database === 'postgres')
    print('Not included: the PostgreSQL database. Dump it with pg_dump first; see docs/backup.md.');
  if (photos === 'bucket') print('Not included: the photos in the bucket.');
}

async function backup(file: string, { force = false }: { force?: boolean }): Promise<void> {
  const settings = readSettings(process.env);
  const locations = locationsOf(settings);
  const { createBackup } = await import('../backup/backup.ts');
  const source = { folder: settings.DATA_DIR, ...locations, program: version, clock: systemClock };
  const { size, files, omitted } = await explainFileErrors(createBackup(source, await outputPath(file), force));
  print(`Backed up ${files} ${files === 1 ? 'file' : 'files'} to ${printable(file)} (${formatSize(size)}).`);
  for (const { path, reason } of omitted) print(`Omitted: ${printable(path)} (${reason})`);
  printNotIncluded(locations);
}

async function restoreBackup(file: string): Promise<void> {
  const settings = readSettings(process.env);
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
    printNotIncluded(manifest);
  } finally {
    lock.release();
  }
}

/** Adds the commands `backup` and `restore`. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('back up the database, photos and keys to an archive; the server may be running')
    .argument('<file>', 'archive to write, outside of DATA_DIR (tar, compressed if it ends with .gz)')
    .option('--force', 'overwrite an existing file')
    .action(backup);
  program
    .command('restore')
    .description('verify a backup and extract it into an empty DATA_DIR')
    .argument('<file>', 'archive written by "backup"')
    .action(restoreBackup);
}
