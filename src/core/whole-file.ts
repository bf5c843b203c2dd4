import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** There is a file of that name already. */
export class FileExists extends Error {
  constructor(path: string) {
    super(`There is a file ${path} already.`);
    this.name = 'FileExists';
  }
}

/** How a file is called while it is being written. */
export const partialName = (path: string): string => `${path}.partial`;

/**
 * Writes a file that only its owner may read and that appears under its name when all of it is on the disk; until then it
 * is called {@link partialName}. A failure leaves nothing behind. Gives its size in bytes. Throws {@link FileExists} unless it may replace one.
 */
export async function writeWholeFile(path: string, content: Readable, replaces = false): Promise<number> {
  const partial = partialName(path);
  try {
    await assertFree(path, replaces);
    // What an attempt that was cut off has left.
    await rm(partial, { force: true });
    const file = await open(partial, 'wx', 0o600);
    try {
      // A stream of the file would close it before it is on the disk.
      await pipeline(content, async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await file.writeFile(chunk);
      });
      await file.sync();
      const { ino, size } = await file.stat();
      if ((await stat(partial)).ino !== ino) throw new Error(`Somebody else writes ${partial} at the same time.`);
      await assertFree(path, replaces);
      await rename(partial, path);
      await syncFolder(dirname(path));
      return size;
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  } finally {
    content.destroy();
  }
}

async function assertFree(path: string, replaces: boolean): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && (!replaces || !found.isFile())) throw new FileExists(path);
}

/** Makes sure that the names in a folder are on the disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
