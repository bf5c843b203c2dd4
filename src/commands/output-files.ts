import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BackupError } from '../backup/backup-error.ts';
import { FileExistsError } from '../core/durable-file.ts';
import { DiskAlmostFull } from '../core/free-space.ts';
import { errorCode } from '../core/system.ts';
import { sweepTemporaryFiles } from '../core/temporary-files.ts';
import { CommandError, printable } from './terminal.ts';

/** Formats a size. */
export const formatSize = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Returns the absolute path of a file to write, and deletes incomplete files of earlier runs next to it. Throws CommandError if its folder does not exist. */
export async function outputPath(file: string): Promise<string> {
  const path = resolve(file);
  if (!existsSync(dirname(path)))
    throw new CommandError(`There is no folder ${printable(dirname(path))}. Make it, or mount its disk.`);
  await sweepTemporaryFiles(dirname(path)).catch(() => undefined);
  return path;
}

/** Messages for system errors of files. */
const sentences: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full. No partial file was left.',
  ENOENT: 'No such file or folder.',
  ENOTDIR: 'No such folder.',
  EISDIR: 'This is a folder, not a file.',
  EROFS: 'The file system is read-only.',
};

/** Awaits work with files and turns errors that the user can fix into CommandError. */
export async function explainFileErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DiskAlmostFull) throw new CommandError(printable(error.details));
    if (error instanceof BackupError) throw new CommandError(printable(error.message));
    if (error instanceof FileExistsError)
      throw new CommandError(`${printable(error.message)} Choose another name, or add --force.`);
    const sentence = sentences[String(errorCode(error))];
    throw sentence !== undefined && error instanceof Error
      ? new CommandError(`${sentence} (${printable(error.message)})`)
      : error;
  }
}
