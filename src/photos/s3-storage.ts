import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { BucketAddress } from '../core/bucket-address.ts';
import { withLateErrors } from '../core/library-errors.ts';
import type { Logger } from '../core/logger.ts';
import { errorCode } from '../core/system.ts';
import type { PhotoStorage, StorageEntry, StoredFile } from './photo-storage.ts';
import { StorageUnavailable } from './photo-storage.ts';
import type { StorageFolder, StorageKey } from './storage-keys.ts';

type S3Library = typeof import('@aws-sdk/client-s3');

/** Timeouts of requests to the bucket, in ms. */
export interface BucketTimeouts {
  readonly connect: number;
  /** Until the response begins, waiting for a free connection included. */
  readonly response: number;
  /** The same for requests that send a file. */
  readonly upload: number;
  /** Without a byte in either direction. */
  readonly idle: number;
  /** The same while a file is read; longer than the stall timeout of the HTTP layer. */
  readonly readIdle: number;
}

const defaultTimeouts: BucketTimeouts = {
  connect: 5_000,
  response: 15_000,
  upload: 60_000,
  idle: 20_000,
  readIdle: 45_000,
};

/** The library repeats a request only if it can send its body again. */
const maxAttempts = 2;

/** Connections. Slow readers keep theirs for a long time, so other requests have a separate pool. */
const maxReadSockets = 200;
const maxOtherSockets = 16;

const maxConcurrentDeletions = 8;

/** Opens a bucket for photos. The library is loaded only for this. */
export async function openS3Storage(
  address: BucketAddress,
  log: Logger,
  timeouts: Partial<BucketTimeouts> = {},
): Promise<PhotoStorage> {
  // docs/install.md says it once, instead of the library at each start.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const library = await import('@aws-sdk/client-s3');
  return new S3Storage(library, address, log, { ...defaultTimeouts, ...timeouts });
}

/** Creates a client with its own connection pool. */
function createClient(
  library: S3Library,
  address: BucketAddress,
  log: Logger,
  { connect, response }: BucketTimeouts,
  { maxSockets, idle }: { readonly maxSockets: number; readonly idle: number },
): S3Client {
  const logger = warningsOnly(log);
  return new library.S3Client({
    endpoint: address.endpoint,
    region: address.region,
    credentials: { accessKeyId: address.accessKey, secretAccessKey: address.secretKey },
    // Bucket names in host names need DNS and certificates that small services lack.
    forcePathStyle: true,
    // Only AWS itself supports checksums in trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts,
    logger,
    requestHandler: {
      connectionTimeout: connect,
      requestTimeout: response,
      // Without it the library logs a warning and waits forever.
      throwOnRequestTimeout: true,
      socketTimeout: idle,
      httpAgent: { maxSockets },
      httpsAgent: { maxSockets },
      logger,
    },
  });
}

/** Logs the first line of the library's warnings. Everything else is dropped: it may hold whole requests with their keys. */
function warningsOnly(log: Logger) {
  const silent = () => undefined;
  const warn = (message: unknown): void => {
    if (typeof message === 'string') log.warn({ warning: message.split('\n')[0] }, 'the photo bucket has a warning');
  };
  return { trace: silent, debug: silent, info: silent, error: silent, warn };
}

class S3Storage implements PhotoStorage {
  readonly #library: S3Library;
  /** For reading files. */
  readonly #readClient: S3Client;
  /** For everything else. */
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #log: Logger;
  /** Options of requests that send a file. */
  readonly #uploadOptions: { readonly requestTimeout: number };

  constructor(library: S3Library, address: BucketAddress, log: Logger, timeouts: BucketTimeouts) {
    this.#library = library;
    this.#readClient = createClient(library, address, log, timeouts, {
      maxSockets: maxReadSockets,
      idle: timeouts.readIdle,
    });
    this.#client = createClient(library, address, log, timeouts, { maxSockets: maxOtherSockets, idle: timeouts.idle });
    this.#bucket = address.bucket;
    this.#prefix = address.prefix;
    this.#log = log;
    this.#uploadOptions = { requestTimeout: timeouts.upload };
  }

  #object(key: StorageKey) {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }

  async put(key: StorageKey, bytes: Buffer): Promise<void> {
    const command = new this.#library.PutObjectCommand({ ...this.#object(key), Body: bytes });
    await this.#send(() => this.#client.send(command, this.#uploadOptions));
  }

  async putFile(key: StorageKey, path: string): Promise<void> {
    const { size } = await stat(path);
    const content = createReadStream(path);
    try {
      const command = new this.#library.PutObjectCommand({ ...this.#object(key), Body: content, ContentLength: size });
      await this.#send(() => this.#client.send(command, this.#uploadOptions));
    } finally {
      content.destroy();
    }
  }

  async get(key: StorageKey): Promise<StoredFile | null> {
    const command = new this.#library.GetObjectCommand(this.#object(key));
    const found = await this.#send(() => this.#readClient.send(command), null);
    if (!found) return null;
    if (!(found.Body instanceof Readable) || found.ContentLength === undefined)
      throw new Error('the bucket returned no content');
    found.Body.once('error', (error: unknown) => this.#logError(error));
    return { content: found.Body, length: found.ContentLength };
  }

  async has(key: StorageKey): Promise<boolean> {
    const command = new this.#library.HeadObjectCommand(this.#object(key));
    return (await this.#send(() => this.#client.send(command), null)) !== null;
  }

  delete(key: StorageKey): Promise<void> {
    return this.#delete(this.#object(key).Key);
  }

  async #delete(name: string): Promise<void> {
    const command = new this.#library.DeleteObjectCommand({ Bucket: this.#bucket, Key: name });
    await this.#send(() => this.#client.send(command), null);
  }

  async deleteAll(folder: StorageFolder): Promise<void> {
    let pending: Promise<void>[] = [];
    for await (const { path } of this.#listBelow(folder)) {
      pending.push(this.#delete(`${this.#prefix}${path}`));
      if (pending.length < maxConcurrentDeletions) continue;
      await Promise.all(pending);
      pending = [];
    }
    await Promise.all(pending);
  }

  list(folder?: StorageFolder): AsyncIterable<StorageEntry> {
    return this.#listBelow(folder ?? '');
  }

  /** Lists page by page with version 1 of the request, which all services support. Pages begin after a key, so concurrent deletions skip nothing. */
  async *#listBelow(folder: string): AsyncGenerator<StorageEntry> {
    let after: string | undefined;
    for (;;) {
      const command = new this.#library.ListObjectsCommand({
        Bucket: this.#bucket,
        Prefix: `${this.#prefix}${folder}`,
        ...(after !== undefined && { Marker: after }),
      });
      const { Contents = [], IsTruncated } = await this.#send(() => this.#client.send(command));
      for (const { Key, LastModified, Size = 0 } of Contents)
        if (Key !== undefined)
          yield {
            path: Key.slice(this.#prefix.length),
            modified: LastModified?.getTime() ?? Number.POSITIVE_INFINITY,
            size: Size,
          };
      after = Contents.at(-1)?.Key;
      if (!IsTruncated || after === undefined) return;
    }
  }

  close(): void {
    this.#readClient.destroy();
    this.#client.destroy();
  }

  /** Sends a request; returns `missing`, if given, when the object does not exist. */
  async #send<T>(send: () => Promise<T>): Promise<T>;
  async #send<T>(send: () => Promise<T>, missing: null): Promise<T | null>;
  async #send<T>(send: () => Promise<T>, missing?: null): Promise<T | null> {
    try {
      return await withLateErrors('@smithy', send);
    } catch (error) {
      if (missing === null && isMissing(error)) return missing;
      this.#logError(error);
      throw new StorageUnavailable(reasonOf(error));
    }
  }

  #logError(error: unknown): void {
    this.#log.warn({ problem: reasonOf(error) }, 'the photo bucket failed');
  }
}

/** Returns the name of an error, or its code if it has none: the message may contain the request with its key. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return error.name === 'Error' ? String(errorCode(error) ?? error.name) : error.name;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');
