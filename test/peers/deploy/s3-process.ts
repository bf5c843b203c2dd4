import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestBucket } from '../../support/bucket.ts';
import { freePort } from '../../support/free-port.ts';
import { repository } from './deployed-files.ts';

/** Starts the S3 server of the tests as a process of its own, which {@link TestBucket.pause} kills with SIGKILL. */
export async function startS3Process(): Promise<TestBucket> {
  const directory = mkdtempSync(join(tmpdir(), 'potager-s3-'));
  const port = await freePort();
  const words = ['--directory', directory, '--address', '127.0.0.1', '--port', String(port), '--silent'];
  let child: ChildProcess | null = null;
  const pause = async (): Promise<void> => {
    if (child === null) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
    child = null;
  };
  const resume = async (): Promise<void> => {
    child = spawn(process.execPath, [join(repository, 'test/node_modules/s3rver/bin/s3rver.js'), ...words], {
      stdio: 'ignore',
    });
    while (!(await isOpen(port))) await sleep(20);
  };
  await resume();
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    url: `s3://S3RVER:S3RVER@127.0.0.1:${port}/photos?tls=off`,
    endpoint,
    pause,
    resume,
    async close() {
      await pause();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
