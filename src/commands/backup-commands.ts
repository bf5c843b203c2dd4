import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { lockDataFolder } from '../settings/data-folder-lock.ts';
import type { Settings } from '../settings/settings.ts';
import { readSettings } from '../settings/settings.ts';
import { explainFileErrors, formatSize } from './output-files.ts';
import { CommandError, print, printable } from './terminal.ts';

const placesOf = ({ DATABASE_URL, STORAGE_URL }: Settings) =>
  ({ database: DATABASE_URL ? 'postgres' : 'sqlite', photos: STORAGE_URL ? 'bucket' : 'folder' }) as const;

function programVersion(): string {
  const content: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return content instanceof Object && 'version' in content ? String(content.version) : 'unknown';
}

/** What an archive never holds, for whoever relies on it. */
function tellWhatIsElsewhere({ database, photos }: ReturnType<typeof placesOf>): void {
  if (database === 'postgres')
    print('Not in it: the PostgreSQL database. Dump that one with pg_dump first; see docs/backup.md.');
  if (photos === 'bucket') print('Not in it: the photos in the bucket, which stay there.');
}

async function makeBackUp(file: string, { force = false }: { force?: boolean }): Promise<void> {
  const settings = readSettings(process.env);
  const places = placesOf(settings);
  const { createBackup } = await import('../backup/backup.ts');
  const source = { folder: settings.DATA_DIR, ...places, program: programVersion(), clock: systemClock };
  const { size, files, omitted } = await explainFileErrors(createBackup(source, resolve(file), force));
  print(`Backed up ${files} ${files === 1 ? 'file' : 'files'} to ${printable(file)} (${formatSize(size)}).`);
  for (const { path, reason } of omitted) print(`Left out: ${printable(path)} (${reason})`);
  tellWhatIsElsewhere(places);
}

async function restoreBackUp(file: string): Promise<void> {
  const settings = readSettings(process.env);
  if (!existsSync(file)) throw new CommandError(`There is no file ${printable(file)}.`);
  const { restore } = await import('../backup/restoration.ts');
  // No server can be started on the folder meanwhile.
  const lock = lockDataFolder(settings.DATA_DIR);
  try {
    const target = { folder: settings.DATA_DIR, database: placesOf(settings).database };
    const manifest = await explainFileErrors(restore(resolve(file), target));
    const count = manifest.files.length;
    print(
      `Restored ${count} ${count === 1 ? 'file' : 'files'} of ${printable(manifest.created_at)} to ${settings.DATA_DIR}.`,
    );
    for (const { path, reason } of manifest.left_out)
      print(`Not in the back-up: ${printable(path)} (${printable(reason)})`);
    tellWhatIsElsewhere(manifest);
  } finally {
    lock.release();
  }
}

/** Adds the commands that keep everything in one file, and bring it back. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write everything to one file: database, photos, keys; the server may run meanwhile')
    .argument('<file>', 'the archive to make (tar; compressed when it ends with .gz), outside of DATA_DIR')
    .option('--force', 'replace a file of that name')
    .action(makeBackUp);
  program
    .command('restore')
    .description('unpack a back-up into an empty DATA_DIR, after checking all of it')
    .argument('<file>', 'an archive that "backup" made')
    .action(restoreBackUp);
}
