import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { BucketAddress } from '../core/bucket-address.ts';
import { Failure } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { PhotoStorage, StorageEntry, StoredFile } from './photo-storage.ts';
import type { StorageFolder, StorageKey } from './storage-keys.ts';

type S3Library = typeof import('@aws-sdk/client-s3');

/** Milliseconds. */
const connectTime = 5_000;
const answerTime = 30_000;
/** Deletions that are under way at once. */
const deletionsAtOnce = 8;

/** Photos in a bucket. The library is loaded only here. */
export async function openS3Storage(address: BucketAddress, log: Logger): Promise<PhotoStorage> {
  const library = await import('@aws-sdk/client-s3');
  const client = new library.S3Client({
    endpoint: address.endpoint,
    region: address.region,
    credentials: { accessKeyId: address.accessKey, secretAccessKey: address.secretKey },
    // Buckets as parts of host names need certificates and name servers that small services lack.
    forcePathStyle: true,
    // Checksums in trailers are understood by the vendor's own service only.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectTime, requestTimeout: answerTime },
  });
  return new S3Storage(library, client, address, log);
}

class S3Storage implements PhotoStorage {
  readonly #library: S3Library;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #log: Logger;

  constructor(library: S3Library, client: S3Client, address: BucketAddress, log: Logger) {
    this.#library = library;
    this.#client = client;
    this.#bucket = address.bucket;
    this.#prefix = address.prefix;
    this.#log = log;
  }

  #named(key: StorageKey) {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }

  async put(key: StorageKey, bytes: Buffer): Promise<void> {
    const command = new this.#library.PutObjectCommand({ ...this.#named(key), Body: bytes });
    await this.#ask(() => this.#client.send(command));
  }

  async putFile(key: StorageKey, path: string): Promise<void> {
    const { size } = await stat(path);
    const content = createReadStream(path);
    try {
      const command = new this.#library.PutObjectCommand({ ...this.#named(key), Body: content, ContentLength: size });
      await this.#ask(() => this.#client.send(command));
    } finally {
      content.destroy();
    }
  }

  async get(key: StorageKey): Promise<StoredFile | null> {
    const command = new this.#library.GetObjectCommand(this.#named(key));
    const found = await this.#ask(() => this.#client.send(command), null);
    if (!found) return null;
    if (!(found.Body instanceof Readable) || found.ContentLength === undefined)
      throw new Error('the bucket gave no content');
    return { content: found.Body, length: found.ContentLength };
  }

  async has(key: StorageKey): Promise<boolean> {
    const command = new this.#library.HeadObjectCommand(this.#named(key));
    return (await this.#ask(() => this.#client.send(command), null)) !== null;
  }

  delete(key: StorageKey): Promise<void> {
    return this.#delete(this.#named(key).Key);
  }

  async #delete(name: string): Promise<void> {
    const command = new this.#library.DeleteObjectCommand({ Bucket: this.#bucket, Key: name });
    await this.#ask(() => this.#client.send(command), null);
  }

  async deleteAll(folder: StorageFolder): Promise<void> {
    let under: Promise<void>[] = [];
    for await (const { path } of this.#below(folder)) {
      under.push(this.#delete(`${this.#prefix}${path}`));
      if (under.length < deletionsAtOnce) continue;
      await Promise.all(under);
      under = [];
    }
    await Promise.all(under);
  }

  list(): AsyncIterable<StorageEntry> {
    return this.#below('');
  }

  /** A page at a time, in the first version of the request, which all services speak; what is deleted meanwhile does not shift the next page. */
  async *#below(folder: string): AsyncGenerator<StorageEntry> {
    let after: string | undefined;
    for (;;) {
      const command = new this.#library.ListObjectsCommand({
        Bucket: this.#bucket,
        Prefix: `${this.#prefix}${folder}`,
        ...(after !== undefined && { Marker: after }),
      });
      const { Contents = [], IsTruncated } = await this.#ask(() => this.#client.send(command));
      for (const { Key, LastModified } of Contents)
        if (Key !== undefined)
          yield { path: Key.slice(this.#prefix.length), modified: LastModified?.getTime() ?? Number.POSITIVE_INFINITY };
      after = Contents.at(-1)?.Key;
      if (!IsTruncated || after === undefined) return;
    }
  }

  close(): void {
    this.#client.destroy();
  }

  /** Asks the bucket; `missing` is what becomes of an answer that nothing is there. */
  async #ask<T>(send: () => Promise<T>): Promise<T>;
  async #ask<T>(send: () => Promise<T>, missing: null): Promise<T | null>;
  async #ask<T>(send: () => Promise<T>, missing?: null): Promise<T | null> {
    try {
      return await send();
    } catch (error) {
      if (missing === null && isMissing(error)) return missing;
      // The message may hold the request, and so the key.
      this.#log.warn({ problem: error instanceof Error ? error.name : typeof error }, 'the bucket for photos failed');
      throw new Failure(
        'unavailable',
        'The storage for photos cannot be reached just now. Please try again in a moment.',
      );
    }
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');
