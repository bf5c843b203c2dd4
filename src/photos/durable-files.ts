import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The system's code of an error: `ENOENT`. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

async function withFile<T>(path: string, flags: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Has what a folder lists survive a loss of power. */
const settle = (folder: string): Promise<void> => withFile(folder, 'r', (file) => file.sync());

/** Makes a folder with those above it, none of which a loss of power takes away again. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    await settle(dirname(made));
    if (made === first) return;
  }
}

/** Puts a file in its place, in place of what is there: whole or not at all. Both lie in one file system; what the file holds has been written already. */
export async function moveIntoPlace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await makeFolder(dirname(to));
    await rename(from, to);
  }
  await settle(dirname(to));
}

/** Writes a new file for good. Nothing is left of one that fails. */
export async function writeNew(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await withFile(path, 'wx', async (file) => {
      await write(file);
      await file.datasync();
    });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}
