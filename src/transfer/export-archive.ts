import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { DeviceScope } from '../db/scope.ts';
import { openPhoto } from '../photos/photo-records.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import type { AccountExport } from './export-document.ts';

/** The name of the document in an archive. */
export const documentName = 'export.json';

export interface ZipEntry {
  /** The path in the archive, with slashes. */
  readonly name: string;
  /** Buffers are compressed; streams are stored as they are, for content that is already compressed. */
  readonly content: Buffer | Readable;
  /** Time of the last modification, in ms. */
  readonly modified: number;
}

/** Readable and writable by the owner only. */
const fileMode = 0o100600;

/** Returns a ZIP archive that is created while it is read, one entry after the other. Destroying it destroys the entries. */
export function zipStream(entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream;
  if (!(output instanceof Readable)) throw new Error('the output of yazl is not a readable stream');
  const fail = (error: Error): void => {
    output.destroy(error);
  };
  zip.on('error', fail);
  const fill = async (): Promise<void> => {
    for await (const { name, content, modified } of entries) {
      const options = { mtime: new Date(modified), mode: fileMode };
      if (Buffer.isBuffer(content)) zip.addBuffer(content, name, { ...options, compress: true });
      else {
        const stop = (): void => void content.destroy();
        if (output.destroyed) stop();
        output.once('close', stop);
        zip.addReadStream(content, name, { ...options, compress: false });
        await finished(content, { writable: false });
        output.off('close', stop);
      }
      if (output.destroyed) return;
    }
    zip.end();
  };
  fill().catch(fail);
  return output;
}

async function* accountEntries(
  scope: DeviceScope,
  account: AccountExport,
  storage: PhotoStorage,
): AsyncGenerator<ZipEntry> {
  yield { name: documentName, content: Buffer.from(account.text), modified: scope.clock.now() };
  for (const { id, created_at } of account.files()) {
    // Skips photos that were deleted concurrently, or never uploaded.
    const photo = await openPhoto(storage, scope, id);
    if (photo)
      yield { name: `photos/${id}.${photo.extension}`, content: photo.content, modified: Date.parse(created_at) };
  }
}

/** Returns a ZIP archive of an account: the document as `export.json`, and each photo in full size as `photos/<image id>.<extension>`. */
export const accountArchive = (scope: DeviceScope, account: AccountExport, storage: PhotoStorage): Readable =>
  zipStream(accountEntries(scope, account, storage));
