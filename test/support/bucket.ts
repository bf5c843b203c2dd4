import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { freePort } from './free-port.ts';

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

export async function startBucket(): Promise<TestBucket> {
  const directory = mkdtempSync(join(tmpdir(), 'potager-bucket-'));
  const port = await freePort();
  let server: S3rver;
  const resume = async (): Promise<void> => {
    server = new S3rver({
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
