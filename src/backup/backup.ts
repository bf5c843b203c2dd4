import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline, Readable as Stream } from 'node:stream';
import { createGzip } from 'node:zlib';
import { keyFile } from '../accounts/key-pair.ts';
import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import { writeDurableFile } from '../core/durable-file.ts';
import type { FreeSpace } from '../core/free-space.ts';
import { createTemporaryPath, deleteTemporaryFile } from '../core/temporary-files.ts';
import { databasePath } from '../db/open.ts';
import { copySqlite, copySqliteInSteps, SqliteCopy } from '../db/sqlite-copy.ts';
import { photoTypes } from '../photos/images.ts';
import { photosFolder } from '../photos/photo-storage.ts';
import { photoFile } from '../photos/storage-keys.ts';
import type { ArchiveHeader, ManifestFile, OmittedFile } from './archive-format.ts';
import { archiveFormat } from './archive-format.ts';
import type { ArchivedFile } from './archive-writer.ts';
import { archiveBytes } from './archive-writer.ts';
import { BackupError } from './backup-error.ts';
import { backupsFolder } from './backup-folder.ts';
import { dataFolderFiles } from './data-folder-files.ts';
import { closedFolder } from './lost-database.ts';

/** The server to back up. */
export interface BackupSource {
  /** The data folder. */
  readonly folder: string;
  readonly database: ArchiveHeader['database'];
  readonly photos: ArchiveHeader['photos'];
  /** The version of Potager. */
  readonly program: string;
  readonly clock: Clock;
  readonly freeSpace: FreeSpace;
  /** This process serves: the database is copied in steps, and requests are answered in between. */
  readonly isServing?: boolean;
}

/** The content of a backup. */
export interface BackupReport {
  /** Size of the archive, in bytes. */
  readonly size: number;
  readonly files: number;
  readonly omitted: readonly OmittedFile[];
}

/** The fastest level: photos do not compress, and the rest is small. */
const compression = { level: 1 };

/**
 * Writes a data folder to one archive, whether or not a server is running on it: first a snapshot of the database, then the
 * files, so that every photo in the snapshot is included unless it is deleted concurrently. An archive whose name ends with
 * `.gz` or `.tgz` is compressed. Throws {@link BackupError}, FileExistsError, DiskAlmostFull and file system errors, leaving nothing behind.
 */
export async function createBackup(source: BackupSource, path: string, replaces = false): Promise<BackupReport> {
  const { folder, database, photos, program, clock, freeSpace, isServing = false } = source;
  const hasDatabase = database === 'sqlite';
  if (!existsSync(hasDatabase ? databasePath(folder) : folder))
    throw new BackupError((await closedFolder(folder)) ?? `There is no data in ${folder}. Check DATA_DIR.`);
  if (await isInDataFolder(folder, path))
    throw new BackupError('Write the backup outside of the data folder, preferably to another disk.');
  const target = dirname(path);
  freeSpace.assertRoom(target);
  // Next to the archive, where there must be enough space anyway.
  const copy = hasDatabase ? createTemporaryPath(`${path}.sqlite`) : null;
  const omitted: OmittedFile[] = [];
  let files = 0;
  async function* bytes(): AsyncGenerator<Buffer> {
    const created_at = currentTimestamp(clock);
    const schema = copy === null ? null : await copyDatabase(databasePath(folder), copy, isServing);
    const header: ArchiveHeader = { format: archiveFormat, program, schema, created_at, database, photos };
    yield* archiveBytes(header, archivedFiles(folder, copy, omitted), omitted, (written) => {
      files = written.length;
      if (copy === null) return;
      if (photos === 'folder') omitted.push(...missingPhotos(copy, written));
      const key = keyFile('');
      if (!written.some((file) => file.path === key))
        omitted.push({ path: key, reason: 'not found: all users will have to sign in again' });
    });
  }
  try {
    const size = await writeDurableFile(path, archiveStream(freeSpace.guard(target, bytes()), /\.t?gz$/.test(path)), {
      overwrite: replaces,
    });
    return { size, files, omitted };
  } finally {
    if (copy !== null) await deleteTemporaryFile(copy);
  }
}

/** Copies the database and returns its schema version. */
async function copyDatabase(from: string, to: string, isServing: boolean): Promise<number> {
  if (isServing) await copySqliteInSteps(from, to);
  else copySqlite(from, to);
  const copy = new SqliteCopy(to);
  try {
    return copy.migrations.at(-1) ?? 0;
  } finally {
    copy.close();
  }
}

const storedPhotos = 'select device_id, photo_key, photo_type from images where photo_type is not null';

/** Returns photos in the database without a file: deleted since the snapshot, or lost earlier. */
function missingPhotos(copy: string, written: readonly ManifestFile[]): OmittedFile[] {
  const paths = new Set(written.map(({ path }) => path));
  const database = new SqliteCopy(copy);
  try {
    const missing: OmittedFile[] = [];
    for (const [device, key, type] of database.rows(storedPhotos)) {
      const known = photoTypes.find((one) => one === type);
      const path = known && `${photosFolder('')}/${photoFile(Number(device), String(key), known, 'full')}`;
      if (path !== undefined && !paths.has(path)) missing.push({ path, reason: 'the file of this photo is missing' });
    }
    return missing;
  } finally {
    database.close();
  }
}

async function* archivedFiles(
  folder: string,
  copy: string | null,
  omitted: OmittedFile[],
): AsyncGenerator<ArchivedFile> {
  if (copy !== null) yield { path: basename(databasePath(folder)), source: copy, isRequired: true };
  yield* dataFolderFiles(folder, omitted);
}

function archiveStream(bytes: AsyncIterable<Buffer>, isCompressed: boolean): Readable {
  const plain = Stream.from(bytes, { objectMode: false, highWaterMark: 1024 * 1024 });
  // Errors surface where the stream is read.
  return isCompressed ? pipeline(plain, createGzip(compression), () => undefined) : plain;
}

/** Whether a path is in the data folder, or in a folder that is linked from there, after links have been resolved; its folder of backups counts as outside. */
async function isInDataFolder(folder: string, path: string): Promise<boolean> {
  const parent = await realpath(dirname(path)).catch(() => null);
  // Writing the file will fail.
  if (parent === null || parent === (await realpath(backupsFolder(folder)).catch(() => null))) return false;
  const links = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isSymbolicLink());
  for (const one of [folder, ...links.map(({ name }) => join(folder, name))]) {
    const real = await realpath(one).catch(() => null);
    if (real !== null && isInside(real, parent)) return true;
  }
  return false;
}

function isInside(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath !== '..' && !relativePath.startsWith('../') && !isAbsolute(relativePath);
}
