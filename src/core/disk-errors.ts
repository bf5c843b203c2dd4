import { statfsSync } from 'node:fs';
import { Failure } from './errors.ts';
import { errorCode } from './system.ts';

/** Free bytes below which a disk counts as full. */
const minFreeBytes = 1024 * 1024;

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < minFreeBytes;
  } catch {
    return false;
  }
}

/** Returns the remedy for an error of the disk with the data folder, or of the SQLite file in it; null for other errors. */
export function diskErrorMessage(error: unknown, folder: string): string | null {
  const code = String(errorCode(error instanceof Failure ? error.cause : error) ?? '');
  const isUnclear = /^(SQLITE_IOERR|SQLITE_CANTOPEN)/.test(code);
  if (['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(code) || (isUnclear && isFull(folder)))
    return `The disk with the data folder ${folder} is full. Free some space, and try again.`;
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return damagedMessage(folder);
  if (isUnclear || ['EROFS', 'EFBIG', 'EIO'].includes(code) || code.startsWith('SQLITE_READONLY'))
    return `The data folder ${folder} cannot be written (${code}). Check the disk, and the owner and the permissions of the folder and its files.`;
  return null;
}

/** Returns the remedy for an SQLite file with damaged pages. */
export const damagedMessage = (folder: string): string =>
  `The database in ${folder} is damaged. Stop the server, move the folder away, and restore a backup with "potager restore".`;
