import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createFile, errorCode, syncFolder, syncFolderTree } from '../core/durable-file.ts';
import { migrations } from '../db/migrations/list.ts';
import { databasePath } from '../db/open.ts';
import { SqliteCopy } from '../db/sqlite-copy.ts';
import type { Head, Manifest, ManifestFile } from './archive-format.ts';
import {
  dataPath,
  headName,
  longestHead,
  longestManifest,
  manifestName,
  misplaced,
  readHead,
  readManifest,
  sealOf,
} from './archive-format.ts';
import type { Entry } from './archive-reader.ts';
import { entriesOf } from './archive-reader.ts';
import { BackupError } from './backup-error.ts';
import { lockFile } from './data-folder-files.ts';

/** Where a back-up is to be unpacked. */
export interface RestorationTarget {
  /** The data folder. It exists, and no server can be started on it meanwhile. */
  readonly folder: string;
  /** The database that this server is set up for. */
  readonly database: Head['database'];
}

/** The newest migration that this program knows. */
const newest = migrations.at(-1)?.number ?? 0;

/** Unpacked files wait under such a name until all of them are there. */
const waiting = '.restoring-';

/**
 * Unpacks a back-up into an empty data folder, once all of it is there and right: every file as long and with the checksum
 * that the archive says, the database whole and no newer than this program. Until then, and after every failure, the folder
 * is as empty as before. Throws {@link BackupError}, and what the file system says.
 */
export async function restore(archive: string, { folder, database }: RestorationTarget): Promise<Manifest> {
  const names = (await readdir(folder)).filter((name) => name !== lockFile);
  // What a restoration that was cut off has left is nobody's data.
  if (names.some((name) => !name.startsWith(waiting)))
    throw new BackupError(`The data folder ${folder} is not empty. A back-up is only restored into an empty one.`);
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
  const room = join(folder, `${waiting}${randomBytes(4).toString('hex')}`);
  await mkdir(room, { mode: 0o700 });
  const moved: string[] = [];
  try {
    const manifest = await unpack(archive, room, (head) => assertFits(head, database));
    if (manifest.database === 'sqlite') assertWhole(databasePath(room));
    await syncFolderTree(room);
    const found = await readdir(room);
    // The database comes last: a folder with one in it is complete.
    const last = databasePath('');
    for (const name of found.sort((a, b) => Number(a === last) - Number(b === last))) {
      moved.push(name);
      await rename(join(room, name), join(folder, name));
    }
    await rm(room, { recursive: true });
    await syncFolder(folder);
    return manifest;
  } catch (error) {
    for (const name of [...moved].reverse()) await rm(join(folder, name), { recursive: true, force: true });
    await rm(room, { recursive: true, force: true });
    throw error;
  }
}

function assertFits(head: Head, database: Head['database']): void {
  if (head.database !== database)
    throw new BackupError(
      head.database === 'sqlite'
        ? 'The back-up holds an SQLite database, but DATABASE_URL names a PostgreSQL server. Unset it to restore.'
        : 'The back-up is of a server with PostgreSQL: restore that database first, and set DATABASE_URL.',
    );
  if (head.schema !== null && head.schema > newest)
    throw new BackupError(
      `The back-up's database is at version ${head.schema}, this program knows versions up to ${newest}. Please use the newer program.`,
    );
}

/** Unpacks all files and compares them with what the archive says in its end. */
async function unpack(archive: string, room: string, check: (head: Head) => void): Promise<Manifest> {
  let head: Head | null = null;
  let manifest: Buffer | null = null;
  let seal: string | null = null;
  const files: ManifestFile[] = [];
  for await (const entry of entriesOf(archive)) {
    const { name } = entry;
    if (seal !== null) throw new BackupError('The archive goes on after its end.');
    if (!head) {
      if (name !== headName) throw new BackupError('This is no back-up of this program.');
      head = readHead(await bytesOf(entry, longestHead));
      check(head);
    } else if (manifest) seal = (await bytesOf(entry, longestHead)).toString();
    else if (name === manifestName) manifest = await bytesOf(entry, longestManifest);
    else files.push(await unpackFile(entry, room));
  }
  if (!manifest || seal === null) throw new BackupError('The archive has no end: it was cut off.');
  if (seal !== sealOf(manifest)) throw new BackupError('What the archive says of its files was altered.');
  const read = readManifest(manifest);
  compare(files, read, head);
  return read;
}

function compare(
  files: readonly ManifestFile[],
  { files: expected, left_out: _, ...said }: Manifest,
  head: Head | null,
) {
  if (files.length !== expected.length || !isDeepStrictEqual(said, head))
    throw new BackupError('The archive does not hold what it should.');
  for (const [index, { path, size, sha256 }] of expected.entries()) {
    const file = files[index];
    if (file?.path !== path || file.size !== size || file.sha256 !== sha256)
      throw new BackupError(`${JSON.stringify(path)} is not as it was when the back-up was made.`);
  }
}

async function bytesOf(entry: Entry, most: number): Promise<Buffer> {
  if (entry.size > most) throw new BackupError(`${entry.name} is too long.`);
  const parts: Buffer[] = [];
  for await (const part of entry.content()) parts.push(part);
  return Buffer.concat(parts);
}

/** What the system says of a path that cannot be beside those before it. */
const impossible: ReadonlySet<unknown> = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']);

async function unpackFile(entry: Entry, room: string): Promise<ManifestFile> {
  const path = dataPath(entry.name);
  if (path === lockFile) throw misplaced(entry.name);
  const target = join(room, path);
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
    throw impossible.has(errorCode(error)) ? misplaced(entry.name) : error;
  }
  return { path, size: entry.size, sha256: hash.digest('hex') };
}

/** Throws {@link BackupError} unless the database is whole and no newer than this program, whatever the archive says. */
function assertWhole(path: string): void {
  let copy: SqliteCopy | null = null;
  try {
    copy = new SqliteCopy(path);
    const { schemaVersion } = copy;
    if (schemaVersion === 0 || schemaVersion > newest)
      throw new BackupError('The database in the archive is of another program, or of a newer version of this one.');
    const [problem] = copy.problems();
    if (problem) throw new BackupError(`The database in the archive is broken: ${problem}.`);
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(
      `The database in the archive cannot be read: ${error instanceof Error ? error.message : error}.`,
    );
  } finally {
    copy?.close();
  }
}
