import fileSystem, { link, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { syncedDuring } from '../../test/support/synced-paths.ts';
import {
  createDurableFolder,
  createFile,
  FileExistsError,
  moveDurably,
  syncFile,
  syncFolderTree,
  writeDurableFile,
} from './durable-file.ts';

async function* failing() {
  yield Buffer.from('half');
  throw new Error('no more');
}

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'potager-file-'));
  path = join(folder, 'garden.zip');
});

describe('writeDurableFile', () => {
  it('writes content of every kind, readable by its owner only', async () => {
    for (const content of [Readable.from([Buffer.from('be'), Buffer.from('ans')]), Buffer.from('beans'), 'beans']) {
      expect(await writeDurableFile(path, content, { overwrite: true })).toBe(5);
      expect(await readFile(path, 'utf8')).toBe('beans');
    }
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['garden.zip']);
  });

  it.each([true, false])(
    'syncs the content before the file appears and the folder afterwards (overwrite: %s)',
    async (overwrite) => {
      expect(await syncedDuring(path, () => writeDurableFile(path, 'beans', { overwrite }))).toEqual([
        [expect.stringMatching(/^garden\.zip\..+\.partial$/), false],
        [basename(folder), true],
      ]);
    },
  );

  it('deletes the temporary file if the content fails', async () => {
    await expect(writeDurableFile(path, Readable.from(failing()))).rejects.toThrow('no more');
    expect(await readdir(folder)).toEqual([]);
  });

  it('replaces a file only with overwrite, and never a folder', async () => {
    await writeFile(path, 'old');
    await expect(writeDurableFile(path, 'new')).rejects.toBeInstanceOf(FileExistsError);
    expect(await readFile(path, 'utf8')).toBe('old');
    await writeDurableFile(path, 'new', { overwrite: true });
    expect(await readFile(path, 'utf8')).toBe('new');
    await mkdir(join(folder, 'peas'));
    await expect(writeDurableFile(join(folder, 'peas'), 'new', { overwrite: true })).rejects.toBeInstanceOf(
      FileExistsError,
    );
  });

  it('does not replace a file that appears while it writes', async () => {
    const other = join(folder, 'other');
    await writeFile(other, 'first');
    async function* content() {
      yield 'second';
      await link(other, path);
    }
    await expect(writeDurableFile(path, Readable.from(content()))).rejects.toBeInstanceOf(FileExistsError);
    expect(await readFile(path, 'utf8')).toBe('first');
    expect((await readdir(folder)).sort()).toEqual(['garden.zip', 'other']);
  });

  it('lets one of two concurrent writers succeed', async () => {
    const results = await Promise.allSettled(['a', 'b'].map((content) => writeDurableFile(path, content)));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await readFile(path, 'utf8')).toBe(results[0]?.status === 'fulfilled' ? 'a' : 'b');
    expect(await readdir(folder)).toEqual(['garden.zip']);
  });

  describe('on a file system without hard links', () => {
    beforeEach(() => {
      vi.spyOn(fileSystem, 'link').mockRejectedValue(Object.assign(new Error('not permitted'), { code: 'EPERM' }));
      syncBuiltinESMExports();
    });
    afterEach(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });

    it('renames the temporary file', async () => {
      await writeDurableFile(path, 'beans');
      expect(await readFile(path, 'utf8')).toBe('beans');
      expect(await readdir(folder)).toEqual(['garden.zip']);
    });

    it('does not replace a file that appeared after the content was written', async () => {
      vi.mocked(fileSystem.link).mockImplementation(async (_from, to) => {
        await writeFile(to, 'first');
        throw Object.assign(new Error('not supported'), { code: 'ENOTSUP' });
      });
      await expect(writeDurableFile(path, 'second')).rejects.toBeInstanceOf(FileExistsError);
      expect(await readFile(path, 'utf8')).toBe('first');
      expect(await readdir(folder)).toEqual(['garden.zip']);
    });

    it('reports other errors', async () => {
      vi.mocked(fileSystem.link).mockRejectedValue(Object.assign(new Error('broken'), { code: 'EIO' }));
      await expect(writeDurableFile(path, 'beans')).rejects.toThrow('broken');
      expect(await readdir(folder)).toEqual([]);
    });
  });
});

describe('writeDurableFile, when it cannot write', () => {
  it('closes the content', async () => {
    await writeFile(path, 'old');
    const content = Readable.from(failing());
    await expect(writeDurableFile(path, content)).rejects.toBeInstanceOf(FileExistsError);
    expect(content.destroyed).toBe(true);
  });
});

describe('createFile', () => {
  it('syncs the content, and deletes the file when writing fails', async () => {
    expect(await syncedDuring(path, () => createFile(path, (file) => file.writeFile('beans')))).toEqual([
      ['garden.zip', true],
    ]);
    const failed = createFile(`${path}.2`, async () => {
      throw new Error('no more');
    });
    await expect(failed).rejects.toThrow('no more');
    expect(await readdir(folder)).toEqual(['garden.zip']);
  });

  it('does not change an existing file', async () => {
    await writeFile(path, 'old');
    await expect(createFile(path, (file) => file.writeFile('new'))).rejects.toThrow('EEXIST');
    expect(await readFile(path, 'utf8')).toBe('old');
  });
});

it('syncFile syncs writes from elsewhere', async () => {
  await writeFile(path, 'beans');
  expect(await syncedDuring(path, () => syncFile(path))).toEqual([['garden.zip', true]]);
});

it('moveDurably replaces the target, creates its folder and syncs the changes', async () => {
  const [from, to] = [join(folder, 'from'), join(folder, 'a/b/to')];
  await writeFile(from, 'beans');
  expect(await syncedDuring(to, () => moveDurably(from, to))).toEqual([
    ['a', false],
    [basename(folder), false],
    ['b', true],
  ]);
  await writeFile(from, 'peas');
  await moveDurably(from, to);
  expect(await readFile(to, 'utf8')).toBe('peas');
});

it('createDurableFolder syncs the parent of every folder that it creates', async () => {
  const inner = join(folder, 'a/b');
  expect((await syncedDuring(inner, () => createDurableFolder(inner))).map(([name]) => name)).toEqual([
    'a',
    basename(folder),
  ]);
  expect(await syncedDuring(inner, () => createDurableFolder(inner))).toEqual([]);
});

it('syncFolderTree syncs a folder after all folders below it', async () => {
  await mkdir(join(folder, 'a/b'), { recursive: true });
  expect((await syncedDuring(folder, () => syncFolderTree(folder))).map(([name]) => name)).toEqual([
    'b',
    'a',
    basename(folder),
  ]);
});
