import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { create, Header, list } from 'tar';
import { beforeEach, describe, expect, it } from 'vitest';
import { syncedDuring } from '../../test/support/synced-paths.ts';
import { writeDurableFile } from '../core/durable-file.ts';
import { FreeSpace } from '../core/free-space.ts';
import type { ArchiveHeader } from './archive-format.ts';
import { archiveBytes } from './archive-writer.ts';
import { createBackup } from './backup.ts';
import { BackupError } from './backup-error.ts';
import { dataFolderFiles } from './data-folder-files.ts';
import { restore } from './restoration.ts';

const clock = { now: () => Date.UTC(2026, 10, 21, 12) };

/** A backup without a database, which is on a PostgreSQL server. */
const freeSpace = new FreeSpace({ minFree: 0, clock });
const source = { database: 'postgres', photos: 'folder', program: '1.2.3', clock, freeSpace } as const;

const header: ArchiveHeader = {
  format: 1,
  program: '1.2.3',
  schema: null,
  created_at: '2026-11-21T12:00:00.000Z',
  database: 'postgres',
  photos: 'folder',
};

describe('a backup of files', () => {
  let folder = '';
  let data = '';
  let empty = '';
  let archive = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'potager-backup-'));
    data = join(folder, 'data');
    empty = join(folder, 'empty');
    archive = join(folder, 'backup.tar');
    await mkdir(join(data, 'photos/7'), { recursive: true });
    await mkdir(join(data, 'keys'));
    await mkdir(join(data, 'copies'));
    await mkdir(empty);
    await writeFile(join(data, 'serve.lock'), '1\n');
    await writeFile(join(data, 'keys/tokens.pem'), 'a key');
    await writeFile(join(data, 'copies/before.sqlite'), 'old');
    await writeFile(join(data, 'photos/7/beans.jpg'), Buffer.alloc(1300, 7));
    await writeFile(join(data, 'photos/7/empty.jpg'), '');
    await writeFile(join(data, 'photos/7/whole.jpg'), Buffer.alloc(1024, 1));
    await writeFile(join(data, 'photos/7/.now.jpg.part'), 'half');
    await mkdir(join(data, 'imports'));
    await writeFile(join(data, 'imports/host.1.x'), 'half');
    await mkdir(join(data, 'old'));
    for (const name of [
      'x.tar.partial',
      'x.tar.garden.1.0a0b0c0d.partial',
      'x.sqlite.garden.1.0a0b0c0d.partial-journal',
    ])
      await writeFile(join(data, 'old', name), 'half');
  });

  const backUp = () => createBackup({ folder: data, ...source }, archive);
  const restoreBackup = (path = archive) => restore(path, { folder: empty, database: 'postgres' });

  it('contains all files except temporary ones, and restores them unchanged', async () => {
    expect(await backUp()).toEqual({
      size: (await stat(archive)).size,
      files: 4,
      omitted: [{ path: 'copies', reason: 'copies of the database from before earlier upgrades' }],
    });
    expect((await stat(archive)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).sort()).toEqual(['backup.tar', 'data', 'empty']);

    const manifest = await restoreBackup();
    expect(manifest).toMatchObject(header);
    expect(manifest.files.map(({ path, size }) => [path, size])).toEqual([
      ['keys/tokens.pem', 5],
      ['photos/7/beans.jpg', 1300],
      ['photos/7/empty.jpg', 0],
      ['photos/7/whole.jpg', 1024],
    ]);
    expect(manifest.files[0]?.sha256).toBe('8fa3aab2faa9b79e0a0398da5b5abd0780142442a5be80b9a64608d718cb1fcd');
    expect((await readdir(empty)).sort()).toEqual(['keys', 'photos']);
    expect((await readdir(join(empty, 'photos/7'))).sort()).toEqual(['beans.jpg', 'empty.jpg', 'whole.jpg']);
    expect(await readFile(join(empty, 'photos/7/beans.jpg'))).toEqual(Buffer.alloc(1300, 7));
    expect((await stat(join(empty, 'keys/tokens.pem'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(empty, 'keys'))).mode & 0o777).toBe(0o700);
  });

  it('is on the disk before it appears in the data folder', async () => {
    await backUp();
    const synced = await syncedDuring(join(empty, 'photos'), restoreBackup);
    const names = synced.map(([name]) => name);
    expect(names.slice(0, 4)).toEqual(['tokens.pem', 'beans.jpg', 'empty.jpg', 'whole.jpg']);
    expect(names.slice(4, 7).sort()).toEqual(['7', 'keys', 'photos']);
    expect(names.slice(7)).toEqual([expect.stringMatching(/^\.restoring\./), 'empty', 'empty']);
    expect(synced.slice(0, 8).filter(([, isMoved]) => isMoved)).toEqual([]);
    expect(synced.at(-1)).toEqual(['empty', true]);
  });

  it('is a tar archive that other programs can read', async () => {
    await backUp();
    const names: string[] = [];
    await list({ file: archive, strict: true, onReadEntry: (entry) => names.push(`${entry.path} ${entry.size}`) });
    expect(names).toEqual([
      expect.stringMatching(/^potager-backup\.json \d+$/),
      'data/keys/tokens.pem 5',
      'data/photos/7/beans.jpg 1300',
      'data/photos/7/empty.jpg 0',
      'data/photos/7/whole.jpg 1024',
      expect.stringMatching(/^manifest\.json \d+$/),
      'manifest.json.sha256 80',
    ]);
  });

  it('can be compressed, and contains names of any length', async () => {
    const long = `${'beans'.repeat(40)}ü.jpg`;
    await writeFile(join(data, 'photos/7', long), 'x');
    await createBackup({ folder: data, ...source }, `${archive}.gz`);
    const packed = await readFile(`${archive}.gz`);
    expect(gunzipSync(packed).length).toBeGreaterThan(packed.length);
    await restoreBackup(`${archive}.gz`);
    expect(await readFile(join(empty, 'photos/7', long), 'utf8')).toBe('x');
  });

  it('follows symbolic links in the data folder, but not in its subfolders', async () => {
    await rename(join(data, 'photos'), join(folder, 'disk'));
    await symlink(join(folder, 'disk'), join(data, 'photos'));
    await symlink('/etc/passwd', join(folder, 'disk/7/passwd'));
    expect(await backUp()).toMatchObject({
      files: 4,
      omitted: [{ path: 'copies' }, { path: 'photos/7/passwd', reason: 'not a regular file' }],
    });
  });

  it('lists files that are deleted before they are read', async () => {
    async function* files() {
      yield { path: 'photos/1.jpg', source: join(data, 'photos/7/beans.jpg') };
      yield { path: 'photos/2.jpg', source: join(data, 'photos/7/deleted.jpg') };
    }
    await writeDurableFile(archive, Readable.from(archiveBytes(header, files(), [])));
    const { files: written, left_out } = await restoreBackup();
    expect(written.map(({ path }) => path)).toEqual(['photos/1.jpg']);
    expect(left_out).toEqual([{ path: 'photos/2.jpg', reason: 'deleted during the backup' }]);
  });

  it('continues when folders are deleted before they are read', async () => {
    for (let i = 0; i < 5; i++) {
      await mkdir(join(data, 'photos', String(i)));
      await writeFile(join(data, 'photos', String(i), 'full.jpg'), 'x');
    }
    const paths: string[] = [];
    for await (const { path } of dataFolderFiles(data, [])) {
      paths.push(path);
      if (path === 'photos/1/full.jpg') await rm(join(data, 'photos/2'), { recursive: true });
    }
    expect(paths.filter((path) => path.endsWith('full.jpg'))).toEqual(
      [0, 1, 3, 4].map((number) => `photos/${number}/full.jpg`),
    );
  });

  it('is rejected inside the data folder, and without data', async () => {
    await expect(createBackup({ folder: data, ...source }, join(data, 'photos/x.tar'))).rejects.toThrow(
      'Write the backup outside of the data folder, preferably to another disk.',
    );
    await expect(createBackup({ folder: join(folder, 'none'), ...source }, archive)).rejects.toThrow(
      'There is no data in',
    );
    await expect(createBackup({ folder: data, ...source, database: 'sqlite' }, archive)).rejects.toThrow(BackupError);
    expect((await readdir(folder)).sort()).toEqual(['data', 'empty']);
  });

  it('is rejected inside the data folder through a symbolic link', async () => {
    const message = 'Write the backup outside of the data folder, preferably to another disk.';
    await symlink(data, join(folder, 'link'));
    await symlink(join(data, 'photos'), join(folder, 'photos-link'));
    for (const path of ['link/x.tar', 'link/photos/7/x.tar', 'photos-link/x.tar'])
      await expect(createBackup({ folder: data, ...source }, join(folder, path)), path).rejects.toThrow(message);
    await expect(createBackup({ folder: join(folder, 'link'), ...source }, join(data, 'x.tar'))).rejects.toThrow(
      message,
    );
    // Folders that are linked from the data folder are backed up, too.
    await rename(join(data, 'photos'), join(folder, 'disk'));
    await symlink(join(folder, 'disk'), join(data, 'photos'));
    await expect(createBackup({ folder: data, ...source }, join(folder, 'disk/x.tar'))).rejects.toThrow(message);
    expect(await createBackup({ folder: join(folder, 'link'), ...source }, archive)).toMatchObject({ files: 4 });
  });

  it('can only be restored into an empty folder', async () => {
    await backUp();
    await writeFile(join(empty, 'notes.txt'), 'mine');
    await expect(restoreBackup()).rejects.toThrow('is not empty');
    expect(await readdir(empty)).toEqual(['notes.txt']);
  });

  it('can be restored after an interrupted restore', async () => {
    await backUp();
    await mkdir(join(empty, '.restoring.garden.1.0a0b0c0d.partial/keys'), { recursive: true });
    await writeFile(join(empty, 'serve.lock'), '');
    await restoreBackup();
    expect((await readdir(empty)).sort()).toEqual(['keys', 'photos', 'serve.lock']);
  });

  it('is rejected if a different database is configured', async () => {
    await backUp();
    await expect(restore(archive, { folder: empty, database: 'sqlite' })).rejects.toThrow('set DATABASE_URL');
    expect(await readdir(empty)).toEqual([]);
  });

  describe('that is damaged', () => {
    const expectRejected = async (message: string | RegExp) => {
      const failure = await restoreBackup().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(BackupError);
      expect(String(failure)).toMatch(message);
      expect(await readdir(empty)).toEqual([]);
    };

    it('is rejected if it is truncated at any position', async () => {
      await backUp();
      const { size } = await stat(archive);
      // A tar archive ends with two blocks of zeros.
      for (const length of [
        size - 1,
        size - 511,
        size - 512,
        size - 1023,
        size - 1024,
        size - 1025,
        size - 2000,
        5000,
        2048,
        1024,
        700,
        512,
        511,
        1,
        0,
      ]) {
        await truncate(archive, length);
        await expectRejected('The archive is truncated');
      }
    });

    it('is rejected if it is compressed and truncated', async () => {
      await createBackup({ folder: data, ...source }, `${archive}.gz`);
      await rename(`${archive}.gz`, archive);
      const { size } = await stat(archive);
      // The last eight bytes are the checksum and the size.
      for (const length of [size - 1, size - 4, size - 8, size - 9, size - 20]) {
        await truncate(archive, length);
        await expectRejected('The archive is truncated');
      }
    });

    it('is rejected if data other than zeros follows its end', async () => {
      for (const ending of ['', '.gz']) {
        await createBackup({ folder: data, ...source }, `${archive}${ending}`, true);
        if (ending) await rename(`${archive}${ending}`, archive);
        const bytes = await readFile(archive);
        for (const more of ['junk', '\0junk', `${'\0'.repeat(3_000_000)}junk`, bytes.toString('latin1')]) {
          await writeFile(archive, Buffer.concat([bytes, Buffer.from(more, 'latin1')]));
          await expectRejected('is corrupt');
        }
      }
      await createBackup({ folder: data, ...source }, archive, true);
      await writeFile(archive, Buffer.concat([await readFile(archive), Buffer.alloc(10_240)]));
      expect((await restoreBackup()).files).toHaveLength(4);
    });

    it('is rejected if the gzip checksum is wrong', async () => {
      await createBackup({ folder: data, ...source }, `${archive}.gz`);
      const bytes = await readFile(`${archive}.gz`);
      bytes[bytes.length - 6] = (bytes[bytes.length - 6] ?? 0) ^ 1;
      await writeFile(archive, bytes);
      await rm(`${archive}.gz`);
      await expectRejected('is corrupt');
    });

    it('is rejected if any byte is changed', async () => {
      await backUp();
      const bytes = await readFile(archive);
      for (let at = 0; at < bytes.length - 1024; at += 97) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 0x41;
        await writeFile(archive, changed);
        const outcome = await restoreBackup().catch((error: unknown) => error);
        expect([at, outcome instanceof BackupError]).toEqual([at, true]);
        expect(await readdir(empty)).toEqual([]);
      }
    });

    it('is rejected if it is not a backup', async () => {
      await writeFile(archive, 'PK\u0003\u0004 a ZIP archive'.padEnd(3000, 'x'));
      await expectRejected('The file is not a backup');
      await create({ file: archive, cwd: data }, ['keys/tokens.pem']);
      await expectRejected('The file is not a backup made by Potager.');
    });
  });

  describe('with crafted entries', () => {
    const entry = (path: string, content: string, headerFields: object = {}): Buffer => {
      const block = Buffer.alloc(512);
      new Header({ path, size: content.length, type: 'File', mode: 0o600, mtime: new Date(0), ...headerFields }).encode(
        block,
      );
      return Buffer.concat([block, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
    };
    const expectRejected = async (entries: readonly Buffer[], message: string | RegExp) => {
      const all = [entry('potager-backup.json', JSON.stringify(header)), ...entries, Buffer.alloc(1024)];
      await writeFile(archive, Buffer.concat(all));
      const failure = await restoreBackup().catch((error: unknown) => error);
      expect(String(failure)).toMatch(message);
      expect(failure).toBeInstanceOf(BackupError);
      expect(await readdir(empty)).toEqual([]);
      expect((await readdir(folder)).sort()).toEqual(['backup.tar', 'data', 'empty']);
    };

    it.each([
      'data/../../evil.txt',
      'data/photos/../../../evil.txt',
      '../evil.txt',
      '/tmp/evil.txt',
      'evil.txt',
      'data//evil.txt',
      'data/./evil.txt',
      'data/..',
      'data/serve.lock',
      'data/a\\..\\evil.txt',
    ])('does not write to %s', async (path) => {
      await expectRejected([entry(path, 'evil')], 'does not belong in a backup');
    });

    it('are rejected unless they are regular files', async () => {
      await expectRejected(
        [entry('data/keys', '', { type: 'SymbolicLink', linkpath: '/etc' })],
        'The file is not a backup, or it',
      );
      await expectRejected(
        [entry('data/keys', '', { type: 'Link', linkpath: 'data/photos' })],
        'The file is not a backup, or it',
      );
      await expectRejected([entry('data/keys/', '')], 'The file is not a backup, or it');
      await expectRejected([entry('data/keys', '', { type: 'Directory' })], 'The file is not a backup, or it');
      await expectRejected([entry('data/pipe', '', { type: 'FIFO' })], 'The file is not a backup, or it');
    });

    it('contains each file of the manifest once', async () => {
      const manifest = (files: object[], more: object = {}) => {
        const text = JSON.stringify({ ...header, files, left_out: [], ...more });
        const sum = createHash('sha256').update(text).digest('hex');
        const end = [entry('manifest.json', text), entry('manifest.json.sha256', `${sum}  manifest.json\n`)];
        return Buffer.concat(end);
      };
      const file = { path: 'a', size: 1, sha256: 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb' };
      await expectRejected([entry('data/a', 'a')], 'The archive has no end');
      await expectRejected([entry('data/a', 'a'), entry('manifest.json', '{}')], 'The archive has no end');
      await expectRejected([entry('manifest.json', '{}'), entry('manifest.json.sha256', 'x')], 'is corrupt');
      await expectRejected([entry('data/a', 'a'), manifest([])], 'does not match its manifest');
      await expectRejected([manifest([file])], 'does not match its manifest');
      await expectRejected([entry('data/b', 'a'), manifest([file])], '"a" does not match');
      await expectRejected([entry('data/a', 'b'), manifest([file])], '"a" does not match');
      await expectRejected(
        [entry('data/a', 'a'), manifest([file], { files: 'a' })],
        'manifest.json is not as `potager backup` writes it',
      );
      await expectRejected([entry('data/a', 'a'), manifest([file]), entry('data/c', 'c')], 'continues after its end');
      await expectRejected(
        [entry('data/a', 'a'), entry('data/a', 'a'), manifest([file, file])],
        '"data/a", which does not belong',
      );
      await expectRejected(
        [entry('data/a', 'a'), entry('data/a/b', 'a'), manifest([file, file])],
        '"data/a/b", which does not belong',
      );
    });

    it('is rejected if its format is newer', async () => {
      const newer = entry('potager-backup.json', JSON.stringify({ ...header, format: 2 }));
      await writeFile(archive, Buffer.concat([newer, Buffer.alloc(1024)]));
      await expect(restoreBackup()).rejects.toThrow('The archive was written by a newer version');
      const future = entry('potager-backup.json', JSON.stringify({ ...header, schema: 29991231000000 }));
      await writeFile(archive, Buffer.concat([future, Buffer.alloc(1024)]));
      await expect(restoreBackup()).rejects.toThrow('Use a newer version.');
    });
  });
});
