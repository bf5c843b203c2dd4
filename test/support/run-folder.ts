import { mkdtemp, readdir, readlink, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memoryDisk = '/dev/shm';
const minFreeBytes = 2 * 1024 ** 3;
/**
 * The process id in a folder's name shows later runs whether its owner is still running: those of the same namespace of
 * process ids, whose number is in the name too.
 */
const prefix = `potager-tests-${(await readlink('/proc/self/ns/pid').catch(() => '')).replace(/\D/g, '')}-`;

/**
 * Creates a folder for the files of this process until it ends: on a memory disk with enough space, because each copy of a
 * database has hundreds of files, or else in the temporary folder.
 */
export async function createRunFolder(disk = memoryDisk): Promise<string> {
  const { bavail, bsize } = await statfs(disk).catch(() => ({ bavail: 0, bsize: 0 }));
  const make = (parent: string): Promise<string> => mkdtemp(join(parent, `${prefix}${process.pid}-`));
  // A disk that exists may still not be writable for this user.
  return bavail * bsize >= minFreeBytes ? make(disk).catch(() => make(tmpdir())) : make(tmpdir());
}

/** Returns the folders of other processes, with the process ids in their names. */
export async function runFolders(): Promise<readonly { readonly folder: string; readonly owner: number }[]> {
  const found: { folder: string; owner: number }[] = [];
  for (const disk of new Set([tmpdir(), memoryDisk]))
    for (const name of await readdir(disk).catch(() => [])) {
      const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : 0;
      if (owner && owner !== process.pid) found.push({ folder: join(disk, name), owner });
    }
  return found;
}
