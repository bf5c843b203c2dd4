import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { notResumable } from '../accounts/session-resumption.ts';
import { createFile, moveDurably, syncFolderTree } from '../core/durable-file.ts';
import { errorCode } from '../core/system.ts';
import { createTemporaryPath, deleteTemporaryFile } from '../core/temporary-files.ts';
import { migrations } from '../db/migrations/list.ts';
import { databasePath } from '../db/open.ts';
import { clearColumns, SqliteCopy } from '../db/sqlite-copy.ts';
import type { ArchiveHeader, Manifest, ManifestFile } from './archive-format.ts';
import {
  checksumLine,
  dataPath,
  headerName,
  invalidEntry,
  manifestName,
  maxHeaderSize,
  maxManifestSize,
  parseArchiveManifest,
  parseHeader,
} from './archive-format.ts';
import type { ArchiveEntry } from './archive-reader.ts';
import { readEntries } from './archive-reader.ts';
import { BackupError } from './backup-error.ts';
import { lockFile } from './data-folder-files.ts';

/** The target of a restored backup. */
export interface RestorationTarget {
  /** The data folder. It exists, and the caller holds its lock. */
  readonly folder: string;
  /** The database that this server is configured for. */
  readonly database: ArchiveHeader['database'];
}

/** The newest migration that this version knows. */
const newestMigration = migrations.at(-1)?.number ?? 0;

/** Prefix of the folder that files are unpacked into before they are moved into place. */
const stagingPrefix = '.restoring';

/**
 * Restores a backup into an empty data folder after verifying all of it: the size and checksum of every file, the integrity of
 * the database, and that its schema is no newer than this version. Until then, and after any error, the folder is as empty as
 * before. Throws {@link BackupError} and file system errors.
 */
export async function restore(archive: string, { folder, database }: RestorationTarget): Promise<Manifest> {
  const names = (await readdir(folder)).filter((name) => name !== lockFile);
  // Remains of an interrupted restore are not data.
  if (names.some((name) => !name.startsWith(stagingPrefix)))
    throw new BackupError(
      `The data folder ${folder} is not empty. A backup can only be restored into an empty folder.`,
    );
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
  const staging = createTemporaryPath(join(folder, stagingPrefix));
  await mkdir(staging, { mode: 0o700 });
  const moved: string[] = [];
  try {
    const manifest = await unpack(archive, staging, (header) => assertCompatible(header, database));
    if (manifest.database === 'sqlite') {
      assertIntact(databasePath(staging));
      // A browser that was used after the backup would look like a copied one, which ends its session. [ADR 125]
      clearColumns(databasePath(staging), 'token_issuances', Object.keys(notResumable));
    }
    await syncFolderTree(staging);
    const found = await readdir(staging);
    // The database is moved last: a folder that has one is complete.
    const last = databasePath('');
    for (const name of found.sort((a, b) => Number(a === last) - Number(b === last))) {
      moved.push(name);
      await moveDurably(join(staging, name), join(folder, name));
    }
    return manifest;
  } catch (error) {
    for (const name of [...moved].reverse()) await rm(join(folder, name), { recursive: true, force: true });
    throw error;
  } finally {
    await deleteTemporaryFile(staging);
  }
}

function assertCompatible(header: ArchiveHeader, database: ArchiveHeader['database']): void {
  if (header.database !== database)
    throw new BackupError(
      header.database === 'sqlite'
        ? 'The backup contains an SQLite database, but DATABASE_URL is set. Unset it to restore.'
        : 'The backup is from a server with PostgreSQL. Restore its database first, and set DATABASE_URL.',
    );
  if (header.schema !== null && header.schema > newestMigration)
    throw new BackupError(
      `The database in the backup has schema version ${header.schema}, but this version of Potager supports at most ${newestMigration}. Use a newer version.`,
    );
}

/** Unpacks all files and compares them with the manifest. */
async function unpack(archive: string, folder: string, check: (header: ArchiveHeader) => void): Promise<Manifest> {
  let header: ArchiveHeader | null = null;
  let manifest: Buffer | null = null;
  let checksum: string | null = null;
  const files: ManifestFile[] = [];
  for await (const entry of readEntries(archive)) {
    const { name } = entry;
    if (checksum !== null) throw new BackupError('The archive continues after its end.');
    if (!header) {
      if (name !== headerName) throw new BackupError('The file is not a backup made by Potager.');
      header = parseHeader(await readContent(entry, maxHeaderSize));
      check(header);
    } else if (manifest) checksum = (await readContent(entry, maxHeaderSize)).toString();
    else if (name === manifestName) manifest = await readContent(entry, maxManifestSize);
    else files.push(await unpackFile(entry, folder));
  }
  if (!manifest || checksum === null) throw new BackupError('The archive has no end: it is truncated.');
  if (checksum !== checksumLine(manifest)) throw new BackupError('The manifest of the archive is corrupt.');
  const parsed = parseArchiveManifest(manifest);
  assertMatches(files, parsed, header);
  return parsed;
}

function assertMatches(
  files: readonly ManifestFile[],
  { files: expected, left_out: _, ...described }: Manifest,
  header: ArchiveHeader | null,
): void {
  if (files.length !== expected.length || !isDeepStrictEqual(described, header))
    throw new BackupError('The archive does not match its manifest.');
  for (const [index, { path, size, sha256 }] of expected.entries()) {
    const file = files[index];
    if (file?.path !== path || file.size !== size || file.sha256 !== sha256)
      throw new BackupError(`${JSON.stringify(path)} does not match the manifest of the archive.`);
  }
}

async function readContent(entry: ArchiveEntry, maxSize: number): Promise<Buffer> {
  if (entry.size > maxSize) throw new BackupError(`${entry.name} in the archive is too large.`);
  const parts: Buffer[] = [];
  for await (const part of entry.content()) parts.push(part);
  return Buffer.concat(parts);
}

/** Error codes for a path that conflicts with an earlier one, or is too long. */
const pathErrors: ReadonlySet<unknown> = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']);

async function unpackFile(entry: ArchiveEntry, folder: string): Promise<ManifestFile> {
  const path = dataPath(entry.name);
  if (path === lockFile) throw invalidEntry(entry.name);
  const target = join(folder, path);
  const hash = createHash('sha256');
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await createFile(target, async (file) => {
      for await (const part of entry.content()) {
        hash.update(part);
        await file.writeFile(part);
      }
    });
  } catch (error) {
    throw pathErrors.has(errorCode(error)) ? invalidEntry(entry.name) : error;
  }
  return { path, size: entry.size, sha256: hash.digest('hex') };
}

/** Throws {@link BackupError} unless the database is intact and has only migrations that this version knows, whatever the header says. */
function assertIntact(path: string): void {
  let copy: SqliteCopy | null = null;
  try {
    copy = new SqliteCopy(path);
    const applied = copy.migrations;
    if (applied.length === 0 || applied.some((number) => !migrations.some((known) => known.number === number)))
      throw new BackupError('The database in the archive is not from Potager, or from a newer version.');
    const [problem] = copy.problems();
    if (problem) throw new BackupError(`The database in the archive is corrupt: ${problem}.`);
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(
      `The database in the archive cannot be read: ${error instanceof Error ? error.message : error}.`,
    );
  } finally {
    copy?.close();
  }
}
