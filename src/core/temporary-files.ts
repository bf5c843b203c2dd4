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

/** `<name>.<host>.<process>.<random>.partial`; SQLite adds the last endings. */
const ownedName = /\.([\w-]+)\.(\d{1,10})\.[0-9a-f]{8}\.partial(-journal|-wal|-shm)?$/;

/** Names that version 0.1.0 used: mails, the key, imports. Nothing of a later version writes them. */
const formerName =
  /\.eml\.partial$|^tokens\.pem\.[0-9a-f-]{36}$|\.\d{1,10}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

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

/** Whether a name is a temporary file's. */
export const isTemporaryName = (name: string): boolean => /\.partial(-journal|-wal|-shm)?$/.test(name);

/** Deletes the temporary files in a folder that were left by processes that have ended; files of other machines after a day. */
export const sweepTemporaryFiles = (folder: string): Promise<void> => sweep(folder, false);

async function sweep(folder: string, isDataFolder: boolean): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const [, owner, id] = ownedName.exec(name) ?? [];
    const path = join(folder, name);
    const isOwned = owner !== undefined;
    if (inUse.has(path) || (!isOwned && !(isDataFolder && formerName.test(name)))) continue;
    const found = await stat(path).catch(() => null);
    if (!found) continue;
    const isOld = Date.now() - found.mtimeMs > maxAge;
    if (isOld || (isOwned && isLeftover(owner, Number(id), found.mtimeMs)))
      await rm(path, { recursive: true, force: true });
  }
}

function isLeftover(owner: string, id: number, modified: number): boolean {
  // A file of this process that it is not using is from an earlier one with its id. Containers may share a host name
  // but not process ids, so a file that is being written is also recognized by its time.
  return owner === host && (id === process.pid || !isProcessAlive(id)) && modified < performance.timeOrigin;
}

/** Sweeps a data folder and the folders directly in it, also of files that version 0.1.0 left, after a day. */
export async function sweepDataFolder(dataFolder: string): Promise<void> {
  await sweep(dataFolder, true);
  for (const name of await readdir(dataFolder)) {
    const path = join(dataFolder, name);
    if ((await stat(path).catch(() => null))?.isDirectory()) await sweep(path, true);
  }
}
