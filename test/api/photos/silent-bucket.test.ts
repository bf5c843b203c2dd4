import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Logger } from '../../../src/core/logger.ts';
import type { PhotoStorage, StoredFile } from '../../../src/photos/photo-storage.ts';
import { readStoredFile } from '../../../src/photos/photo-storage.ts';
import { openS3Storage } from '../../../src/photos/s3-storage.ts';
import { deviceFolder, photoFile, uploadFile } from '../../../src/photos/storage-keys.ts';

// Buckets that accept connections and do not respond: every request has a timeout.

const lines: string[] = [];
const note = (object: object, message: string) => void lines.push(`${JSON.stringify(object)} ${message}`);
const log: Logger = { debug: note, info: note, warn: note, error: note };
const name = photoFile(1, 'ab12'.repeat(8), 'jpg', 'full');
const upload = uploadFile(1, '01234567-89ab-4def-8123-456789abcdef');

/** Longer than the test, in ms. */
const never = 3600_000;

let reply: RequestListener;
let server: Server;
let folder: string;
let storage: PhotoStorage;
beforeEach(async () => {
  lines.length = 0;
  folder = mkdtempSync(join(tmpdir(), 'potager-silent-'));
  await writeFile(join(folder, 'photo'), 'a photo');
  server = createServer((request, response) => reply(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  storage.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

async function open(timeouts: Parameters<typeof openS3Storage>[2]): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const address = { region: 'r', bucket: 'b', prefix: '', accessKey: 'hunter1', secretKey: 'hunter2' };
  storage = await openS3Storage({ ...address, endpoint: `http://127.0.0.1:${port}` }, log, timeouts);
}

it.each([
  ['until the response begins', { response: 200, upload: 200, idle: never, readIdle: never }],
  ['without a byte', { idle: 200, readIdle: 200, response: never, upload: never }],
])('requests to a silent bucket time out: %s', async (_name, timeouts) => {
  reply = () => undefined;
  await open(timeouts);
  const printed = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error'), vi.spyOn(console, 'log')];
  const requested = [
    storage.get(name),
    storage.has(name),
    storage.put(name, Buffer.from('x')),
    storage.putFile(upload, join(folder, 'photo')),
    storage.delete(name),
    storage.deleteAll(deviceFolder(1)),
  ];
  for (const one of requested) one.catch(() => undefined);
  for (const one of requested) await expect(one).rejects.toMatchObject({ code: 'unavailable' });
  for (const spy of printed) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
  expect(lines.some((line) => line.includes('TimeoutError') && line.includes('photo bucket failed'))).toBe(true);
  expect(lines.join()).not.toMatch(/hunter|ab12|01234567/);
});

it('reading a file that stalls times out', async () => {
  reply = (_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half');
  };
  await open({ readIdle: 200 });
  const file = (await storage.get(name)) as StoredFile;
  expect(file.length).toBe(100);
  await expect(readStoredFile(file, 1000)).rejects.toMatchObject({ code: 'unavailable' });
});

it('unread files leave connections for other requests', async () => {
  reply = (request, response) => {
    if (request.method === 'GET') response.writeHead(200, { 'content-length': 1_000_000 }).write('half');
    else {
      request.resume();
      response.end();
    }
  };
  await open({ response: 1000, upload: 1000 });
  const files = await Promise.all(Array.from({ length: 120 }, () => storage.get(name)));
  await storage.put(name, Buffer.from('x'));
  expect(await storage.has(name)).toBe(true);
  for (const file of files) file?.content.destroy();
});
