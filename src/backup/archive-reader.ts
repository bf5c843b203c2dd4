import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Header, Pax } from 'tar';
import { blockSize } from './archive-writer.ts';
import { BackupError } from './backup-error.ts';

/** An entry of an archive. Its content must be read before the next entry is asked for. */
export interface Entry {
  readonly name: string;
  readonly size: number;
  /** The content piece by piece. Throws {@link BackupError} when the archive ends before. */
  content(): AsyncGenerator<Buffer>;
}

/** Bytes of the extra header for a long name. */
const longestExtra = 1024 * 1024;

const cutOff = (): BackupError =>
  new BackupError('The archive ends too early: it was cut off, or is still being written.');

const notOurs = (): BackupError => new BackupError('This is no back-up, or it was altered.');

/** Bytes as they come, taken in the amounts that are asked for. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** At least one byte and at most `most`; null at the end. */
  async some(most: number): Promise<Buffer | null> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return null;
      this.#rest = value;
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  /** Exactly so many bytes. Throws {@link BackupError}. */
  async exactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const part = await this.some(left);
      if (!part) throw cutOff();
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** The entries of a tape archive, which may be compressed, in their order. Only plain files are taken. Throws {@link BackupError} for all else, and when it has no end. */
export async function* entriesOf(path: string): AsyncGenerator<Entry> {
  const source = new ByteSource(await bytesOf(path));
  try {
    let extra: Pax | undefined;
    for (;;) {
      const block = await source.exactly(blockSize);
      const header = new Header(block, 0);
      if (header.nullBlock) return await assertEnd(source, block);
      const name = extra?.path ?? header.path;
      const size = extra?.size ?? header.size;
      if (!header.cksumValid || name === undefined || size === undefined || !Number.isSafeInteger(size) || size < 0)
        throw notOurs();
      const { type } = header;
      if (type === 'ExtendedHeader' && extra === undefined && size <= longestExtra) {
        extra = Pax.parse((await source.exactly(size)).toString('utf8'));
        await skipPadding(source, size);
        continue;
      }
      if (type !== 'File') throw notOurs();
      extra = undefined;
      let left = size;
      async function* content(): AsyncGenerator<Buffer> {
        while (left > 0) {
          const part = await source.some(left);
          if (!part) throw cutOff();
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

/** Two blocks of zeros end an archive; some programs write more of them, and nothing else follows. */
async function assertEnd(source: ByteSource, first: Buffer): Promise<void> {
  if (!isZeros(first) || !isZeros(await source.exactly(blockSize))) throw notOurs();
  for (let rest = await source.some(longestExtra); rest; rest = await source.some(longestExtra))
    if (!isZeros(rest)) throw notOurs();
}

/** The zeros that fill the last block of content. */
async function skipPadding(source: ByteSource, size: number): Promise<void> {
  const zeros = await source.exactly((blockSize - (size % blockSize)) % blockSize);
  if (!isZeros(zeros)) throw notOurs();
}

/** The bytes of a file, unpacked where they begin as those of gzip do. */
async function bytesOf(path: string): Promise<AsyncIterable<Buffer>> {
  const file = await open(path, 'r');
  const start = Buffer.alloc(2);
  try {
    await file.read(start, 0, 2, 0);
  } finally {
    await file.close();
  }
  return start[0] === 0x1f && start[1] === 0x8b ? unpacked(path) : read(path);
}

const read = (path: string, start = 0): AsyncIterable<Buffer> =>
  createReadStream(path, { start, highWaterMark: 1024 * 1024 });

async function* unpacked(path: string): AsyncGenerator<Buffer> {
  const unzip = createGunzip({ chunkSize: 256 * 1024 });
  // Its failures come out of the reading below.
  pipeline(read(path), unzip).catch(() => undefined);
  try {
    for await (const piece of unzip) yield piece as Buffer;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    throw code === 'Z_BUF_ERROR' ? cutOff() : notOurs();
  }
  // What follows the last compressed part is passed over without a word.
  for await (const rest of read(path, unzip.bytesWritten)) if (!isZeros(rest)) throw notOurs();
}
