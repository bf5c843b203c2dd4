import { createReadStream } from 'node:fs';
import { open, opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { moveDurably } from '../core/durable-file.ts';
import { errorCode } from '../core/system.ts';
import type { IncomingFiles } from './incoming-files.ts';
import type { PhotoStorage, StorageEntry, StoredFile } from './photo-storage.ts';
import type { StorageFolder, StorageKey } from './storage-keys.ts';

/** Photos in a local folder. */
export class DiskStorage implements PhotoStorage {
  readonly #folder: string;
  readonly #incoming: IncomingFiles;

  /** `incoming`: the folder of incoming files, on the same file system. */
  constructor(folder: string, incoming: IncomingFiles) {
    this.#folder = folder;
    this.#incoming = incoming;
  }

  #path(key: StorageKey | StorageFolder): string {
    return join(this.#folder, key);
  }

  async put(key: StorageKey, bytes: Buffer): Promise<void> {
    const received = await this.#incoming.write(bytes);
    try {
      await this.putFile(key, received.path);
    } finally {
      await this.#incoming.discard(received);
    }
  }

  async putFile(key: StorageKey, path: string): Promise<void> {
    await moveDurably(path, this.#path(key));
  }

  async get(key: StorageKey): Promise<StoredFile | null> {
    const file = await open(this.#path(key)).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (!file) return null;
    try {
      const { size } = await file.stat();
      return { content: createReadStream('', { fd: file }), length: size };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async has(key: StorageKey): Promise<boolean> {
    return (await statOrNull(this.#path(key))) !== null;
  }

  async delete(key: StorageKey): Promise<void> {
    await rm(this.#path(key), { force: true });
  }

  async deleteAll(folder: StorageFolder): Promise<void> {
    // A job may be writing files of a photo that is deleted.
    await rm(this.#path(folder), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  list(folder?: StorageFolder): AsyncIterable<StorageEntry> {
    return filesBelow(this.#folder, folder?.replace(/\/$/, '') ?? '');
  }

  close(): void {}
}

const statOrNull = (path: string) =>
  stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });

/** The files of devices, whose folders are named by their ids; other entries are ignored. */
async function* filesBelow(root: string, inner: string): AsyncGenerator<StorageEntry> {
  const folder = await opendir(join(root, inner)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (!folder) return;
  for await (const entry of folder) {
    if (inner === '' && !/^\d+$/.test(entry.name)) continue;
    const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, path);
    else {
      const found = await statOrNull(join(root, path));
      if (found) yield { path, modified: found.mtimeMs, size: found.size };
    }
  }
}
