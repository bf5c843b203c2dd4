import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { backupName, pruneBackups } from './backup-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'potager-backup-folder-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const names = ['2026-11-19-031000', '2026-11-20-031000', '2026-11-21-031000'].map((time) => `potager-${time}.tar`);

it('names a backup by the time in UTC', () => {
  expect(backupName({ now: () => Date.UTC(2026, 10, 21, 3, 10) })).toBe(names[2]);
});

it('keeps the newest backups, and all other files', async () => {
  const others = [
    'potager-2026-11-01.tar',
    'potager-2026-11-01-031000.tar.gz',
    'my-potager-2026-11-01-031000.tar',
    'potager-2026-11-01-031000.tar.partial',
  ];
  for (const name of [...names, ...others]) await writeFile(join(folder, name), '');
  await mkdir(join(folder, 'potager-2026-11-02-031000.tar'));
  expect(await pruneBackups(folder, 2, names[2] ?? '')).toEqual([names[0]]);
  expect(await pruneBackups(folder, 2, names[2] ?? '')).toEqual([]);
  expect((await readdir(folder)).sort()).toEqual(
    [...others, 'potager-2026-11-02-031000.tar', ...names.slice(1)].sort(),
  );
});

it('keeps the latest backup, also if the clock was wrong before', async () => {
  for (const name of [...names, 'potager-2031-01-01-000000.tar']) await writeFile(join(folder, name), '');
  expect(await pruneBackups(folder, 1, names[0] ?? '')).toEqual([names[1], names[2], 'potager-2031-01-01-000000.tar']);
  expect(await readdir(folder)).toEqual([names[0]]);
});
