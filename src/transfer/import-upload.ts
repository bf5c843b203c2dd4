import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import { largestArchive, largestJson, patience } from './import-limits.ts';

/** A file that somebody sent. */
export interface ReceivedFile {
  readonly path: string;
  readonly kind: 'json' | 'archive';
}

/** How every ZIP archive begins that has something in it. */
const archiveMark = Buffer.from('PK\x03\x04', 'latin1');

/** How long a file may lie here that nobody works on, in ms: a day. */
const leftoverAge = 24 * 3600_000;

const isFull = (error: unknown): boolean =>
  error instanceof Error && ['ENOSPC', 'EDQUOT'].includes(String((error as NodeJS.ErrnoException).code));

/** The folder in which files of imports lie while they are worked on. */
export class ImportFolder {
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** The path of a file that is not there yet; what a process that ended left here long ago goes. */
  async freshPath(): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(() => null);
      if (found && this.#clock.now() - found.mtimeMs > leftoverAge) await rm(path, { force: true });
    }
    return join(this.#folder, randomUUID());
  }

  /** Writes what comes to a file; what it is, its first bytes say. Throws 413 for more than an import takes, 503 when the disk is full. Nothing is left then. */
  async receive(content: AsyncIterable<Buffer>): Promise<ReceivedFile> {
    const path = await this.freshPath();
    const file = await open(path, 'wx', 0o600);
    let isKept = false;
    try {
      const kind = await copy(content, (chunk) => file.writeFile(chunk));
      isKept = true;
      return { path, kind };
    } catch (error) {
      throw isFull(error) ? new Failure('unavailable', 'There is no room for this import on the server.') : error;
    } finally {
      await file.close();
      if (!isKept) await rm(path, { force: true });
    }
  }

  async drop(path: string): Promise<void> {
    await rm(path, { force: true });
  }
}

/** What is beyond the limit is read and thrown away for a while, so that the client sees the answer. */
async function copy(
  content: AsyncIterable<Buffer>,
  write: (chunk: Buffer) => Promise<unknown>,
): Promise<ReceivedFile['kind']> {
  let size = 0;
  let begin = Buffer.alloc(0);
  let isArchive = false;
  for await (const chunk of content) {
    size += chunk.length;
    if (begin.length < archiveMark.length) {
      begin = Buffer.concat([begin, chunk.subarray(0, archiveMark.length)]);
      isArchive = begin.subarray(0, archiveMark.length).equals(archiveMark);
    }
    const most = isArchive ? largestArchive : largestJson;
    if (size > most + patience) throw new Failure('body_too_large');
    if (size <= most) await write(chunk);
  }
  if (size > (isArchive ? largestArchive : largestJson)) throw new Failure('body_too_large');
  return isArchive ? 'archive' : 'json';
}
