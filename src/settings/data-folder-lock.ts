import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from '../core/system.ts';

/** Thrown when another process uses the data folder. */
export class DataFolderInUseError extends Error {
  constructor(folder: string, holder: number | null) {
    const owner = holder === null ? 'another process' : `process ${holder}`;
    super(`The data folder ${folder} is in use by ${owner}. Stop that server first, or set another DATA_DIR.`);
    this.name = 'DataFolderInUse';
  }
}

/** The lock of a data folder, held until `release()` or the end of the process. */
export interface DataFolderLock {
  release(): void;
}

const fileName = 'serve.lock';

/** Creates the folder if necessary and locks it. Throws {@link DataFolderInUseError}. */
export function lockDataFolder(folder: string): DataFolderLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, fileName);
  const file = openSync(path, 'a+', 0o600);
  try {
    if (!take(file, path)) throw new DataFolderInUseError(folder, holderOf(path));
    // For information only; the system's lock decides.
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

/** Returns the id of the process that uses a data folder, or null. For information: only the lock decides. */
export function servingProcess(folder: string): number | null {
  const path = join(folder, fileName);
  const holder = existsSync(path) ? holderOf(path) : null;
  return holder !== null && isProcessAlive(holder) ? holder : null;
}

/** Locks the open file with the command `flock`, because Node has no file locks. The lock belongs to the open file, so it outlives the command and ends with this process. */
function take(file: number, path: string): boolean {
  const { error, status } = spawnSync('flock', ['-n', '-x', '3'], { stdio: ['ignore', 'ignore', 'ignore', file] });
  if (!error && (status === 0 || status === 1)) return status === 0;
  // Without the command (macOS, Windows) or locks of the file system, the recorded process id decides.
  const holder = holderOf(path);
  return holder === null || holder === process.pid || !isProcessAlive(holder);
}

function holderOf(path: string): number | null {
  const text = readFileSync(path, 'utf8').trim();
  return /^\d{1,10}$/.test(text) && Number(text) > 0 ? Number(text) : null;
}
