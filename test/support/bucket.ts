import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type S3rver from 's3rver';
import type { Engine } from './engines.ts';
import { freePort } from './free-port.ts';
import { suiteFixture } from './suite-fixture.ts';

/** An S3 server. */
export interface TestBucket {
  /** The value of the setting STORAGE_URL. */
  readonly url: string;
  readonly endpoint: string;
  /** Refuses connections until {@link resume}; its files are kept. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

export const bucketName = 'garden-photos';

/** The maximum number of objects on a page of a listing. S3 has pages of 1,000 objects, which take seconds to store and delete. */
export const pageSize = 100;

export async function startBucket(): Promise<TestBucket> {
  // A package of test/package.json, which `npm test` does without.
  const { default: Server } = await import('s3rver');
  const directory = mkdtempSync(join(tmpdir(), 'potager-bucket-'));
  const port = await freePort();
  let server: S3rver;
  const resume = async (): Promise<void> => {
    server = new Server({
      address: '127.0.0.1',
      port,
      silent: true,
      directory,
      configureBuckets: [{ name: bucketName, configs: [] }],
    });
    const { store } = server;
    // Its own deletion removes empty folders, into which another request may be about to write.
    store.deleteObject = async (name, key) => {
      for (const part of ['object', 'object.md5', 'metadata.json'])
        await rm(store.getResourcePath(name, key, part), { force: true });
    };
    const { listObjects } = store;
    store.listObjects = (name, options) =>
      listObjects.call(store, name, { ...options, maxKeys: Math.min(options.maxKeys, pageSize) });
    await server.run();
  };
  await resume();
  return {
    url: `s3://S3RVER:S3RVER@127.0.0.1:${port}/${bucketName}/of/a%2Dgarden?tls=off`,
    endpoint: `http://127.0.0.1:${port}`,
    pause: () => server.close(),
    resume,
    async close() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The storage of a suite's photos: a disk beside SQLite, and a bucket beside PostgreSQL. */
export interface PhotoPlace {
  readonly kind: 'disk' | 'bucket';
  readonly bucket: TestBucket | null;
  readonly settings: Readonly<Record<string, string>>;
}

/** The place for all tests of the suite. */
export const suitePhotoPlace = (engine: Engine): PhotoPlace =>
  suiteFixture<PhotoPlace>(
    async () => {
      if (engine === 'sqlite') return { kind: 'disk', bucket: null, settings: {} };
      const bucket = await startBucket();
      return { kind: 'bucket', bucket, settings: { STORAGE_URL: bucket.url } };
    },
    async ({ bucket }) => bucket?.close(),
  );
