import type { FileHandle } from 'node:fs/promises';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../core/errors.ts';
import { errorCode } from '../core/system.ts';
import { createTemporaryPath, deleteTemporaryFile } from '../core/temporary-files.ts';
import { say } from './messages.ts';

/** Maximum size of a JSON document, in bytes, alone or in an archive. */
export const maxDocumentSize = 32 * 1024 * 1024;

/** Maximum size of an archive, in bytes. */
export const maxArchiveSize = 2 * 1024 * 1024 * 1024;

/** Maximum sizes of files by their kind. */
const maxSizes = { json: maxDocumentSize, archive: maxArchiveSize };

/** Bytes of a body beyond the maximum size that are read and discarded, so that the client receives the response. */
const maxDiscardedSize = 256 * 1024 * 1024;

/** A file that a client sent. */
export interface ReceivedImport {
  readonly path: string;
  readonly kind: keyof typeof maxSizes;
}

/** The magic number of ZIP archives that are not empty. */
const zipMagic = Buffer.from('PK\x03\x04', 'latin1');

/** Returns the path of a new file in a folder. The caller must delete it as a temporary file. */
export async function createImportPath(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return createTemporaryPath(join(folder, 'import'));
}

/** Writes content to a new temporary file, and detects its kind. Throws 413 if it is too large, 503 if the disk is full, leaving nothing behind. */
export async function receiveFile(folder: string, content: AsyncIterable<Buffer>): Promise<ReceivedImport> {
  const path = await createImportPath(folder);
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      return { path, kind: await copy(content, file) };
    } finally {
      await file.close();
    }
  } catch (error) {
    await deleteTemporaryFile(path);
    const isDiskFull = ['ENOSPC', 'EDQUOT'].includes(String(errorCode(error)));
    throw isDiskFull ? new Failure('unavailable', say.diskFull) : error;
  }
}

/** Copies the content up to the maximum size. Discards some of the rest, so that the client receives the response. */
async function copy(content: AsyncIterable<Buffer>, file: FileHandle): Promise<ReceivedImport['kind']> {
  let size = 0;
  let start = Buffer.alloc(0);
  let kind: ReceivedImport['kind'] = 'json';
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
