import { readdir, stat } from 'node:fs/promises';
import { keyFile } from '../accounts/key-pair.ts';
import { errorCode } from '../core/system.ts';
import { databasePath } from '../db/open.ts';
import { incomingFolder, photosFolder } from '../photos/photo-storage.ts';

/** Size of an SQLite file without tables, in bytes. */
const emptyFileSize = 4096;

const sizeOf = async (path: string): Promise<number | null> => (await stat(path).catch(() => null))?.size ?? null;

/** Returns whether a data folder has an SQLite database. */
export const hasDatabase = async (folder: string): Promise<boolean> => (await sizeOf(databasePath(folder))) !== null;

/** Returns what to do if the user of this process may not enter a data folder, so that what is in it is unknown; null otherwise. */
export const closedFolder = (folder: string): Promise<string | null> =>
  stat(databasePath(folder)).then(
    () => null,
    (error: unknown) =>
      errorCode(error) === 'EACCES'
        ? `The data folder ${folder} belongs to another user. Run this as the user of the server: sudo -u potager potager …`
        : null,
  );

/**
 * Returns the reason why a server must not start in a data folder: it belongs to another user, or its SQLite file is lost or empty, but
 * the key or photos of a server are there; null otherwise. The first start creates the key after the tables, so no first start is refused. [ADR 37]
 */
export async function lostDatabase(folder: string): Promise<string | null> {
  const closed = await closedFolder(folder);
  if (closed !== null) return closed;
  const path = databasePath(folder);
  const size = await sizeOf(path);
  // Recent changes are in the WAL file.
  if ((size ?? 0) > emptyFileSize || ((await sizeOf(`${path}-wal`)) ?? 0) > 0) return null;
  const hasKey = (await sizeOf(keyFile(folder))) !== null;
  const photos = await readdir(photosFolder(folder)).catch(() => []);
  const hasPhotos = photos.some((name) => name !== incomingFolder('').split('/').at(-1));
  if (!hasKey && hasPhotos && size === null)
    return (
      `There is no database ${path}, but ${folder} contains the photos of a server. If its database is PostgreSQL, set DATABASE_URL to it. ` +
      `Else restore a backup into an empty folder with "potager restore". To begin with an empty database instead, move "photos" out of ${folder}.`
    );
  // A key alone may have been provided for a new server.
  if (!hasKey || (size === null && !hasPhotos)) return null;
  return (
    `The database ${path} is ${size === null ? 'missing' : 'empty'}, but ${folder} contains the key of a server. ` +
    'Restore a backup into an empty folder with "potager restore". ' +
    `To begin with an empty database instead, move ${hasPhotos ? '"keys" and "photos"' : '"keys"'} out of ${folder}.`
  );
}
