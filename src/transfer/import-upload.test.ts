import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImportFolder } from './import-upload.ts';

const uuid = '00000000-0000-4000-8000-000000000000';
const clock = { now: () => Date.now() };

describe('the import folder', () => {
  let path = '';
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'potager-imports-'));
  });
  afterEach(() => rm(path, { recursive: true }));

  it('deletes files of processes that have ended, and none that are in use', async () => {
    const folder = new ImportFolder(path, clock);
    const { path: mine } = await folder.receive(Readable.from([Buffer.from('{}')]));
    const fresh = await folder.newPath();
    await writeFile(fresh, 'half');
    const { pid: dead } = spawnSync('true');
    const host = hostname().replaceAll(/[^\w.-]/g, '_');
    const name = (from: string, process: number) => `${from}.${process}.${uuid}`;
    const kept = [name(host, process.ppid), name('elsewhere.example', dead)];
    // In a container, the next process often has the same id.
    const left = [name(host, dead), name(host, process.pid)];
    for (const one of [...kept, ...left, 'old', 'young']) await writeFile(join(path, one), 'x');
    const longAgo = new Date(Date.now() - 25 * 3600_000);
    await utimes(join(path, 'old'), longAgo, longAgo);
    await utimes(mine, longAgo, longAgo);
    await new ImportFolder(path, clock).deleteLeftovers();
    const there = [...kept, 'young', ...[mine, fresh].map((one) => one.slice(path.length + 1))];
    expect((await readdir(path)).sort()).toEqual(there.sort());
    expect(await readFile(mine, 'utf8')).toBe('{}');
    await folder.delete(mine);
    await folder.delete(fresh);
    expect((await readdir(path)).sort()).toEqual([...kept, 'young'].sort());
  });

  it('does not need to exist', async () => {
    await new ImportFolder(join(path, 'none'), clock).deleteLeftovers();
    expect(await readdir(path)).toEqual([]);
  });
});
