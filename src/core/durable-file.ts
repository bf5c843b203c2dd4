import type { FileHandle } from 'node:fs/promises';
import { link, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from './system.ts';
import { createTemporaryPath, deleteTemporaryFile } from './temporary-files.ts';

/** Thrown instead of replacing a file. */
export class FileExistsError extends Error {
  constructor(path: string) {
    super(`${path} already exists.`);
    this.name = 'FileExistsError';
  }
}

/**
 * Writes a file that only its owner may read. It appears under its name when all of its content is on the disk, and survives
 * a power loss from then on; a failure leaves nothing behind. Returns its size in bytes. Throws {@link FileExistsError}
 * unless `overwrite` is set.
 */
export async function writeDurableFile(
  path: string,
  content: Readable | Buffer | string,
  { overwrite = false } = {},
): Promise<number> {
  const source = content instanceof Readable ? content : Readable.from([content]);
  const temporary = createTemporaryPath(path);
  try {
    await assertReplaceable(path, overwrite);
    let size = 0;
    await createFile(temporary, async (file) => {
      // A write stream of the file would close it before it is synced.
      await pipeline(source, async (chunks: AsyncIterable<Buffer | string>) => {
        for await (const chunk of chunks) await file.writeFile(chunk);
      });
      ({ size } = await file.stat());
    });
    await assertReplaceable(path, overwrite);
    await (overwrite ? rename : renameWithoutReplacing)(temporary, path);
    await syncFolder(dirname(path));
    return size;
  } finally {
    await deleteTemporaryFile(temporary);
    source.destroy();
  }
}

async function assertReplaceable(path: string, overwrite: boolean): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && (!overwrite || !found.isFile())) throw new FileExistsError(path);
}

/** File systems without hard links: exFAT, some network shares. */
const noLinks: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** `rename` replaces silently; a hard link is created atomically or not at all. */
async function renameWithoutReplacing(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
    await rm(from);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') throw new FileExistsError(to);
    if (!noLinks.has(code)) throw error;
    await assertReplaceable(to, false);
    await rename(from, to);
  }
}

/** Creates a file and syncs its content; a failure leaves nothing behind. Its name survives a power loss only after {@link moveDurably} or {@link syncFolderTree}. */
export async function createFile(
  path: string,
  write: (file: FileHandle) => Promise<void>,
  mode = 0o600,
): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await write(file);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Moves a file or folder whose content is synced. A file replaces the target atomically. Both paths must be on one file system. */
export async function moveDurably(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await createDurableFolder(dirname(to));
    await rename(from, to);
  }
  await syncFolder(dirname(to));
}

/** Creates a folder and its missing parents. */
export async function createDurableFolder(folder: string, mode = 0o777): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode });
  if (first === undefined) return;
  for (let created = folder; ; created = dirname(created)) {
    await syncFolder(dirname(created));
    if (created === first) return;
  }
}

/** Syncs the content of a file that was written elsewhere, for {@link moveDurably}. */
export const syncFile = (path: string): Promise<void> => sync(path, 'r+');

/** Syncs the entries of a folder. */
const syncFolder = (path: string): Promise<void> => sync(path, 'r');

async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const opened = await open(path, flags);
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/** Syncs the entries of a folder and of all folders below it. */
export async function syncFolderTree(path: string): Promise<void> {
  for await (const entry of await opendir(path)) if (entry.isDirectory()) await syncFolderTree(join(path, entry.name));
  await syncFolder(path);
}
