import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataFolderInUseError, lockDataFolder, servingProcess } from './data-folder-lock.ts';

let folder: string;
let child: ChildProcess | null = null;
const path = process.env.PATH;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'potager-lock-'));
});

afterEach(() => {
  process.env.PATH = path;
  child?.kill('SIGKILL');
  child = null;
  rmSync(folder, { recursive: true, force: true });
});

describe('lockDataFolder', () => {
  it('creates the folder and records the process id', () => {
    const lock = lockDataFolder(join(folder, 'a/b'));
    expect(readFileSync(join(folder, 'a/b/serve.lock'), 'utf8')).toBe(`${process.pid}\n`);
    expect(servingProcess(join(folder, 'a/b'))).toBe(process.pid);
    lock.release();
    expect(servingProcess(join(folder, 'a/b'))).toBeNull();
    expect(servingProcess(join(folder, 'nowhere'))).toBeNull();
  });

  it('locks once, and again after a release', () => {
    const lock = lockDataFolder(folder);
    expect(() => lockDataFolder(folder)).toThrow(DataFolderInUseError);
    expect(() => lockDataFolder(folder)).toThrow(`is in use by process ${process.pid}`);
    lock.release();
    lock.release();
    lockDataFolder(folder).release();
  });

  it('ignores the recorded id of a crashed process, even if it is in use again', () => {
    writeFileSync(join(folder, 'serve.lock'), '1\n');
    lockDataFolder(folder).release();
  });

  it('is released when its process is killed', async () => {
    const flock = spawn('flock', ['--no-fork', join(folder, 'serve.lock'), 'sh', '-c', 'echo held; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child = flock;
    await once(flock.stdout, 'data');
    expect(() => lockDataFolder(folder)).toThrow(/by another process/);
    flock.kill('SIGKILL');
    await once(flock, 'exit');
    lockDataFolder(folder).release();
  });

  it('uses the process id where there is no flock command', () => {
    process.env.PATH = folder;
    writeFileSync(join(folder, 'serve.lock'), '1\n');
    expect(() => lockDataFolder(folder)).toThrow(/by process 1\./);
    writeFileSync(join(folder, 'serve.lock'), '4194305\n');
    lockDataFolder(folder).release();
  });
});
