import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTemporaryPath, deleteTemporaryFile, sweepDataFolder, sweepTemporaryFiles } from './temporary-files.ts';

const hour = 3600_000;
const host = hostname()
  .replaceAll(/[^\w-]/g, '_')
  .slice(0, 32);
const { pid: endedPid } = spawnSync('true');
const name = (from: string, pid: number, random = '0a0b0c0d') => `x.zip.${from}.${pid}.${random}.partial`;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'potager-temporary-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Creates a file that was last modified before this process started, by at least `age` ms. */
async function create(path: string, age = 1): Promise<void> {
  await writeFile(join(folder, path), 'half');
  const modified = new Date(performance.timeOrigin - age);
  await utimes(join(folder, path), modified, modified);
}
const remaining = async () => (await readdir(folder)).sort();

it('names temporary files by their owner', () => {
  const path = createTemporaryPath(join(folder, 'x.zip'));
  expect(basename(path)).toMatch(/^x\.zip\.[\w-]+\.\d+\.[0-9a-f]{8}\.partial$/);
  expect(basename(path)).toContain(`.${host}.${process.pid}.`);
  expect(createTemporaryPath(join(folder, 'x.zip'))).not.toBe(path);
});

it('deletes files of processes that have ended, and their journals and folders', async () => {
  await create(name(host, endedPid));
  await create(`${name(host, endedPid)}-journal`);
  // In a container, the next process often has the same id.
  await create(name(host, process.pid));
  await mkdir(join(folder, name(host, endedPid, 'ffffffff')));
  await create(join(name(host, endedPid, 'ffffffff'), 'key'));
  await utimes(join(folder, name(host, endedPid, 'ffffffff')), 0, 0);
  await sweepTemporaryFiles(folder);
  expect(await remaining()).toEqual([]);
});

it('keeps files of running processes, of other machines and of another origin', async () => {
  const own = createTemporaryPath(join(folder, 'x.zip'));
  await create(basename(own), 25 * hour);
  const written = name(host, endedPid, 'ffffffff');
  const others = [name(host, process.ppid), name('elsewhere', endedPid), 'x.zip', 'film.mp4.partial', '.partial'];
  for (const path of others) await create(path);
  // As if written by a container with the same host name and its own process ids.
  await writeFile(join(folder, written), 'half');
  await sweepTemporaryFiles(folder);
  expect(await remaining()).toEqual([basename(own), written, ...others].sort());
  await deleteTemporaryFile(own);
  expect(await remaining()).toEqual([written, ...others].sort());
});

it('deletes files of unknown processes after a day', async () => {
  await create(name('elsewhere', 1), 25 * hour);
  await create(name(host, process.ppid), 25 * hour);
  await create(name('elsewhere', 2), 22 * hour);
  await create('film.mp4.partial', 25 * hour);
  await sweepTemporaryFiles(folder);
  expect(await remaining()).toEqual(['film.mp4.partial', name('elsewhere', 2)]);
});

it('sweeps a data folder and its folders, whether or not they exist', async () => {
  await mkdir(join(folder, 'outbox'));
  await create(join('outbox', name(host, endedPid)));
  await create(name(host, endedPid));
  await create('potager.sqlite');
  await sweepDataFolder(folder);
  expect((await readdir(folder, { recursive: true })).sort()).toEqual(['outbox', 'potager.sqlite']);
  await sweepTemporaryFiles(join(folder, 'none'));
});

it('deletes files that version 0.1.0 left in a data folder, after a day', async () => {
  const uuid = '0b5a1c7e-6a1d-4a57-9f0e-3f6f0c2d1e4b';
  const left = ['5.eml.partial', `tokens.pem.${uuid}`, `my-host.4711.${uuid}`];
  await mkdir(join(folder, 'sub'));
  for (const path of left) await create(join('sub', path), 22 * hour);
  await create(join('sub', 'tokens.pem'), 25 * hour);
  await create(join('sub', uuid), 25 * hour);
  await sweepDataFolder(folder);
  expect((await readdir(join(folder, 'sub'))).sort()).toEqual([...left, 'tokens.pem', uuid].sort());
  for (const path of left) await create(join('sub', path), 25 * hour);
  // Other folders may contain files of others with such names.
  await sweepTemporaryFiles(join(folder, 'sub'));
  expect(await readdir(join(folder, 'sub'))).toHaveLength(5);
  await sweepDataFolder(folder);
  expect((await readdir(join(folder, 'sub'))).sort()).toEqual(['tokens.pem', uuid].sort());
});
