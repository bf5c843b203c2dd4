import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { errorCode } from '../core/durable-file.ts';
import { Failure } from '../core/errors.ts';

/** Maximum size of a JSON document, in bytes, alone or in an archive. */
export const maxDocumentSize = 32 * 1024 * 1024;

/** Maximum sizes of files by their kind, in bytes. */
const maxSizes = { json: maxDocumentSize, archive: 2 * 1024 * 1024 * 1024 };

/** How much of a body beyond the maximum size is read and discarded, in bytes, so that the client receives the response. */
const maxDiscardedSize = 256 * 1024 * 1024;

/** A file that a client sent. */
export interface ReceivedFile {
  readonly path: string;
  readonly kind: keyof typeof maxSizes;
}

/** The magic number of ZIP archives that are not empty. */
const zipMagic = Buffer.from('PK\x03\x04', 'latin1');

/** Age at which files of other machines are deleted, in ms. */
const maxLeftoverAge = 24 * 3600_000;

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
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return [];
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
    try {
      const file = await open(path, 'wx', 0o600);
      try {
        return { path, kind: await copy(content, file) };
      } finally {
        await file.close();
      }
    } catch (error) {
      await this.delete(path);
      const isDiskFull = ['ENOSPC', 'EDQUOT'].includes(String(errorCode(error)));
      throw isDiskFull ? new Failure('unavailable', 'The disk of the server is full.') : error;
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
    return errorCode(error) === 'EPERM';
  }
}

/** Copies the content up to the maximum size. Discards some of the rest, so that the client receives the response. */
async function copy(content: AsyncIterable<Buffer>, file: FileHandle): Promise<ReceivedFile['kind']> {
  let size = 0;
  let start = Buffer.alloc(0);
  let kind: ReceivedFile['kind'] = 'json';
  for await (const chunk of content) {
    size += chunk.length;
    if (start.length < zipMagic.length) {
      start = Buffer.concat([start, chunk.subarray(0, zipMagic.length)]);
      if (start.subarray(0, zipMagic.length).equals(zipMagic)) kind = 'archive';
    }
    if (size > maxSizes[kind] + maxDiscardedSize) throw new Failure('body_too_large');
    if (size <= maxSizes[kind]) await file.writeFile(chunk);
  }
  if (size > maxSizes[kind]) throw new Failure('body_too_large');
  return kind;
}
