import { createHash } from 'node:crypto';
import { isObject } from '../core/json.ts';
import { BackupError } from './backup-error.ts';

/** The archive format that this version writes, and the newest one it reads. */
export const archiveFormat = 1;

/** The first entry: describes the archive. */
export const headerName = 'potager-backup.json';
/** The entry after the files: lists them. */
export const manifestName = 'manifest.json';
/** The last entry, missing from a truncated archive: the SHA-256 of the manifest in the format of `sha256sum`. */
export const checksumName = 'manifest.json.sha256';
/** The prefix of entries that are files of the data folder. */
const dataFolder = 'data/';

/** Maximum size of the manifest, in bytes: about 150 for each file. */
export const maxManifestSize = 256 * 1024 * 1024;
/** Maximum size of the first and of the last entry, in bytes. */
export const maxHeaderSize = 64 * 1024;
/** Maximum length of a path, in characters. */
const maxPathLength = 1000;

/** The description of an archive, written before its files. */
export interface ArchiveHeader {
  readonly format: number;
  /** The version of Potager that wrote it. */
  readonly program: string;
  /** The schema version of the database inside; null if there is none. */
  readonly schema: number | null;
  /** When the backup was started. */
  readonly created_at: string;
  /** The place of the database: the archive, or a PostgreSQL server that is backed up with its own tools. */
  readonly database: 'sqlite' | 'postgres';
  /** The place of the photos: the archive, or a bucket that is not backed up. */
  readonly photos: 'folder' | 'bucket';
}

export interface ManifestFile {
  /** Relative to the data folder, with slashes. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** A file of the data folder that is not in the archive. */
export interface OmittedFile {
  readonly path: string;
  readonly reason: string;
}

/** The list of an archive's files, written after them. */
export interface Manifest extends ArchiveHeader {
  readonly files: readonly ManifestFile[];
  readonly left_out: readonly OmittedFile[];
}

/** Returns the content of the last entry for a manifest. */
export const checksumLine = (manifest: Buffer): string =>
  `${createHash('sha256').update(manifest).digest('hex')}  ${manifestName}\n`;

/** Returns the name of the entry for a file of the data folder. */
export const entryName = (path: string): string => dataFolder + path;

/** Returns the path of an entry within the data folder. Throws {@link BackupError} for names that lead elsewhere. */
export function dataPath(entry: string): string {
  const path = entry.slice(dataFolder.length);
  const isValid =
    entry.startsWith(dataFolder) &&
    entry.length <= maxPathLength &&
    [...path].every((character) => character >= ' ' && character !== '\\') &&
    path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
  if (!isValid) throw invalidEntry(entry);
  return path;
}

/** Returns the error for an entry whose name no backup contains. */
export const invalidEntry = (entry: string): BackupError =>
  new BackupError(`The archive contains ${JSON.stringify(entry.slice(0, 100))}, which does not belong in a backup.`);

const isShortText = (value: unknown): value is string => typeof value === 'string' && value.length <= maxPathLength;
const isNatural = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const invalidPart = (name: string): BackupError =>
  new BackupError(`${name} is not as \`potager backup\` writes it: the archive is damaged. Use another one.`);

function parseObject(bytes: Buffer, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw invalidPart(name);
}

/** Parses the first entry. Throws {@link BackupError}, also for a newer format than this version supports. */
export function parseHeader(bytes: Buffer, name = headerName): ArchiveHeader {
  const { format, program, schema, created_at, database, photos } = parseObject(bytes, name);
  if (typeof format === 'number' && format > archiveFormat)
    throw new BackupError('The archive was written by a newer version of Potager. Use that version to restore it.');
  if (
    format !== archiveFormat ||
    !isShortText(program) ||
    !(schema === null || isNatural(schema)) ||
    !isShortText(created_at) ||
    !(database === 'sqlite' || database === 'postgres') ||
    !(photos === 'folder' || photos === 'bucket')
  )
    throw invalidPart(name);
  return { format, program, schema, created_at, database, photos };
}

const isFile = (value: unknown): value is ManifestFile =>
  isObject(value) && isShortText(value.path) && isNatural(value.size) && isShortText(value.sha256);

const isOmittedFile = (value: unknown): value is OmittedFile =>
  isObject(value) && isShortText(value.path) && isShortText(value.reason);

/** Parses the manifest. Throws {@link BackupError}. */
export function parseArchiveManifest(bytes: Buffer): Manifest {
  const { files, left_out } = parseObject(bytes, manifestName);
  if (!Array.isArray(files) || !files.every(isFile) || !Array.isArray(left_out) || !left_out.every(isOmittedFile))
    throw invalidPart(manifestName);
  return { ...parseHeader(bytes, manifestName), files, left_out };
}
