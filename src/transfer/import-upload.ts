import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
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

/** The name of the folder in the data folder. */
export const importsFolder = 'imports';

const host = hostname().replaceAll(/[^\w.-]/g, '_');

/** A file's name tells whose it is: `<host>.<process>.<uuid>`. */
const nameForm = /^(.+)\.(\d{1,10})\.[0-9a-f-]{36}$/;

/** The files that this process works on. */
const inWork = new Set<string>();

/** The folder in which files of imports lie while they are worked on. */
export class ImportFolder {
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** The path of a file that is not there yet. {@link drop} it in the end. */
  async freshPath(): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, `${host}.${process.pid}.${randomUUID()}`);
    inWork.add(path);
    return path;
  }

  /** Deletes the files of processes that ended, however they ended; those of other machines after a day. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const name of names) {
      const path = join(this.#folder, name);
      if (inWork.has(path)) continue;
      const found = await stat(path).catch(() => null);
      if (found && (isLeft(name) || this.#clock.now() - found.mtimeMs > leftoverAge)) await rm(path, { force: true });
    }
  }

  /** Writes what comes to a file; what it is, its first bytes say. Throws 413 for more than an import takes, 503 when the disk is full. Nothing is left then. */
  async receive(content: AsyncIterable<Buffer>): Promise<ReceivedFile> {
    const path = await this.freshPath();
    const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
      inWork.delete(path);
      throw error;
    });
    let isKept = false;
    try {
      const kind = await copy(content, (chunk) => file.writeFile(chunk));
      isKept = true;
      return { path, kind };
    } catch (error) {
      throw isFull(error) ? new Failure('unavailable', 'There is no room for this import on the server.') : error;
    } finally {
      await file.close();
      if (!isKept) await this.drop(path);
    }
  }

  async drop(path: string): Promise<void> {
    inWork.delete(path);
    await rm(path, { force: true });
  }
}

/** Whether a file is of a process of this machine that ended. */
function isLeft(name: string): boolean {
  const [, from, id] = nameForm.exec(name) ?? [];
  // Of this process's own files it is known which it works on.
  return from === host && (Number(id) === process.pid || !isAlive(Number(id)));
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // It exists and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
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
