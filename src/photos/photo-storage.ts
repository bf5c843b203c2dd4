import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Failure } from '../core/errors.ts';
import { say } from './messages.ts';
import type { StorageFolder, StorageKey } from './storage-keys.ts';

/** An open file. The caller must read it to its end or destroy it. */
export interface StoredFile {
  readonly content: Readable;
  /** Bytes. */
  readonly length: number;
}

/** The photos in a data folder. */
export const photosFolder = (dataDir: string): string => join(dataDir, 'photos');

/** Files being received, on the same file system as the photos. */
export const incomingFolder = (dataDir: string): string => join(photosFolder(dataDir), 'incoming');

/** A file in a listing. */
export interface StorageEntry {
  /** Its path in the storage; files of other origin may have any. */
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Bytes. */
  readonly size: number;
}

/**
 * Stores the files of photos. Files are written atomically and survive a crash; all operations are idempotent. Rejects with
 * Failure `unavailable` when the storage cannot be reached.
 */
export interface PhotoStorage {
  /** Stores bytes, replacing an existing file. */
  put(key: StorageKey, bytes: Buffer): Promise<void>;
  /** Stores a local file, which may be moved. */
  putFile(key: StorageKey, path: string): Promise<void>;
  /** Null if there is none. */
  get(key: StorageKey): Promise<StoredFile | null>;
  has(key: StorageKey): Promise<boolean>;
  /** Does nothing if there is none. */
  delete(key: StorageKey): Promise<void>;
  /** Deletes everything below a folder. */
  deleteAll(folder: StorageFolder): Promise<void>;
  /** All files, or all below a folder, in no particular order. */
  list(folder?: StorageFolder): AsyncIterable<StorageEntry>;
  close(): void;
}

/** 503. */
export class StorageUnavailable extends Failure {
  /** The code of the bucket or of the system, for the operator; null if it is unknown. */
  readonly reason: string | null;

  constructor(reason: string | null = null) {
    super('unavailable', say.unreachable);
    this.name = 'StorageUnavailable';
    this.reason = reason;
  }
}

/** Returns what an operator can do about a bucket that fails. */
export function bucketRemedy({ reason }: StorageUnavailable): string {
  // A server without TLS answers the handshake in plain text.
  if (reason === 'EPROTO') return 'If its server has no TLS, add ?tls=off to the URL.';
  if (reason === 'NoSuchBucket') return 'Create the bucket, or correct its name in the URL.';
  return 'Check its URL, key and secret.';
}

/** Reads a whole file. Throws an Error when it is larger than `maxBytes`, Failure `unavailable` when reading fails. */
export async function readStoredFile({ content, length }: StoredFile, maxBytes: number): Promise<Buffer> {
  if (length > maxBytes) {
    content.destroy();
    throw new Error(`a stored file is larger than ${maxBytes} bytes`);
  }
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    throw new StorageUnavailable();
  }
  return Buffer.concat(chunks);
}
