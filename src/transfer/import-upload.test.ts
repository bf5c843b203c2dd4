import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImportFolder } from './import-upload.ts';

const uuid = '00000000-0000-4000-8000-000000000000';
const clock = { now: () => Date.now() };

describe('ImportFolder', () => {
  let path = '';
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'potager-imports-'));
  });
  afterEach(() => rm(path, { recursive: true }));

  it('deletes files of processes that have ended, and none that are in use', async () => {
    const folder = new ImportFolder(path, clock);
    const { path: received } = await folder.receive(Readable.from([Buffer.from('{}')]));
    const fresh = await folder.newPath();
    await writeFile(fresh, 'half');
    const { pid: endedPid } = spawnSync('true');
    const host = hostname().replaceAll(/[^\w.-]/g, '_');
    const name = (hostName: string, pid: number) => `${hostName}.${pid}.${uuid}`;
    const kept = [name(host, process.ppid), name('elsewhere.example', endedPid)];
    // In a container, the next process often has the same pid.
    const leftovers = [name(host, endedPid), name(host, process.pid)];
    for (const file of [...kept, ...leftovers, 'old', 'young']) await writeFile(join(path, file), 'x');
    const yesterday = new Date(Date.now() - 25 * 3600_000);
    await utimes(join(path, 'old'), yesterday, yesterday);
    await utimes(received, yesterday, yesterday);
    await new ImportFolder(path, clock).deleteLeftovers();
    const remaining = [...kept, 'young', ...[received, fresh].map((file) => file.slice(path.length + 1))];
    expect((await readdir(path)).sort()).toEqual(remaining.sort());
    expect(await readFile(received, 'utf8')).toBe('{}');
    await folder.delete(received);
    await folder.delete(fresh);
    expect((await readdir(path)).sort()).toEqual([...kept, 'young'].sort());
  });

  it('creates the folder if it does not exist', async () => {
    await new ImportFolder(join(path, 'none'), clock).deleteLeftovers();
    expect(await readdir(path)).toEqual([]);
  });
});
