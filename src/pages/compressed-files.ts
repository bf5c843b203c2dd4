import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

/** The encodings of answers, the better one first. */
export const encodings = ['br', 'gzip'] as const;

export type Encoding = (typeof encodings)[number];

/** Bytes of compressed files kept in memory. */
const mostKept = 32 * 1024 * 1024;
/** Bytes of a file that is worth the work, and of one that is too big for it. */
const least = 1024;
const most = 16 * 1024 * 1024;
/** Files that wait for their turn; what comes then is sent as it is. */
const mostWaiting = 16;

const compress: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  // Quality 5: a bundle of 5 MB takes a tenth of a second, and is hardly bigger than at 11, which takes ten.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6 }),
};

/** A file as it is at the moment. */
export interface FileState {
  readonly path: string;
  readonly size: number;
  /** Changes with the content. */
  readonly tag: string;
}

/** Compresses each file once, one after the other and off the event loop, and keeps what was asked for lately. */
export class CompressedFiles {
  readonly #kept = new LRUCache<string, Buffer>({ maxSize: mostKept, sizeCalculation: (bytes) => bytes.length });
  readonly #underWay = new Map<string, Promise<Buffer | null>>();
  #last: Promise<unknown> = Promise.resolve();

  /** The file's bytes, compressed; null: better send it as it is. */
  async of(file: FileState, encoding: Encoding): Promise<Buffer | null> {
    if (file.size < least || file.size > most) return null;
    const key = `${encoding} ${file.tag} ${file.path}`;
    const kept = this.#kept.get(key) ?? this.#underWay.get(key);
    if (kept) return kept;
    if (this.#underWay.size >= mostWaiting) return null;
    const work = this.#last.then(async () => {
      const bytes = await readFile(file.path);
      // Changed since it was looked at: its tag would name the wrong content.
      if (bytes.length !== file.size) return null;
      const compressed = await compress[encoding](bytes);
      this.#kept.set(key, compressed);
      return compressed;
    });
    this.#underWay.set(key, work);
    this.#last = work.catch(() => undefined).finally(() => this.#underWay.delete(key));
    return work;
  }
}
