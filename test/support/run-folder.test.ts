import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createRunFolder } from './run-folder.ts';

it('is on the disk, or in the temporary folder if the disk is missing or cannot be written', async () => {
  const disk = await mkdtemp(join(tmpdir(), 'potager-disk-'));
  // A file has the free space of its disk, and not even root can create a folder in it.
  const unwritable = join(disk, 'unwritable');
  await writeFile(unwritable, '');
  const made: string[] = [];
  for (const each of [disk, unwritable, join(disk, 'missing')]) made.push(await createRunFolder(each));
  expect(made.map(dirname)).toEqual([disk, tmpdir(), tmpdir()]);
  for (const folder of [...made, disk]) await rm(folder, { recursive: true });
});
