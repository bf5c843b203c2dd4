import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Another process serves this data folder. */
export class DataFolderInUseError extends Error {
  constructor(folder: string, holder: number | null) {
    const who = holder === null ? 'another process' : `process ${holder}`;
    super(
      `The data folder ${folder} is already being served by ${who}. Stop that server first, or set another DATA_DIR.`,
    );
    this.name = 'DataFolderInUse';
  }
}

/** The right to serve a data folder, held until `release()` or the end of the process, however it ends. */
export interface DataFolderLock {
  release(): void;
}

const fileName = 'serve.lock';

/** Makes the folder if need be and takes its lock. Throws {@link DataFolderInUseError}. */
export function lockDataFolder(folder: string): DataFolderLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, fileName);
  const file = openSync(path, 'a+', 0o600);
  try {
    if (!take(file, path)) throw new DataFolderInUseError(folder, holderOf(path));
    // For people and for the sentence above; the system's lock is what counts.
    ftruncateSync(file);
    writeSync(file, `${process.pid}\n`);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  let isHeld = true;
  return {
    release() {
      if (!isHeld) return;
      isHeld = false;
      ftruncateSync(file);
      closeSync(file);
    },
  };
}

/** The process that serves a data folder, as it wrote there itself; null when there is none. For people: only the lock decides. */
export function servingProcess(folder: string): number | null {
  const path = join(folder, fileName);
  const holder = existsSync(path) ? holderOf(path) : null;
  return holder !== null && isAlive(holder) ? holder : null;
}

/** Node has no call for the system's file locks. The lock that `flock` takes belongs to the open file, which outlives that command here, and the system drops it when this process ends. */
function take(file: number, path: string): boolean {
  const { error, status } = spawnSync('flock', ['-n', '-x', '3'], { stdio: ['ignore', 'ignore', 'ignore', file] });
  if (!error && (status === 0 || status === 1)) return status === 0;
  // No such command (macOS, Windows), or a file system without locks.
  const holder = holderOf(path);
  return holder === null || holder === process.pid || !isAlive(holder);
}

function holderOf(path: string): number | null {
  const text = readFileSync(path, 'utf8').trim();
  return /^\d{1,10}$/.test(text) && Number(text) > 0 ? Number(text) : null;
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // It exists and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
