import type { FileHandle } from 'node:fs/promises';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../core/errors.ts';
import { errorCode } from '../core/system.ts';
import { createTemporaryPath, deleteTemporaryFile } from '../core/temporary-files.ts';

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

/** The folder for files of imports in progress. */
export class ImportFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the path of a new file, which the caller must {@link delete}. */
  async newPath(): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return createTemporaryPath(join(this.#folder, 'import'));
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

  /** Deletes a file of this folder. */
  delete(path: string): Promise<void> {
    return deleteTemporaryFile(path);
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
