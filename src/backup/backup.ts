import { existsSync } from 'node:fs';
import { readdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline, Readable as Stream } from 'node:stream';
import { createGzip } from 'node:zlib';
import { keyFile } from '../accounts/key-pair.ts';
import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import { temporaryPath, writeDurableFile } from '../core/durable-file.ts';
import { databasePath } from '../db/open.ts';
import { copySqlite, SqliteCopy } from '../db/sqlite-copy.ts';
import { photoTypes } from '../photos/images.ts';
import { photosFolder } from '../photos/photo-folders.ts';
import { photoFile } from '../photos/storage-keys.ts';
import type { Head, ManifestFile, OmittedFile } from './archive-format.ts';
import { archiveFormat } from './archive-format.ts';
import type { ArchivedFile } from './archive-writer.ts';
import { archiveBytes } from './archive-writer.ts';
import { BackupError } from './backup-error.ts';
import { dataFolderFiles } from './data-folder-files.ts';

/** What is backed up. */
export interface BackupSource {
  /** The data folder. */
  readonly folder: string;
  readonly database: Head['database'];
  readonly photos: Head['photos'];
  /** The version of this program. */
  readonly program: string;
  readonly clock: Clock;
}

/** What a back-up holds. */
export interface BackupReport {
  /** Bytes of the archive. */
  readonly size: number;
  readonly files: number;
  readonly omitted: readonly OmittedFile[];
}

/** Quick: photos do not get smaller, and the rest is little. */
const compression = { level: 1 };

/**
 * Writes one archive of a data folder, whether a server runs on it or not: first the database as it is at one moment, then
 * the files, so that each photo that the database names is there unless it is deleted meanwhile. A name that ends with `.gz`
 * or `.tgz` is compressed. Throws {@link BackupError}, FileExists, and what the file system says; nothing is left behind then.
 */
export async function createBackup(source: BackupSource, path: string, replaces = false): Promise<BackupReport> {
  const { folder, database, photos, program, clock } = source;
  const holdsDatabase = database === 'sqlite';
  if (!existsSync(holdsDatabase ? databasePath(folder) : folder))
    throw new BackupError(`There is no data in ${folder}. Is DATA_DIR right?`);
  if (await liesInside(folder, path))
    throw new BackupError('A back-up belongs outside of the data folder, best on another disk.');
  // Beside the archive, where there must be room anyway.
  const copy = holdsDatabase ? `${temporaryPath(path)}.sqlite` : null;
  const omitted: OmittedFile[] = [];
  let files = 0;
  // Copied only when the archive has been begun: then nobody else writes the same one.
  async function* bytes(): AsyncGenerator<Buffer> {
    const created_at = currentTimestamp(clock);
    const schema = copy === null ? null : copied(databasePath(folder), copy);
    const head: Head = { format: archiveFormat, program, schema, created_at, database, photos };
    yield* archiveBytes(head, all(folder, copy, omitted), omitted, (written) => {
      files = written.length;
      if (copy === null) return;
      if (photos === 'folder') omitted.push(...missingPhotos(copy, written));
      const key = keyFile('');
      if (!written.some((file) => file.path === key))
        omitted.push({ path: key, reason: 'not there: everybody will have to sign in again' });
    });
  }
  try {
    const size = await writeDurableFile(path, stream(bytes(), /\.t?gz$/.test(path)), { overwrite: replaces });
    return { size, files, omitted };
  } finally {
    if (copy !== null) await rm(copy, { force: true });
  }
}

function copied(from: string, to: string): number {
  copySqlite(from, to);
  const copy = new SqliteCopy(to);
  try {
    return copy.schemaVersion;
  } finally {
    copy.close();
  }
}

const keptPhotos = 'select device_id, photo_key, photo_type from images where photo_type is not null';

/** Photos that the database names and that are not there: deleted since it was copied, or lost before. */
function missingPhotos(copy: string, written: readonly ManifestFile[]): OmittedFile[] {
  const there = new Set(written.map(({ path }) => path));
  const database = new SqliteCopy(copy);
  try {
    const missing: OmittedFile[] = [];
    for (const [device, key, type] of database.rows(keptPhotos)) {
      const known = photoTypes.find((one) => one === type);
      const path = known && `${photosFolder('')}/${photoFile(Number(device), String(key), known, 'full')}`;
      if (path !== undefined && !there.has(path)) missing.push({ path, reason: 'a photo without its file' });
    }
    return missing;
  } finally {
    database.close();
  }
}

async function* all(folder: string, copy: string | null, omitted: OmittedFile[]): AsyncGenerator<ArchivedFile> {
  if (copy !== null) yield { path: basename(databasePath(folder)), source: copy, isNeeded: true };
  yield* dataFolderFiles(folder, omitted);
}

function stream(bytes: AsyncIterable<Buffer>, isCompressed: boolean): Readable {
  const plain = Stream.from(bytes, { objectMode: false, highWaterMark: 1024 * 1024 });
  // Failures on the way come out where the result is read.
  return isCompressed ? pipeline(plain, createGzip(compression), () => undefined) : plain;
}

/** Whether a file would lie in the data folder, or in one that a link there leads to, by whatever way its path goes. */
async function liesInside(folder: string, path: string): Promise<boolean> {
  const room = await realpath(dirname(path)).catch(() => null);
  // Whoever writes it finds out that there is no such folder.
  if (room === null) return false;
  const links = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isSymbolicLink());
  for (const one of [folder, ...links.map(({ name }) => join(folder, name))]) {
    const real = await realpath(one).catch(() => null);
    if (real !== null && isInside(real, room)) return true;
  }
  return false;
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
