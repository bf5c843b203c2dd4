import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createDurableFolder, createFile, errorCode } from '../core/durable-file.ts';

/** A file that is there and has no place yet. Whoever got it drops it, also when it was put elsewhere. */
export interface ReceivedFile {
  readonly path: string;
  /** There was more than was allowed; the file holds nothing of use. */
  readonly isCut: boolean;
}

/** Takes in files before they have a place, for uploads also before it is known whether they are kept. */
export class IncomingFiles {
  readonly #folder: string;
  /** Files of this process. Their age says nothing after the machine's clock was set. */
  readonly #current = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async #keep(isCut: () => boolean, write: (file: FileHandle) => Promise<void>): Promise<ReceivedFile> {
    const path = join(this.#folder, randomUUID());
    this.#current.add(path);
    try {
      await createDurableFolder(this.#folder);
      await createFile(path, write, 0o666);
      return { path, isCut: isCut() };
    } catch (error) {
      this.#current.delete(path);
      throw error;
    }
  }

  /** Writes what comes to a file: at most `most` bytes, the rest is read and thrown away. `see` is shown each piece that is kept. Rejects when the content breaks off; nothing is left then. */
  async receive(content: Readable, most: number, see: (chunk: Buffer) => void): Promise<ReceivedFile> {
    let size = 0;
    return this.#keep(
      () => size > most,
      async (file) => {
        for await (const chunk of content as AsyncIterable<Buffer>) {
          size += chunk.length;
          if (size > most) continue;
          see(chunk);
          await file.writeFile(chunk);
        }
      },
    );
  }

  /** Writes bytes to a file. */
  write(bytes: Buffer): Promise<ReceivedFile> {
    return this.#keep(
      () => false,
      (file) => file.writeFile(bytes),
    );
  }

  /** Deletes a file, if it was not put elsewhere. */
  async drop({ path }: ReceivedFile): Promise<void> {
    await rm(path, { force: true });
    this.#current.delete(path);
  }

  /** Deletes what a process that ended left here before a time, in ms since the epoch. */
  async sweep(before: number): Promise<void> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
    for (const name of names) {
      const path = join(this.#folder, name);
      if (this.#current.has(path)) continue;
      const found = await stat(path).catch(() => null);
      if (found && found.mtimeMs < before) await rm(path, { force: true });
    }
  }
}
