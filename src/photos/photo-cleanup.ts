import { timestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { images } from './images.ts';
import type { PhotoStorage, StorageEntry } from './photo-storage.ts';
import type { ParsedStorageKey } from './storage-keys.ts';
import { parseStorageKey, photoFolder, uploadFile } from './storage-keys.ts';
import type { UploadServices } from './upload-routes.ts';
import { uploads } from './uploads.ts';

const hour = 3600_000;
const day = 24 * hour;

/** How long an upload waits for a photo that is made of it, in ms: robots come back late. */
const uploadGrace = 7 * day;
/** How old a file must be before it is nobody's, in ms: files are written before their records. */
const fileGrace = day;
const uploadsAtOnce = 200;

/** Across devices: only the record of an image keeps an upload, and an image of one device may name another's. */
const isUnnamed = sql`not exists (select 1 from images where images.upload_key = uploads.key)`;

/** Deletes uploads that no photo was made of for a week. */
async function sweepUploads({ storage, incoming }: UploadServices, server: ServerScope): Promise<void> {
  const now = server.clock.now();
  const orphans = { updated_at: { lt: timestamp(now - uploadGrace) } };
  for (let after = 0; ; ) {
    const found = await server.rows(uploads, {
      where: { ...orphans, id: { gt: after } },
      and: isUnnamed,
      limit: uploadsAtOnce,
    });
    for (const { id, device_id, key } of found) {
      after = id;
      // It may have been named since it was read. Its file is swept as nobody's should this process end here.
      const gone = await server.transaction((scope) =>
        scope.delete(uploads, { where: { ...orphans, id }, and: isUnnamed }),
      );
      if (gone.length > 0) await storage.delete(uploadFile(device_id, key));
    }
    if (found.length < uploadsAtOnce) break;
  }
  await incoming.sweep(now - fileGrace);
}

/** Whether a file belongs to a record. */
async function isOwned(server: ServerScope, { deviceId, kind, key }: ParsedStorageKey): Promise<boolean> {
  if (kind === 'upload') return (await server.count(uploads, { where: { device_id: deviceId, key } })) > 0;
  return (await server.device(deviceId).count(images, { where: { photo_key: key } })) > 0;
}

/** Deletes files that no record names: those of a process that ended between writing a file and its record. */
async function sweepFiles(storage: PhotoStorage, server: ServerScope): Promise<void> {
  const before = server.clock.now() - fileGrace;
  let last = '';
  for await (const { path, modified } of storage.list() as AsyncIterable<StorageEntry>) {
    const part = modified < before ? parseStorageKey(path) : null;
    if (!part) continue;
    // The files of one photo follow each other.
    const name = `${part.deviceId}/${part.key}`;
    if (name === last) continue;
    last = name;
    if (await isOwned(server, part)) continue;
    if (part.kind === 'upload') await storage.delete(uploadFile(part.deviceId, part.key));
    else await storage.deleteAll(photoFolder(part.deviceId, part.key));
  }
}

/** The jobs that delete what nobody needs. */
export const photoSweeps = (services: UploadServices): JobDefinition[] => [
  { kind: 'upload_sweep', interval: 6 * hour, handle: (server) => sweepUploads(services, server) },
  { kind: 'photo_file_sweep', interval: day, handle: (server) => sweepFiles(services.storage, server) },
];
