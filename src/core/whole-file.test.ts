import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { FileExists, writeWholeFile } from './whole-file.ts';

const bytes = (text: string) => Readable.from([Buffer.from(text)]);

async function* failing() {
  yield Buffer.from('half');
  throw new Error('no more');
}

describe('a file that is written whole', () => {
  let folder = '';
  let path = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'potager-file-'));
    path = join(folder, 'garden.zip');
  });

  it('is there with its size, for its owner alone', async () => {
    expect(await writeWholeFile(path, bytes('beans'))).toBe(5);
    expect(await readFile(path, 'utf8')).toBe('beans');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['garden.zip']);
  });

  it('leaves nothing behind when its content fails', async () => {
    await expect(writeWholeFile(path, Readable.from(failing()))).rejects.toThrow('no more');
    expect(await readdir(folder)).toEqual([]);
  });

  it('replaces another only when it may, and never a folder', async () => {
    await writeFile(path, 'old');
    await expect(writeWholeFile(path, bytes('new'))).rejects.toBeInstanceOf(FileExists);
    expect(await readFile(path, 'utf8')).toBe('old');
    await writeWholeFile(path, bytes('new'), true);
    expect(await readFile(path, 'utf8')).toBe('new');
    await mkdir(join(folder, 'peas'));
    await expect(writeWholeFile(join(folder, 'peas'), bytes('new'), true)).rejects.toBeInstanceOf(FileExists);
  });

  it('goes over what a cut-off attempt has left', async () => {
    await writeFile(`${path}.partial`, 'a long beginning of another attempt');
    await writeWholeFile(path, bytes('beans'));
    expect(await readFile(path, 'utf8')).toBe('beans');
    expect(await readdir(folder)).toEqual(['garden.zip']);
  });
});
