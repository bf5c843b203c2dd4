import { BackupError } from '../backup/backup-error.ts';
import { FileExistsError } from '../core/durable-file.ts';
import { CommandError, printable } from './terminal.ts';

/** A size as people read it. */
export const formatSize = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** What the system says of files, in words. */
const sentences: Readonly<Record<string, string>> = {
  ENOSPC: 'There is not enough room on the disk. Nothing was left behind.',
  ENOENT: 'There is no such folder, or no such file.',
  ENOTDIR: 'There is no such folder.',
  EISDIR: 'This is a folder, not a file.',
  EROFS: 'Nothing can be written there.',
};

/** Waits for work with files. What people can do something about is told in words. Throws Refusal. */
export async function explainFileErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BackupError) throw new CommandError(printable(error.message));
    if (error instanceof FileExistsError)
      throw new CommandError(`${printable(error.message)} Choose another name, or add --force.`);
    const sentence = error instanceof Error && 'code' in error ? sentences[String(error.code)] : undefined;
    throw sentence !== undefined && error instanceof Error
      ? new CommandError(`${sentence} (${printable(error.message)})`)
      : error;
  }
}
