import { readFile } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { compress, type Encoding } from '../engine/content-encoding.ts';

/** Bytes of compressed files cached in memory. */
const maxCacheSize = 32 * 1024 * 1024;
/** Sizes in bytes of files that are compressed. */
const minFileSize = 1024;
const maxFileSize = 16 * 1024 * 1024;
/** Files waiting to be compressed; beyond it they are sent uncompressed. */
const maxPending = 16;

/** A file and its current version. */
export interface FileState {
  readonly path: string;
  readonly size: number;
  /** Changes with the content. */
  readonly tag: string;
}

/** Compresses each file once, one at a time and off the event loop, with a cache of recently used results. */
export class CompressedFiles {
  readonly #cache = new LRUCache<string, Buffer>({ maxSize: maxCacheSize, sizeCalculation: (bytes) => bytes.length });
  readonly #pending = new Map<string, Promise<Buffer | null>>();
  #last: Promise<unknown> = Promise.resolve();

  /** Returns the compressed content, or null if the file should be sent uncompressed. */
  async compress(file: FileState, encoding: Encoding): Promise<Buffer | null> {
    if (file.size < minFileSize || file.size > maxFileSize) return null;
    const key = `${encoding} ${file.tag} ${file.path}`;
    const known = this.#cache.get(key) ?? this.#pending.get(key);
    if (known) return known;
    if (this.#pending.size >= maxPending) return null;
    const work = this.#last.then(async () => {
      const bytes = await readFile(file.path);
      // The file changed since its ETag was computed.
      if (bytes.length !== file.size) return null;
      const compressed = await compress(bytes, encoding, 'kept');
      this.#cache.set(key, compressed);
      return compressed;
    });
    this.#pending.set(key, work);
    this.#last = work.catch(() => undefined).finally(() => this.#pending.delete(key));
    return work;
  }
}
