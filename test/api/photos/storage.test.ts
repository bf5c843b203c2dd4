import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import type { Logger } from '../../../src/core/logger.ts';
import { DiskStorage } from '../../../src/photos/disk-storage.ts';
import { IncomingFiles } from '../../../src/photos/incoming-files.ts';
import type { PhotoStorage } from '../../../src/photos/photo-storage.ts';
import { readStoredFile } from '../../../src/photos/photo-storage.ts';
import { openS3Storage } from '../../../src/photos/s3-storage.ts';
import { deviceFolder, parseStorageKey, photoFile, photoFolder, uploadFile } from '../../../src/photos/storage-keys.ts';
import { bucketName, pageSize, suitePhotoPlace } from '../../support/bucket.ts';
import { describeAnyEngine, describeEngines, itAnyEngine } from '../../support/engines.ts';

const logged: object[] = [];
const note = (object: object) => void logged.push(object);
const log: Logger = { debug: note, info: note, warn: note, error: note };

const key = 'ab12'.repeat(8);
const other = 'cd34'.repeat(8);
const upload = '01234567-89ab-4def-8123-456789abcdef';
const most = 10_000_000;

describeEngines('stored photos', (engine) => {
  const place = suitePhotoPlace(engine);
  let folder: string;
  let storage: PhotoStorage;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'potager-photos-'));
    const { bucket } = place;
    if (!bucket) storage = new DiskStorage(join(folder, 'photos'), new IncomingFiles(join(folder, 'incoming')));
    else {
      storage = await openS3Storage(
        {
          endpoint: bucket.endpoint,
          region: 'us-east-1',
          bucket: bucketName,
          prefix: 'of/garden/',
          accessKey: 'S3RVER',
          secretKey: 'S3RVER',
        },
        log,
      );
    }
  });
  afterAll(async () => {
    storage.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const read = async (name: Parameters<PhotoStorage['get']>[0]): Promise<string | null> => {
    const file = await storage.get(name);
    return file && (await readStoredFile(file, most)).toString('latin1');
  };
  const paths = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { path } of storage.list()) found.push(path);
    return found.sort();
  };

  it('are read as they were stored, the latest version', async () => {
    const name = photoFile(1, key, 'jpg', 'full');
    expect(await storage.get(name)).toBeNull();
    expect(await storage.has(name)).toBe(false);
    await storage.put(name, Buffer.from('first'));
    await storage.put(name, Buffer.from('the second'));
    const file = await storage.get(name);
    expect(file?.length).toBe(10);
    expect(file && (await readStoredFile(file, most)).toString()).toBe('the second');
    expect(await storage.has(name)).toBe(true);
  });

  it('may have several megabytes', async () => {
    const bytes = Buffer.alloc(6_000_000, 'photo');
    await storage.put(photoFile(1, key, 'png', 'full'), bytes);
    expect(await read(photoFile(1, key, 'png', 'full'))).toBe(bytes.toString('latin1'));
  });

  it('are stored from local files', async () => {
    const path = join(folder, 'arrived');
    await writeFile(path, 'from a robot');
    await storage.putFile(uploadFile(1, upload), path);
    expect(await read(uploadFile(1, upload))).toBe('from a robot');
  });

  it('may be closed before their end', async () => {
    for (let i = 0; i < 20; i++) (await storage.get(photoFile(1, key, 'png', 'full')))?.content.destroy();
    expect(await read(photoFile(1, key, 'jpg', 'full'))).toBe('the second');
  });

  it('are not read if larger than expected', async () => {
    const file = await storage.get(photoFile(1, key, 'jpg', 'full'));
    await expect(file && readStoredFile(file, 9)).rejects.toThrow('larger than 9 bytes');
  });

  it('are deleted singly, by photo and by device, also twice', async () => {
    await storage.put(photoFile(1, key, 'jpg', 'x80'), Buffer.from('small'));
    await storage.put(photoFile(1, other, 'jpg', 'full'), Buffer.from('other'));
    await storage.put(photoFile(11, key, 'jpg', 'full'), Buffer.from("another device's"));
    expect(await paths()).toEqual(
      [
        `1/photos/${key}/full.jpg`,
        `1/photos/${key}/full.png`,
        `1/photos/${key}/x80.jpg`,
        `1/photos/${other}/full.jpg`,
        `1/uploads/${upload}.jpg`,
        `11/photos/${key}/full.jpg`,
      ].sort(),
    );
    for (let twice = 0; twice < 2; twice++) {
      await storage.delete(uploadFile(1, upload));
      await storage.deleteAll(photoFolder(1, key));
    }
    expect(await paths()).toEqual([`1/photos/${other}/full.jpg`, `11/photos/${key}/full.jpg`]);
    for (let twice = 0; twice < 2; twice++) await storage.deleteAll(deviceFolder(1));
    expect(await paths()).toEqual([`11/photos/${key}/full.jpg`]);
  });

  it('are listed and deleted beyond one page of a listing', async () => {
    const names = Array.from({ length: pageSize + 10 }, (_, i) => i.toString(16).padStart(32, '0'));
    await Promise.all(names.map((name) => storage.put(photoFile(2, name, 'jpg', 'full'), Buffer.from('x'))));
    expect(await paths()).toHaveLength(names.length + 1);
    await storage.deleteAll(deviceFolder(2));
    expect(await paths()).toEqual([`11/photos/${key}/full.jpg`]);
  });

  it('are listed with their time of modification', async () => {
    const before = Date.now();
    await storage.put(photoFile(3, key, 'jpg', 'full'), Buffer.from('x'));
    const after = Date.now();
    for await (const { path, modified } of storage.list()) {
      if (!path.startsWith('3/')) continue;
      // Buckets and some file systems store whole seconds.
      expect(modified).toBeGreaterThan(before - 2000);
      expect(modified).toBeLessThan(after + 2000);
    }
    await storage.deleteAll(deviceFolder(3));
  });

  it('are at their expected paths', async () => {
    if (place.bucket) return;
    expect(await readFile(join(folder, 'photos/11/photos', key, 'full.jpg'), 'utf8')).toBe("another device's");
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });
});

describeAnyEngine('storage keys', () => {
  it('cannot leave the folder of a device', () => {
    for (const bad of ['../x', 'ab12', '', '/etc/passwd', `${key}/`, `${key.slice(1)}/`, key.toUpperCase(), `${key}\n`])
      expect(() => photoFolder(1, bad), bad).toThrow('invalid photo key');
    for (const bad of ['../x', '', `${upload}\n`, `../${upload}`, upload.toUpperCase(), `${upload}.jpg`])
      expect(() => uploadFile(1, bad), bad).toThrow('invalid upload key');
    for (const bad of [0, -1, 1.5, Number.NaN, 2 ** 60])
      expect(() => deviceFolder(bad)).toThrow('is not the id of a device');
  });

  it('can be parsed', () => {
    expect(parseStorageKey(photoFile(7, key, 'jpg', 'x80'))).toEqual({ deviceId: 7, kind: 'photo', key });
    expect(parseStorageKey(uploadFile(7, upload))).toEqual({ deviceId: 7, kind: 'upload', key: upload });
    for (const path of ['incoming/x', '7/photos/x/full.jpg', '7/uploads/x.jpg', `0/uploads/${upload}.jpg`, 'README'])
      expect(parseStorageKey(path), path).toBeNull();
  });
});

itAnyEngine('an unreachable bucket is logged without its credentials', async () => {
  const address = { region: 'r', bucket: 'b', prefix: '', accessKey: 'hunter1', secretKey: 'hunter2' };
  const storage = await openS3Storage({ ...address, endpoint: 'http://127.0.0.1:9' }, log);
  const requested = storage.get(uploadFile(1, upload));
  await expect(requested).rejects.toBeInstanceOf(Failure);
  await expect(requested).rejects.toMatchObject({ code: 'unavailable' });
  expect(JSON.stringify(logged)).not.toContain('hunter');
  storage.close();
});
