import { randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode, isProcessAlive } from './system.ts';

/** Age in ms at which the files of processes whose state is unknown are deleted. */
const maxAge = 24 * 3600_000;

const host = hostname()
  .replaceAll(/[^\w-]/g, '_')
  .slice(0, 32);

/** `<name>.<host>.<process>.<random>.partial`; SQLite adds the last ending. */
const ownedName = /\.([\w-]+)\.(\d{1,10})\.[0-9a-f]{8}\.partial(-journal)?$/;

/** The temporary files of this process. */
const inUse = new Set<string>();

/** Returns a path for a file that is not complete, named by its owner. The caller must {@link deleteTemporaryFile} it, also after moving it. */
export function createTemporaryPath(path: string): string {
  const temporary = `${path}.${host}.${process.pid}.${randomBytes(4).toString('hex')}.partial`;
  inUse.add(temporary);
  return temporary;
}

/** Deletes a temporary file or folder, if it still exists. */
export async function deleteTemporaryFile(path: string): Promise<void> {
  inUse.delete(path);
  await rm(path, { recursive: true, force: true });
}

/** Whether a name is that of a temporary file. */
export const isTemporaryName = (name: string): boolean => /\.partial(-journal)?$/.test(name);

/** Deletes the temporary files in a folder that were left by processes that have ended; those of other machines after a day. */
export async function sweepTemporaryFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const [, owner, id] = ownedName.exec(name) ?? [];
    const path = join(folder, name);
    if (owner === undefined || inUse.has(path)) continue;
    const found = await stat(path).catch(() => null);
    if (found && isLeftover(owner, Number(id), found.mtimeMs)) await rm(path, { recursive: true, force: true });
  }
}

function isLeftover(owner: string, id: number, modified: number): boolean {
  if (Date.now() - modified > maxAge) return true;
  // A file of this process that it is not using is from an earlier one with its id. Containers may share a host name
  // but not process ids, so a file that is being written is also recognized by its time.
  return owner === host && (id === process.pid || !isProcessAlive(id)) && modified < performance.timeOrigin;
}

/** Sweeps a data folder and the folders directly in it. */
export async function sweepDataFolder(dataFolder: string): Promise<void> {
  await sweepTemporaryFiles(dataFolder);
  for (const name of await readdir(dataFolder)) {
    const path = join(dataFolder, name);
    if ((await stat(path).catch(() => null))?.isDirectory()) await sweepTemporaryFiles(path);
  }
}
