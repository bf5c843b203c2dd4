import { createHash } from 'node:crypto';
import { isObject } from '../core/json.ts';
import { BackupError } from './backup-error.ts';

/** The form of the archives that this program writes, and the newest that it reads. */
export const archiveFormat = 1;

/** The first entry: what this archive is. */
export const headName = 'potager-backup.json';
/** The entry after the files: what they are. */
export const manifestName = 'manifest.json';
/** The last entry, which a cut-off archive lacks: the SHA-256 of the manifest, as `sha256sum` writes it. */
export const sealName = 'manifest.json.sha256';
/** What the files of the data folder stand under. */
const dataFolder = 'data/';

/** Bytes of the manifest at most: it names every file, in some 150 bytes each. */
export const longestManifest = 256 * 1024 * 1024;
/** Bytes of the first entry at most. */
export const longestHead = 64 * 1024;
/** Characters of a path at most. */
const longestPath = 1000;

/** What an archive says of itself before its files. */
export interface Head {
  readonly format: number;
  /** The version of the program that wrote it. */
  readonly program: string;
  /** The newest migration of the database inside; null where it holds none. */
  readonly schema: number | null;
  /** When it was begun. */
  readonly created_at: string;
  /** Where the database was: in the archive, or on a server that its own tools back up. */
  readonly database: 'sqlite' | 'postgres';
  /** Where the photos were: in the archive, or in a bucket that stays where it is. */
  readonly photos: 'folder' | 'bucket';
}

export interface ManifestFile {
  /** In the data folder, with slashes. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Something of the data folder that is not in the archive. */
export interface OmittedFile {
  readonly path: string;
  readonly reason: string;
}

/** What an archive says of itself after its files. */
export interface Manifest extends Head {
  readonly files: readonly ManifestFile[];
  readonly left_out: readonly OmittedFile[];
}

/** What the last entry holds for a manifest of these bytes. */
export const sealOf = (manifest: Buffer): string =>
  `${createHash('sha256').update(manifest).digest('hex')}  ${manifestName}\n`;

/** The name of an entry for a file of the data folder. */
export const entryName = (path: string): string => dataFolder + path;

/** The file of the data folder that an entry is. Throws {@link BackupError} for names that lead elsewhere. */
export function dataPath(entry: string): string {
  const path = entry.slice(dataFolder.length);
  const isPlain =
    entry.startsWith(dataFolder) &&
    entry.length <= longestPath &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what it looks for
    !/[\\\u0000-\u001f]/.test(path) &&
    path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
  if (!isPlain) throw misplaced(entry);
  return path;
}

/** The failure for an entry that cannot be where it says. */
export const misplaced = (entry: string): BackupError =>
  new BackupError(`The archive holds ${JSON.stringify(entry.slice(0, 100))}, which has no place in a back-up.`);

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= longestPath;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function objectIn(bytes: Buffer, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new BackupError(`What the archive says in ${name} cannot be read.`);
}

/** Reads the first entry. Throws {@link BackupError}, also for a newer form than this program knows. */
export function readHead(bytes: Buffer, name = headName): Head {
  const { format, program, schema, created_at, database, photos } = objectIn(bytes, name);
  if (typeof format === 'number' && format > archiveFormat)
    throw new BackupError('A newer version of this program wrote the archive. Restore it with that one.');
  if (
    format !== archiveFormat ||
    !isText(program) ||
    !(schema === null || isCount(schema)) ||
    !isText(created_at) ||
    !(database === 'sqlite' || database === 'postgres') ||
    !(photos === 'folder' || photos === 'bucket')
  )
    throw new BackupError(`What the archive says in ${name} cannot be read.`);
  return { format, program, schema, created_at, database, photos };
}

const isFile = (value: unknown): value is ManifestFile =>
  isObject(value) && isText(value.path) && isCount(value.size) && isText(value.sha256);

const isLeftOut = (value: unknown): value is OmittedFile =>
  isObject(value) && isText(value.path) && isText(value.reason);

/** Reads the manifest. Throws {@link BackupError}. */
export function readManifest(bytes: Buffer): Manifest {
  const { files, left_out } = objectIn(bytes, manifestName);
  if (!Array.isArray(files) || !files.every(isFile) || !Array.isArray(left_out) || !left_out.every(isLeftOut))
    throw new BackupError(`What the archive says in ${manifestName} cannot be read.`);
  return { ...readHead(bytes, manifestName), files, left_out };
}
