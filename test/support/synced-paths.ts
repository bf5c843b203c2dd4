import { existsSync, readlinkSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { vi } from 'vitest';

/** Runs work and returns the synced paths, in order: names of files and folders, and whether `path` existed by then. */
export async function syncedDuring(
  path: string,
  work: () => Promise<unknown>,
): Promise<(readonly [string, boolean])[]> {
  const handle = await open('/');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = prototype;
  const synced: (readonly [string, boolean])[] = [];
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    synced.push([basename(readlinkSync(`/proc/self/fd/${this.fd}`)), existsSync(path)]);
    await sync.call(this);
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return synced;
}
