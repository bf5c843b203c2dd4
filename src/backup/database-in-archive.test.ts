import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Sqlite from 'better-sqlite3';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeDurableFile } from '../core/durable-file.ts';
import { FreeSpace } from '../core/free-space.ts';
import { migrations } from '../db/migrations/list.ts';
import { migrate } from '../db/migrator.ts';
import { openDatabase } from '../db/open.ts';
import type { ArchiveHeader } from './archive-format.ts';
import { archiveBytes } from './archive-writer.ts';
import { createBackup } from './backup.ts';
import { restore } from './restoration.ts';

const newestMigration = migrations.at(-1)?.number ?? 0;

const clock = { now: () => Date.UTC(2026, 10, 21, 12) };
const freeSpace = new FreeSpace({ minFree: 0, clock });
const locations = { database: 'sqlite', photos: 'folder', program: '1.2.3', clock, freeSpace } as const;

const time = `'2026-01-01T00:00:00.000Z'`;

describe('the database in a backup', () => {
  let folder = '';
  let data = '';
  let empty = '';
  let archive = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'potager-database-'));
    [data, empty, archive] = [join(folder, 'data'), join(folder, 'empty'), join(folder, 'backup.tar')];
    await mkdir(empty);
    const database = await openDatabase(null, data, () => undefined);
    const log = pino({ level: 'silent' });
    await migrate(database, migrations, { clock, log, copies: join(data, 'copies') });
    await database.close();
  });

  const opened = (where: string) => new Sqlite(join(where, 'potager.sqlite'));
  const restored = () => restore(archive, { folder: empty, database: 'sqlite' });

  /** Writes a consistent archive with these bytes as its database. */
  async function archived(bytes: Buffer): Promise<void> {
    const source = join(folder, 'other.sqlite');
    await writeFile(source, bytes);
    const header: ArchiveHeader = {
      format: 1,
      program: '1.2.3',
      schema: newestMigration,
      created_at: '2026-11-21T12:00:00.000Z',
      database: 'sqlite',
      photos: 'folder',
    };
    async function* files() {
      yield { path: 'potager.sqlite', source };
    }
    await writeDurableFile(archive, Readable.from(archiveBytes(header, files(), [])), { overwrite: true });
  }

  it('is a snapshot without uncommitted rows, and never reuses an id', async () => {
    const database = opened(data);
    const insert = database.prepare(
      `insert into global_config (created_at, updated_at, key, value) values (${time}, ${time}, ?, 'x')`,
    );
    for (const key of ['a', 'b', 'c']) insert.run(key);
    database.exec(`delete from global_config where key = 'c'`);
    database.exec('begin immediate');
    insert.run('uncommitted');
    expect(await createBackup({ folder: data, ...locations }, archive)).toEqual({
      size: expect.any(Number),
      files: 1,
      omitted: [{ path: 'keys/tokens.pem', reason: 'not found: all users will have to sign in again' }],
    });
    database.exec('commit');
    database.close();

    expect(await restored()).toMatchObject({ schema: newestMigration, database: 'sqlite' });
    expect(await readdir(empty)).toEqual(['potager.sqlite']);
    const copy = opened(empty);
    expect(copy.prepare('select key from global_config order by id').pluck().all()).toEqual(['a', 'b']);
    copy.exec(`insert into global_config (created_at, updated_at, key, value) values (${time}, ${time}, 'd', 'x')`);
    expect(copy.prepare(`select id from global_config where key = 'd'`).pluck().get()).toBe(4);
    copy.close();
    expect((await readdir(folder)).sort()).toEqual(['backup.tar', 'data', 'empty']);
  });

  it('is restored without the keys of browsers, which may have been used since', async () => {
    const database = opened(data);
    const insert = (table: string, given: Record<string, number | string>) => {
      const { columns, values } = filled(database, table, given);
      database.exec(`insert into ${table} (${columns}) values (${values})`);
    };
    insert('devices', { id: 7 });
    insert('users', { id: 3, device_id: 7 });
    const resumable = { resume_key_hash: `'k'`, resume_cookie_hash: `'c'`, resume_previous_hash: `'p'` };
    insert('token_issuances', { id: 1, device_id: 7, user_id: 3, resume_rotated_at: time, ...resumable });
    database.close();
    await createBackup({ folder: data, ...locations }, archive);
    await restored();
    expect(await readdir(empty)).toEqual(['potager.sqlite']);
    const copy = opened(empty);
    const without = { resume_key_hash: null, resume_cookie_hash: null, resume_previous_hash: null };
    expect(copy.prepare('select * from token_issuances').get()).toMatchObject({
      id: 1,
      ...without,
      resume_rotated_at: null,
    });
    copy.close();
  });

  it('lists photos whose files are missing', async () => {
    const database = opened(data);
    const device = (id: number) => {
      const { columns, values } = filled(database, 'devices', { id });
      database.exec(`insert into devices (${columns}) values (${values})`);
    };
    const photo = (id: number, key: string, type: string) => {
      const given = { id, device_id: 7, photo_key: `'${key}'`, photo_type: type };
      const { columns, values } = filled(database, 'images', given);
      database.exec(`insert into images (${columns}) values (${values})`);
    };
    device(7);
    const [stored, missing, pending] = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)];
    photo(1, stored, `'jpg'`);
    photo(2, missing, `'png'`);
    photo(3, pending, 'null');
    database.close();
    await mkdir(join(data, 'photos/7/photos', stored), { recursive: true });
    await writeFile(join(data, 'photos/7/photos', stored, 'full.jpg'), 'a photo');
    await mkdir(join(data, 'keys'));
    await writeFile(join(data, 'keys/tokens.pem'), 'a key');
    await mkdir(join(data, 'photos/incoming'));
    await writeFile(join(data, 'photos/incoming/half'), 'half a photo');

    const report = await createBackup({ folder: data, ...locations }, archive);
    expect(report.omitted).toEqual([
      { path: `photos/7/photos/${missing}/full.png`, reason: 'the file of this photo is missing' },
    ]);
    const manifest = await restored();
    expect(manifest.files.map(({ path }) => path)).toEqual([
      'potager.sqlite',
      'keys/tokens.pem',
      `photos/7/photos/${stored}/full.jpg`,
    ]);
    expect(manifest.left_out).toEqual(report.omitted);
  });

  it('is rejected if it is not a database, or not one of Potager', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('no database'.repeat(1000))]) {
      await archived(bytes);
      await expect(restored()).rejects.toMatchObject({ name: 'BackupError' });
      expect(await readdir(empty)).toEqual([]);
    }
    const other = new Sqlite(':memory:');
    other.exec('create table beans (id integer)');
    await archived(other.serialize());
    other.close();
    await expect(restored()).rejects.toThrow('The database in the archive is not from Potager');
    expect(await readdir(empty)).toEqual([]);
  });

  it.each([
    ['is newer than the header says', 29991231000000],
    ['has an older migration that this version does not know', 20261120000000],
  ])('is rejected if it %s', async (_what, number) => {
    const database = opened(data);
    database.exec(`insert into schema_migrations (number, name, applied_at) values (${number}, 'unknown', ${time})`);
    await archived(database.serialize());
    database.close();
    await expect(restored()).rejects.toThrow('or from a newer version');
    expect(await readdir(empty)).toEqual([]);
  });

  it('is rejected if a foreign key is violated', async () => {
    const database = opened(data);
    database.pragma('foreign_keys = off');
    const { columns, values } = filled(database, 'tools', { device_id: 99 });
    database.exec(`insert into tools (${columns}) values (${values})`);
    await archived(database.serialize());
    database.close();
    await expect(restored()).rejects.toThrow(
      'The database in the archive is corrupt: row 1 of tools refers to a missing row of devices.',
    );
    expect(await readdir(empty)).toEqual([]);
  });

  it('is rejected if its pages are corrupt', async () => {
    const database = opened(data);
    const insert = database.prepare(
      `insert into global_config (created_at, updated_at, key, value) values (${time}, ${time}, ?, ?)`,
    );
    for (let i = 0; i < 200; i++) insert.run(`key ${i}`, 'x'.repeat(500));
    const bytes = database.serialize();
    database.close();
    const middle = bytes.lastIndexOf('key 150');
    bytes.fill(0xff, middle - 2000, middle + 2000);
    await archived(bytes);
    await expect(restored()).rejects.toThrow('The database in the archive');
    expect(await readdir(empty)).toEqual([]);
  });
});

/** Columns and values of a row, with dummy values for columns that are not null. */
function filled(database: Sqlite.Database, table: string, given: Readonly<Record<string, number | string>>) {
  const columns = database.pragma(`table_info(${table})`) as { name: string; type: string; notnull: number }[];
  const needed = columns.filter(({ name, notnull }) => notnull === 1 || name in given);
  const value = ({ name, type }: { name: string; type: string }) => given[name] ?? (type === 'TEXT' ? `''` : 0);
  return { columns: needed.map(({ name }) => name).join(), values: needed.map(value).join() };
}
