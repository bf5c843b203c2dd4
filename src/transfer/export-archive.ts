import type { Readable } from 'node:stream';
import type { DeviceScope } from '../db/scope.ts';
import { openPhoto } from '../photos/photo-records.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import type { AccountExport } from './export-document.ts';
import type { ZipEntry } from './zip-stream.ts';
import { zipStream } from './zip-stream.ts';

/** The document's name inside an archive. */
export const documentName = 'export.json';

/** Where a photo lies inside an archive. */
export const photoName = (imageId: number, extension: string): string => `photos/${imageId}.${extension}`;

async function* entriesOf(scope: DeviceScope, account: AccountExport, storage: PhotoStorage): AsyncGenerator<ZipEntry> {
  yield { name: documentName, content: Buffer.from(account.text), modified: scope.clock.now() };
  for (const { id, created_at } of account.images()) {
    // One that is deleted meanwhile is missing, as one that never arrived is.
    const photo = await openPhoto(storage, scope, id);
    if (photo) yield { name: photoName(id, photo.extension), content: photo.content, modified: Date.parse(created_at) };
  }
}

/** A ZIP archive of an account: the document as `export.json`, each photo in full size as `photos/<image id>.<ending>`. Made while it is read. */
export const accountArchive = (scope: DeviceScope, account: AccountExport, storage: PhotoStorage): Readable =>
  zipStream(entriesOf(scope, account, storage));
