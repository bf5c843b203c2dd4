import type { Readable } from 'node:stream';
import { Failure } from '../core/errors.ts';
import type { StorageFolder, StorageKey } from './storage-keys.ts';

/** A file that is read. Whoever got it reads it to its end or destroys it. */
export interface StoredFile {
  readonly content: Readable;
  /** Bytes. */
  readonly length: number;
}

/** A file in a listing. */
export interface StorageEntry {
  /** Its path in the storage; what is not from here may have any. */
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/**
 * Where the files of photos are kept. What was put is there after a crash, whole or not at all; everything may be done again.
 * Rejects with Failure `unavailable` when the storage cannot be reached.
 */
export interface PhotoStorage {
  /** Stores bytes, in place of what is there. */
  put(key: StorageKey, bytes: Buffer): Promise<void>;
  /** Stores a file of this machine, which is perhaps moved there. */
  putFile(key: StorageKey, path: string): Promise<void>;
  /** Null: there is none. */
  get(key: StorageKey): Promise<StoredFile | null>;
  has(key: StorageKey): Promise<boolean>;
  /** One that is not there is fine. */
  delete(key: StorageKey): Promise<void>;
  /** Deletes everything below a folder. */
  deleteAll(folder: StorageFolder): Promise<void>;
  /** All that is stored, in no promised order. */
  list(): AsyncIterable<StorageEntry>;
  close(): void;
}

/** 503. */
export const storageUnavailable = (): Failure =>
  new Failure('unavailable', 'The storage for photos cannot be reached just now. Please try again in a moment.');

/** The whole of a stored file. Throws an Error when it is longer than `most` bytes, Failure `unavailable` when it breaks off. */
export async function readStoredFile({ content, length }: StoredFile, most: number): Promise<Buffer> {
  if (length > most) {
    content.destroy();
    throw new Error(`a stored file is longer than ${most} bytes`);
  }
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    throw storageUnavailable();
  }
  return Buffer.concat(chunks);
}
