import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import { maxArchiveSize, maxDiscardedSize, maxDocumentSize } from './import-limits.ts';

/** A file that a client sent. */
export interface ReceivedFile {
  readonly path: string;
  readonly kind: 'json' | 'archive';
}

/** The magic number of ZIP archives that are not empty. */
const zipMagic = Buffer.from('PK\x03\x04', 'latin1');

/** Age at which files of other machines are deleted, in ms. */
const maxLeftoverAge = 24 * 3600_000;

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && ['ENOSPC', 'EDQUOT'].includes(String((error as NodeJS.ErrnoException).code));

/** The name of the import folder in the data folder. */
export const importsFolder = 'imports';

const host = hostname().replaceAll(/[^\w.-]/g, '_');

/** File names contain their owner: `<host>.<process>.<uuid>`. */
const namePattern = /^(.+)\.(\d{1,10})\.[0-9a-f-]{36}$/;

/** The files that this process is using. */
const inUse = new Set<string>();

/** The folder for files of imports in progress. */
export class ImportFolder {
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Returns the path of a new file, which the caller must {@link delete}. */
  async newPath(): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, `${host}.${process.pid}.${randomUUID()}`);
    inUse.add(path);
    return path;
  }

  /** Deletes the files of processes that have ended; those of other machines after a day. */
  async deleteLeftovers(): Promise<void> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const name of names) {
      const path = join(this.#folder, name);
      if (inUse.has(path)) continue;
      const found = await stat(path).catch(() => null);
      if (found && (isLeftover(name) || this.#clock.now() - found.mtimeMs > maxLeftoverAge))
        await rm(path, { force: true });
    }
  }

  /** Writes a request's content to a file, and detects its kind. Throws 413 if it is too large, 503 if the disk is full, leaving nothing behind. */
  async receive(content: AsyncIterable<Buffer>): Promise<ReceivedFile> {
    const path = await this.newPath();
    const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
      inUse.delete(path);
      throw error;
    });
    let isKept = false;
    try {
      const kind = await copy(content, (chunk) => file.writeFile(chunk));
      isKept = true;
      return { path, kind };
    } catch (error) {
      throw isDiskFull(error) ? new Failure('unavailable', 'The disk of the server is full.') : error;
    } finally {
      await file.close();
      if (!isKept) await this.delete(path);
    }
  }

  async delete(path: string): Promise<void> {
    inUse.delete(path);
    await rm(path, { force: true });
  }
}

/** Whether a file belongs to a process of this machine that has ended. */
function isLeftover(name: string): boolean {
  const [, from, id] = namePattern.exec(name) ?? [];
  // A file of this process that it is not using is from an earlier process with its id.
  return from === host && (Number(id) === process.pid || !isAlive(Number(id)));
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Copies the content up to the maximum size. Discards some of the rest, so that the client receives the response. */
async function copy(
  content: AsyncIterable<Buffer>,
  write: (chunk: Buffer) => Promise<unknown>,
): Promise<ReceivedFile['kind']> {
  let size = 0;
  let start = Buffer.alloc(0);
  let isArchive = false;
  for await (const chunk of content) {
    size += chunk.length;
    if (start.length < zipMagic.length) {
      start = Buffer.concat([start, chunk.subarray(0, zipMagic.length)]);
      isArchive = start.subarray(0, zipMagic.length).equals(zipMagic);
    }
    const maxSize = isArchive ? maxArchiveSize : maxDocumentSize;
    if (size > maxSize + maxDiscardedSize) throw new Failure('body_too_large');
    if (size <= maxSize) await write(chunk);
  }
  if (size > (isArchive ? maxArchiveSize : maxDocumentSize)) throw new Failure('body_too_large');
  return isArchive ? 'archive' : 'json';
}
