import type { FileHandle } from 'node:fs/promises';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createDurableFolder, createFile } from '../core/durable-file.ts';
import { errorCode } from '../core/system.ts';
import {
  createTemporaryPath,
  deleteTemporaryFile,
  isTemporaryName,
  sweepTemporaryFiles,
} from '../core/temporary-files.ts';

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

  constructor(folder: string) {
    this.#folder = folder;
  }

  async #create(
    result: () => Omit<ReceivedFile, 'path'>,
    write: (file: FileHandle) => Promise<void>,
  ): Promise<ReceivedFile> {
    const path = createTemporaryPath(join(this.#folder, 'file'));
    try {
      await createDurableFolder(this.#folder);
      await createFile(path, write, 0o666);
      return { path, ...result() };
    } catch (error) {
      await deleteTemporaryFile(path);
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
  discard({ path }: ReceivedFile): Promise<void> {
    return deleteTemporaryFile(path);
  }

  /** Deletes files of processes that have ended. */
  sweep(): Promise<void> {
    return sweepTemporaryFiles(this.#folder);
  }

  /** Deletes files that version 0.1.0 left, if they were last modified before a time, in ms since the epoch. */
  async deleteFormerFiles(before: number): Promise<void> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
    for (const name of names) {
      if (isTemporaryName(name)) continue;
      const path = join(this.#folder, name);
      const found = await stat(path).catch(() => null);
      if (found && found.mtimeMs < before) await rm(path, { force: true });
    }
  }
}
