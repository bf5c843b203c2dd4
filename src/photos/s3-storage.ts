import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { BucketAddress } from '../core/bucket-address.ts';
import type { Logger } from '../core/logger.ts';
import type { PhotoStorage, StorageEntry, StoredFile } from './photo-storage.ts';
import { storageUnavailable } from './photo-storage.ts';
import type { StorageFolder, StorageKey } from './storage-keys.ts';

type S3Library = typeof import('@aws-sdk/client-s3');

/** How long a bucket may take, in ms. */
export interface BucketTimes {
  /** To take a connection. */
  readonly connect: number;
  /** Until an answer begins, waiting for a free connection included. */
  readonly answer: number;
  /** The same where a file is sent first. */
  readonly store: number;
  /** Without a byte in any direction. */
  readonly silence: number;
  /** The same while a file is read: longer than the edge bears with whoever takes nothing of it. */
  readonly pause: number;
}

const usualTimes: BucketTimes = { connect: 5_000, answer: 15_000, store: 60_000, silence: 20_000, pause: 45_000 };

/** Attempts at one request; the library makes a second one only where it can send everything again. */
const attempts = 2;

/** Connections at once. Files that are read are held open by their readers: those must leave some for everything else. */
const readersAtOnce = 200;
const othersAtOnce = 16;

/** Deletions that are under way at once. */
const deletionsAtOnce = 8;

/** Photos in a bucket. The library is loaded only here. */
export async function openS3Storage(
  address: BucketAddress,
  log: Logger,
  times: Partial<BucketTimes> = {},
): Promise<PhotoStorage> {
  const library = await import('@aws-sdk/client-s3');
  return new S3Storage(library, address, log, { ...usualTimes, ...times });
}

/** A client with connections of its own. */
function clientOf(
  library: S3Library,
  address: BucketAddress,
  log: Logger,
  { connect, answer }: BucketTimes,
  { maxSockets, silence }: { readonly maxSockets: number; readonly silence: number },
): S3Client {
  const logger = quiet(log);
  return new library.S3Client({
    endpoint: address.endpoint,
    region: address.region,
    credentials: { accessKeyId: address.accessKey, secretAccessKey: address.secretKey },
    // Buckets as parts of host names need certificates and name servers that small services lack.
    forcePathStyle: true,
    // Checksums in trailers are understood by the vendor's own service only.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: attempts,
    logger,
    requestHandler: {
      connectionTimeout: connect,
      requestTimeout: answer,
      // Without it the library only grumbles, and waits for good.
      throwOnRequestTimeout: true,
      socketTimeout: silence,
      httpAgent: { maxSockets },
      httpsAgent: { maxSockets },
      logger,
    },
  });
}

/** What the library says, in our own log. It hands over whole requests, with their keys: only sentences of warnings are kept, up to their first line. */
function quiet(log: Logger) {
  const silent = () => undefined;
  const warn = (...told: unknown[]): void => {
    const [sentence] = told;
    if (typeof sentence === 'string') log.warn({ warning: sentence.split('\n')[0] }, 'the library for buckets warns');
  };
  return { trace: silent, debug: silent, info: silent, error: silent, warn };
}

class S3Storage implements PhotoStorage {
  readonly #library: S3Library;
  /** For files that are read. */
  readonly #reading: S3Client;
  /** For everything else. */
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #log: Logger;
  /** What is special about requests that send a file. */
  readonly #storing: { readonly requestTimeout: number };

  constructor(library: S3Library, address: BucketAddress, log: Logger, times: BucketTimes) {
    this.#library = library;
    this.#reading = clientOf(library, address, log, times, { maxSockets: readersAtOnce, silence: times.pause });
    this.#client = clientOf(library, address, log, times, { maxSockets: othersAtOnce, silence: times.silence });
    this.#bucket = address.bucket;
    this.#prefix = address.prefix;
    this.#log = log;
    this.#storing = { requestTimeout: times.store };
  }

  #named(key: StorageKey) {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }

  async put(key: StorageKey, bytes: Buffer): Promise<void> {
    const command = new this.#library.PutObjectCommand({ ...this.#named(key), Body: bytes });
    await this.#ask(() => this.#client.send(command, this.#storing));
  }

  async putFile(key: StorageKey, path: string): Promise<void> {
    const { size } = await stat(path);
    const content = createReadStream(path);
    try {
      const command = new this.#library.PutObjectCommand({ ...this.#named(key), Body: content, ContentLength: size });
      await this.#ask(() => this.#client.send(command, this.#storing));
    } finally {
      content.destroy();
    }
  }

  async get(key: StorageKey): Promise<StoredFile | null> {
    const command = new this.#library.GetObjectCommand(this.#named(key));
    const found = await this.#ask(() => this.#reading.send(command), null);
    if (!found) return null;
    if (!(found.Body instanceof Readable) || found.ContentLength === undefined)
      throw new Error('the bucket gave no content');
    found.Body.once('error', (error: unknown) => this.#note(error));
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
    this.#reading.destroy();
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
      this.#note(error);
      throw storageUnavailable();
    }
  }

  /** The message may hold the request, and so the key. */
  #note(error: unknown): void {
    this.#log.warn({ problem: error instanceof Error ? error.name : typeof error }, 'the bucket for photos failed');
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');
