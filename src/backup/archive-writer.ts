import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { Header, Pax } from 'tar';
import { errorCode } from '../core/system.ts';
import type { ArchiveHeader, Manifest, ManifestFile, OmittedFile } from './archive-format.ts';
import { checksumLine, checksumName, entryName, headerName, manifestName } from './archive-format.ts';

/** A file to be archived. */
export interface ArchivedFile {
  /** Relative to the data folder, with slashes. */
  readonly path: string;
  /** The path its content is read from. */
  readonly source: string;
  /** The backup fails without it. */
  readonly isRequired?: true;
}

/** The block size of tar archives, in bytes. */
export const blockSize = 512;
/** Bytes that are read at a time. */
const chunkSize = 256 * 1024;

/** Returns the zeros that fill the last block of content. */
const padding = (size: number): Buffer => Buffer.alloc((blockSize - (size % blockSize)) % blockSize);

function entryHeader(path: string, size: number, modified: Date): Buffer {
  const fields = { path, size, mode: 0o600, mtime: modified, uid: 0, gid: 0 };
  const block = Buffer.alloc(blockSize);
  const isTooLong = new Header({ ...fields, type: 'File' }).encode(block, 0);
  // A name that does not fit is written in an extended header before it.
  return isTooLong ? Buffer.concat([new Pax(fields).encode(), block]) : block;
}

const jsonBytes = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 1)}\n`);

function* entry(name: string, bytes: Buffer, modified: Date): Generator<Buffer> {
  yield entryHeader(name, bytes.length, modified);
  yield bytes;
  yield padding(bytes.length);
}

/**
 * Yields the bytes of an archive: header, files, manifest and checksum. A file that is deleted before it is read is listed as
 * omitted; `onFilesWritten` may add more. Throws file system errors.
 */
export async function* archiveBytes(
  header: ArchiveHeader,
  files: AsyncIterable<ArchivedFile>,
  omitted: OmittedFile[],
  onFilesWritten: (written: readonly ManifestFile[]) => void = () => undefined,
): AsyncGenerator<Buffer> {
  const modified = new Date(header.created_at);
  yield* entry(headerName, jsonBytes(header), modified);
  const written: ManifestFile[] = [];
  for await (const { path, source, isRequired } of files) {
    let file: FileHandle;
    try {
      file = await open(source, 'r');
    } catch (error) {
      if (isRequired || errorCode(error) !== 'ENOENT') throw error;
      omitted.push({ path, reason: 'deleted during the backup' });
      continue;
    }
    try {
      written.push(yield* fileEntry(path, file));
    } finally {
      await file.close();
    }
  }
  onFilesWritten(written);
  const manifest: Manifest = { ...header, files: written, left_out: omitted };
  const bytes = jsonBytes(manifest);
  yield* entry(manifestName, bytes, modified);
  yield* entry(checksumName, Buffer.from(checksumLine(bytes)), modified);
  yield Buffer.alloc(2 * blockSize);
}

/** Yields one file with the size it had when it was opened: files of the data folder are written once and never changed. */
async function* fileEntry(path: string, file: FileHandle): AsyncGenerator<Buffer, ManifestFile> {
  const { size, mtime } = await file.stat();
  yield entryHeader(entryName(path), size, mtime);
  const hash = createHash('sha256');
  for (let done = 0; done < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkSize, size - done));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, done);
    if (bytesRead === 0) throw new Error(`${path} was truncated while it was read.`);
    const part = chunk.subarray(0, bytesRead);
    hash.update(part);
    yield part;
    done += bytesRead;
  }
  yield padding(size);
  return { path, size, sha256: hash.digest('hex') };
}
