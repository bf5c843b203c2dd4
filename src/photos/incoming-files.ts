import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createDurableFolder, createFile } from '../core/durable-file.ts';
import { errorCode } from '../core/system.ts';

/** A file that was received. The caller must discard it, also after it was moved. */
export interface ReceivedFile {
  readonly path: string;
  /** Of the content, in bytes. */
  readonly size: number;
  /** The content was too large; the file is of no use. */
  readonly isTruncated: boolean;
}

/** Receives files before they are stored. */
export class IncomingFiles {
  readonly #folder: string;
  /** Files of this process, which a cleanup must not delete even if the clock is wrong. */
  readonly #current = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async #create(
    result: () => Omit<ReceivedFile, 'path'>,
    write: (file: FileHandle) => Promise<void>,
  ): Promise<ReceivedFile> {
    const path = join(this.#folder, randomUUID());
    this.#current.add(path);
    try {
      await createDurableFolder(this.#folder);
      await createFile(path, write, 0o666);
      return { path, ...result() };
    } catch (error) {
      this.#current.delete(path);
      throw error;
    }
  }

  /** Writes at most `maxBytes` to a file, passing each chunk to `onChunk`; discards the rest. Rejects, leaving no file, when the content fails. */
  async receive(content: Readable, maxBytes: number, onChunk: (chunk: Buffer) => void): Promise<ReceivedFile> {
    let size = 0;
    return this.#create(
      () => ({ size, isTruncated: size > maxBytes }),
      async (file) => {
        for await (const chunk of content as AsyncIterable<Buffer>) {
          size += chunk.length;
          if (size > maxBytes) continue;
          onChunk(chunk);
          await file.writeFile(chunk);
        }
      },
    );
  }

  /** Writes bytes to a file. */
  write(bytes: Buffer): Promise<ReceivedFile> {
    return this.#create(
      () => ({ size: bytes.length, isTruncated: false }),
      (file) => file.writeFile(bytes),
    );
  }

  /** Deletes a file, unless it was moved. */
  async discard({ path }: ReceivedFile): Promise<void> {
    await rm(path, { force: true });
    this.#current.delete(path);
  }

  /** Deletes files of ended processes that were last modified before a time, in ms since the epoch. */
  async deleteLeftovers(before: number): Promise<void> {
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
