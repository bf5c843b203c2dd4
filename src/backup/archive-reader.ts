import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Header, Pax } from 'tar';
import { errorCode } from '../core/system.ts';
import { blockSize } from './archive-writer.ts';
import { BackupError } from './backup-error.ts';

/** An entry of an archive. Its content must be consumed before the next entry is requested. */
export interface ArchiveEntry {
  readonly name: string;
  readonly size: number;
  /** Streams the content. Throws {@link BackupError} if the archive ends early. */
  content(): AsyncGenerator<Buffer>;
}

/** Maximum size of the extended header of an entry with a long name, in bytes. */
const maxExtendedHeaderSize = 1024 * 1024;

const truncated = (): BackupError => new BackupError('The archive is truncated, or is still being written.');

const corrupt = (): BackupError => new BackupError('The file is not a backup, or it is corrupt.');

/** Reads a stream of chunks in the amounts that are requested. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns between one and `max` bytes; null at the end. */
  async read(max: number): Promise<Buffer | null> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return null;
      this.#rest = value;
    }
    const part = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  /** Returns exactly `count` bytes. Throws {@link BackupError}. */
  async readExactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const part = await this.read(left);
      if (!part) throw truncated();
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** Yields the entries of a tar archive, which may be gzipped, in order. Throws {@link BackupError} for entries other than regular files and for a missing end. */
export async function* readEntries(path: string): AsyncGenerator<ArchiveEntry> {
  const source = new ByteSource(await openArchive(path));
  try {
    let extended: Pax | undefined;
    for (;;) {
      const block = await source.readExactly(blockSize);
      const header = new Header(block, 0);
      if (header.nullBlock) return await assertEnd(source, block);
      const name = extended?.path ?? header.path;
      const size = extended?.size ?? header.size;
      if (!header.cksumValid || name === undefined || size === undefined || !Number.isSafeInteger(size) || size < 0)
        throw corrupt();
      const { type } = header;
      if (type === 'ExtendedHeader' && extended === undefined && size <= maxExtendedHeaderSize) {
        extended = Pax.parse((await source.readExactly(size)).toString('utf8'));
        await skipPadding(source, size);
        continue;
      }
      if (type !== 'File') throw corrupt();
      extended = undefined;
      let left = size;
      async function* content(): AsyncGenerator<Buffer> {
        while (left > 0) {
          const part = await source.read(left);
          if (!part) throw truncated();
          left -= part.length;
          yield part;
        }
      }
      yield { name, size, content };
      if (left > 0) throw new Error(`the content of ${name} was not read`);
      await skipPadding(source, size);
    }
  } finally {
    await source.close();
  }
}

const isZeros = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

/** Two blocks of zeros end an archive; some programs write more of them. Throws {@link BackupError} if anything else follows. */
async function assertEnd(source: ByteSource, first: Buffer): Promise<void> {
  if (!isZeros(first) || !isZeros(await source.readExactly(blockSize))) throw corrupt();
  for (let rest = await source.read(maxExtendedHeaderSize); rest; rest = await source.read(maxExtendedHeaderSize))
    if (!isZeros(rest)) throw corrupt();
}

/** Skips the zeros that fill the last block of content. */
async function skipPadding(source: ByteSource, size: number): Promise<void> {
  const zeros = await source.readExactly((blockSize - (size % blockSize)) % blockSize);
  if (!isZeros(zeros)) throw corrupt();
}

/** Returns the bytes of a file, decompressed if it starts with the gzip magic number. */
async function openArchive(path: string): Promise<AsyncIterable<Buffer>> {
  const file = await open(path, 'r');
  const start = Buffer.alloc(2);
  try {
    await file.read(start, 0, 2, 0);
  } finally {
    await file.close();
  }
  return start[0] === 0x1f && start[1] === 0x8b ? decompressed(path) : fileChunks(path);
}

const fileChunks = (path: string, start = 0): AsyncIterable<Buffer> =>
  createReadStream(path, { start, highWaterMark: 1024 * 1024 });

async function* decompressed(path: string): AsyncGenerator<Buffer> {
  const unzip = createGunzip({ chunkSize: 256 * 1024 });
  // Errors surface in the loop below.
  pipeline(fileChunks(path), unzip).catch(() => undefined);
  try {
    for await (const chunk of unzip) yield chunk as Buffer;
  } catch (error) {
    throw errorCode(error) === 'Z_BUF_ERROR' ? truncated() : corrupt();
  }
  // Node ignores whatever follows the last gzip member.
  for await (const rest of fileChunks(path, unzip.bytesWritten)) if (!isZeros(rest)) throw corrupt();
}
