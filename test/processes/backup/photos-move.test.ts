import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { openS3Storage } from '../../../src/photos/s3-storage.ts';
import { bucket as bucketKind } from '../../../src/settings/bucket.ts';
import { signUp } from '../../support/accounts.ts';
import type { TestBucket } from '../../support/bucket.ts';
import { startBucket } from '../../support/bucket.ts';
import { processedPhotoUrl, solidColorPicture, uploadPhoto } from '../../support/photo-upload.ts';
import { prepareMigratedServer, program, ServerProcess, shortLived } from '../../support/servers.ts';
import { startProgram } from '../../support/started-program.ts';

let bucket: TestBucket;
let server: ServerProcess;
let inBucket: ServerProcess;

async function prepare(): Promise<void> {
  bucket = await startBucket();
  server = await prepareMigratedServer('sqlite', { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' });
  inBucket = new ServerProcess(server.folder, server.port, { ...server.env, STORAGE_URL: bucket.url });
}

afterEach(async () => {
  await inBucket.kill();
  inBucket.client.close();
  await server.remove();
  await bucket.close();
});

const photos = () => join(server.dataDir, 'photos');

/** Returns the paths of the files of gardens in the folder. */
async function filesInFolder(): Promise<string[]> {
  const entries = await readdir(photos(), { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return paths
    .map((path) => path.slice(photos().length + 1))
    .filter((path) => /^\d/.test(path))
    .sort();
}

async function filesInBucket(): Promise<string[]> {
  const address = bucketKind.parse(bucket.url);
  if (!address) throw new Error('the address of the bucket is invalid');
  const storage = await openS3Storage(address, pino({ level: 'silent' }));
  const paths: string[] = [];
  for await (const { path } of storage.list()) paths.push(path);
  storage.close();
  return paths.sort();
}

describe('photos move', () => {
  it('moves photos to the bucket and back; a start and the doctor name those that are hidden', async () => {
    await prepare();
    await server.start();
    const { token } = await signUp({ client: server.client, outbox: null }, 'ada');
    const picture = await uploadPhoto(server.base, token, await solidColorPicture(90));
    const path = new URL(await processedPhotoUrl(server.base, token, picture)).pathname;
    const statusOf = async () => (await fetch(new URL(path, server.base))).status;
    expect(await server.run(['photos', 'move', '--to', 'bucket'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('STORAGE_URL is not set.'),
    });
    const move = (to: string) => inBucket.run(['photos', 'move', '--to', to]);
    const served = await move('bucket');
    expect([served.code, served.output]).toEqual([1, expect.stringContaining('is in use by process')]);
    await server.stop();
    const files = await filesInFolder();
    expect(files).toEqual([expect.stringMatching(/full\.jpg$/)]);

    const hidden = `STORAGE_URL is set, so the photos in ${photos()} are not shown. Stop the server and move them to the bucket: potager photos move --to bucket. If they were moved back to the folder, remove STORAGE_URL instead.`;
    const failedChecks = (text: string) => text.split('\n').filter((line) => line.startsWith('FAIL'));
    expect(failedChecks((await inBucket.run(['doctor'])).output)).toEqual([`FAIL  photos: ${hidden}`]);
    await inBucket.start();
    expect(inBucket.logs()).toContain(hidden);
    expect(await statusOf()).toBe(404);
    await inBucket.stop();

    await bucket.pause();
    const failed = await move('bucket');
    const again = 'Check its URL, key and secret. No photo is lost: run the command again.';
    expect([failed.code, failed.output]).toEqual([
      1,
      expect.stringMatching(/^STORAGE_URL: the bucket garden-photos failed \(\w+\)\. .*\n$/),
    ]);
    expect(failed.output).toContain(again);
    expect(await filesInFolder()).toEqual(files);
    await bucket.resume();
    const mistyped = await server.run(['photos', 'move', '--to', 'bucket'], {
      STORAGE_URL: bucket.url.replace('garden-photos', 'garden-photo'),
    });
    expect(mistyped.output).toBe(
      'STORAGE_URL: the bucket garden-photo failed (NoSuchBucket). Create the bucket, or correct its name in the URL. No photo is lost: run the command again.\n',
    );
    const moved = `Moved 1 file of photos to the bucket, and checked each.`;
    expect(await move('bucket')).toMatchObject({ code: 0, output: expect.stringContaining(moved) });
    expect([await filesInFolder(), await filesInBucket()]).toEqual([[], files]);
    // Moved already: the bucket is asked nevertheless.
    expect((await move('bucket')).output).toContain('There were no photos in the folder to move.');
    await bucket.pause();
    expect((await move('bucket')).output).toContain('STORAGE_URL: the bucket garden-photos failed');
    await bucket.resume();
    await inBucket.start();
    expect(await statusOf()).toBe(200);
    await inBucket.stop();
    expect((await inBucket.run(['doctor'])).output).not.toContain('FAIL');
    // docs/install.md says for which Node.js there are new versions of the storage library.
    expect(inBucket.logs()).not.toContain('AWS SDK');

    // Without the setting, the photos are missed.
    const missing = `The database has 1 photo, but there are none in ${photos()}. Set DATA_DIR to the folder with them.`;
    expect((await server.run(['doctor'])).output).toContain(`FAIL  photos: ${missing}`);
    await server.start();
    await expect.poll(() => server.logs()).toContain(missing);
    await server.stop();
    expect(await move('folder')).toMatchObject({ code: 0 });
    expect([await filesInFolder(), await filesInBucket()]).toEqual([files, []]);
    await server.start();
    expect(await statusOf()).toBe(200);
    expect((await server.run(['doctor'])).output).not.toContain('FAIL');
  });

  it('keeps every photo where it was until all are moved, and goes on after it was killed', async () => {
    await prepare();
    const files = Array.from({ length: 300 }, (_, index) => {
      const key = index.toString(16).padStart(32, '0');
      return `${1 + (index % 7)}/photos/${key}/full.jpg`;
    }).sort();
    for (const file of files) {
      await mkdir(dirname(join(photos(), file)), { recursive: true });
      await writeFile(join(photos(), file), `photo ${file}`.repeat(1000));
    }
    await writeFile(join(photos(), '1', 'notes.txt'), 'of the operator');
    const words = [...shortLived, program, 'photos', 'move', '--to', 'bucket'];
    const env = { ...process.env, ...inBucket.env } as Record<string, string>;
    for (let kill = 1; kill <= 4; kill++) {
      const child = startProgram(process.execPath, words, { cwd: server.folder, env }, () => undefined);
      const ended = once(child, 'close');
      // Not before it has copied some.
      const before = (await filesInBucket()).length;
      // The bucket is in this process: each look delays the copying.
      const hasCopied = async () => (await filesInBucket()).length > before || child.exitCode !== null;
      await expect.poll(hasCopied, { interval: 200 }).toBe(true);
      await sleep(100 * kill);
      child.kill('SIGKILL');
      await ended;
      const [folder, moved] = [await filesInFolder(), await filesInBucket()];
      const left = folder.filter((file) => file !== '1/notes.txt');
      expect([...new Set([...left, ...moved])].sort()).toEqual(files);
      if (moved.length < files.length) expect(left).toEqual(files);
    }
    const done = await inBucket.run(['photos', 'move', '--to', 'bucket']);
    expect([done.code, done.output]).toEqual([
      0,
      expect.stringContaining('Files that are no photos stayed where they are (1).'),
    ]);
    expect([await filesInFolder(), await filesInBucket()]).toEqual([['1/notes.txt'], files]);
    await rm(photos(), { recursive: true });
    expect(await inBucket.run(['photos', 'move', '--to', 'folder'])).toMatchObject({ code: 0 });
    expect(await filesInFolder()).toEqual(files);
  });
});
