import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { Header, Pax } from 'tar';
import type { Head, Manifest, ManifestFile, OmittedFile } from './archive-format.ts';
import { entryName, headName, manifestName, sealName, sealOf } from './archive-format.ts';

/** A file that is to be put into an archive. */
export interface ArchivedFile {
  /** In the data folder, with slashes. */
  readonly path: string;
  /** Where its content is read. */
  readonly source: string;
  /** Nothing is worth anything without it. */
  readonly isNeeded?: true;
}

/** A tape archive is made of blocks of so many bytes. */
export const blockSize = 512;
/** Bytes that are read and handed on at once. */
const pieceSize = 256 * 1024;

/** The zeros that fill the last block of content. */
const padding = (size: number): Buffer => Buffer.alloc((blockSize - (size % blockSize)) % blockSize);

function headerOf(path: string, size: number, modified: Date): Buffer {
  const facts = { path, size, mode: 0o600, mtime: modified, uid: 0, gid: 0 };
  const block = Buffer.alloc(blockSize);
  const isTooLong = new Header({ ...facts, type: 'File' }).encode(block, 0);
  // Names that do not fit into a header have one more before it.
  return isTooLong ? Buffer.concat([new Pax(facts).encode(), block]) : block;
}

const jsonBytes = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 1)}\n`);

function* entry(name: string, bytes: Buffer, modified: Date): Generator<Buffer> {
  yield headerOf(name, bytes.length, modified);
  yield bytes;
  yield padding(bytes.length);
}

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/**
 * The bytes of an archive, made while they are read: what it is, the files, and in the end what was written of each. A file
 * that is deleted before its turn is listed as left out; `close` may tell of more. Throws what the file system says.
 */
export async function* archiveBytes(
  head: Head,
  files: AsyncIterable<ArchivedFile>,
  leftOut: OmittedFile[],
  close: (written: readonly ManifestFile[]) => void = () => undefined,
): AsyncGenerator<Buffer> {
  const modified = new Date(head.created_at);
  yield* entry(headName, jsonBytes(head), modified);
  const written: ManifestFile[] = [];
  for await (const { path, source, isNeeded } of files) {
    let file: FileHandle;
    try {
      file = await open(source, 'r');
    } catch (error) {
      if (isNeeded || !isGone(error)) throw error;
      leftOut.push({ path, reason: 'deleted during the back-up' });
      continue;
    }
    try {
      written.push(yield* fileEntry(path, file));
    } finally {
      await file.close();
    }
  }
  close(written);
  const manifest: Manifest = { ...head, files: written, left_out: leftOut };
  const bytes = jsonBytes(manifest);
  yield* entry(manifestName, bytes, modified);
  yield* entry(sealName, Buffer.from(sealOf(bytes)), modified);
  yield Buffer.alloc(2 * blockSize);
}

/** One file, exactly as long as it was when it was opened: files of the data folder are written whole and never changed. */
async function* fileEntry(path: string, file: FileHandle): AsyncGenerator<Buffer, ManifestFile> {
  const { size, mtime } = await file.stat();
  yield headerOf(entryName(path), size, mtime);
  const hash = createHash('sha256');
  for (let done = 0; done < size; ) {
    const piece = Buffer.allocUnsafe(Math.min(pieceSize, size - done));
    const { bytesRead } = await file.read(piece, 0, piece.length, done);
    if (bytesRead === 0) throw new Error(`${path} became shorter while it was read.`);
    const part = piece.subarray(0, bytesRead);
    hash.update(part);
    yield part;
    done += bytesRead;
  }
  yield padding(size);
  return { path, size, sha256: hash.digest('hex') };
}
