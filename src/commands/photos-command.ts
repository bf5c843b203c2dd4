import type { Command } from 'commander';
import { Option } from 'commander';
import { MoveError } from '../backup/move-error.ts';
import { systemClock } from '../core/clock.ts';
import { FreeSpace } from '../core/free-space.ts';
import { lockDataFolder } from '../settings/data-folder-lock.ts';
import { commandLogger } from './database-session.ts';
import { withExamples } from './examples.ts';
import { explainFileErrors } from './output-files.ts';
import { progressPrinter } from './progress.ts';
import { commandSettings } from './setting-flags.ts';
import { CommandError, print, printable } from './terminal.ts';

async function movePhotos({ to }: { readonly to: 'bucket' | 'folder' }): Promise<void> {
  const settings = commandSettings();
  const { DATA_DIR: dataDir, STORAGE_URL: bucket, MIN_FREE_BYTES: minFree } = settings;
  if (bucket === null)
    throw new CommandError(
      'STORAGE_URL is not set. It names the bucket, also to move photos out of it; remove it afterwards.',
    );
  const { movePhotos: move } = await import('../backup/photo-move.ts');
  // The error of the command names the problem of the bucket once.
  const log = await commandLogger({
    ...settings,
    LOG_LEVEL: settings.LOG_LEVEL === 'info' ? 'error' : settings.LOG_LEVEL,
  });
  const freeSpace = new FreeSpace({ minFree, clock: systemClock });
  const showProgress = progressPrinter('files');
  const onProgress = (done: number, all: number) => showProgress('Copied', done, all);
  const lock = lockDataFolder(dataDir);
  try {
    const moving = move({ dataDir, bucket, to, freeSpace, log, onProgress }).catch((error: unknown) => {
      throw error instanceof MoveError ? new CommandError(printable(error.message)) : error;
    });
    const { files, others } = await explainFileErrors(moving);
    print(
      files === 0
        ? `There were no photos in the ${to === 'bucket' ? 'folder' : 'bucket'} to move.`
        : `Moved ${files} ${files === 1 ? 'file' : 'files'} of photos to the ${to}, and checked each.`,
    );
    if (others > 0) print(`Files that are no photos stayed where they are (${others}).`);
    print(to === 'bucket' ? 'Keep STORAGE_URL set.' : 'Remove STORAGE_URL before you start the server again.');
  } finally {
    lock.release();
  }
}

/** Adds the command `photos`. */
export function addPhotosCommand(program: Command): void {
  const photos = program.command('photos').description('manage the files of photos');
  const move = photos
    .command('move')
    .description('move the photos of a stopped server between its folder and the bucket of STORAGE_URL')
    .addOption(
      new Option('--to <place>', 'the bucket, or the folder in DATA_DIR')
        .choices(['bucket', 'folder'])
        .makeOptionMandatory(),
    )
    .action(movePhotos);
  withExamples(
    move,
    'photos move --to bucket --set STORAGE_URL=@/etc/potager/storage-url',
    'photos move --to folder --set STORAGE_URL=@/etc/potager/storage-url',
  );
}
