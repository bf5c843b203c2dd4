import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { deleteTemporaryFile, sweepTemporaryFiles } from '../core/temporary-files.ts';
import { receiveFile } from './import-upload.ts';

it('a received file is kept until it is deleted, however long the import takes', async () => {
  const path = await mkdtemp(join(tmpdir(), 'potager-imports-'));
  const { path: received } = await receiveFile(path, Readable.from([Buffer.from('{}')]));
  await utimes(received, 0, 0);
  await sweepTemporaryFiles(path);
  expect(await readFile(received, 'utf8')).toBe('{}');
  await deleteTemporaryFile(received);
  expect(await readdir(path)).toEqual([]);
  await rm(path, { recursive: true });
});
