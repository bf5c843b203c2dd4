import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import type { ServerScope } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { retryFailedJobs } from '../jobs/retries.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { images } from './images.ts';
import { photoJobKinds } from './photo-records.ts';
import { removalKinds } from './photo-removal.ts';
import type { PhotoStorage, StorageEntry } from './photo-storage.ts';
import type { ParsedStorageKey } from './storage-keys.ts';
import { parseStorageKey, photoFolder, uploadFile } from './storage-keys.ts';
import type { UploadServices } from './upload-routes.ts';
import { uploads } from './uploads.ts';

const hour = 3600_000;
const day = 24 * hour;

/** How long an upload without an image is kept, in ms: robots may be offline for days. */
const uploadRetention = 7 * day;
/** Minimum age of an orphaned file in ms: files are written before their records. */
const orphanAge = day;
const batchSize = 200;

/** Across devices: an image of one device may name an upload of another. */
const isUnused = sql`not exists (select 1 from images where images.upload_key = uploads.key)`;

/** Deletes uploads that no image has named for a week. */
async function deleteUnusedUploads({ storage, incoming }: UploadServices, server: ServerScope): Promise<void> {
  const now = confirmedNow(server.clock);
  const orphans = { updated_at: { lt: timestamp(now - uploadRetention) } };
  for (let after = 0; ; ) {
    const found = await server.rows(uploads, {
      where: { ...orphans, id: { gt: after } },
      and: isUnused,
      limit: batchSize,
    });
    for (const { id, device_id, key } of found) {
      after = id;
      // An image may have named it since it was read. If this process ends here, its file is deleted as an orphan.
      const deleted = await server.transaction((scope) =>
        scope.delete(uploads, { where: { ...orphans, id }, and: isUnused }),
      );
      if (deleted.length > 0) await storage.delete(uploadFile(device_id, key));
    }
    if (found.length < batchSize) break;
  }
  await incoming.deleteLeftovers(now - orphanAge);
}

/** Whether a file has a record. */
async function isOwned(server: ServerScope, { deviceId, kind, key }: ParsedStorageKey): Promise<boolean> {
  if (kind === 'upload') return (await server.count(uploads, { where: { device_id: deviceId, key } })) > 0;
  return (await server.device(deviceId).count(images, { where: { photo_key: key } })) > 0;
}

/** Deletes files without a record, left by processes that ended before creating it. */
async function deleteOrphanedFiles(storage: PhotoStorage, server: ServerScope): Promise<void> {
  const before = confirmedNow(server.clock) - orphanAge;
  let last = '';
  for await (const { path, modified } of storage.list() as AsyncIterable<StorageEntry>) {
    const part = modified < before ? parseStorageKey(path) : null;
    if (!part) continue;
    // The files of one photo are listed together.
    const name = `${part.deviceId}/${part.key}`;
    if (name === last) continue;
    last = name;
    if (await isOwned(server, part)) continue;
    if (part.kind === 'upload') await storage.delete(uploadFile(part.deviceId, part.key));
    else await storage.deleteAll(photoFolder(part.deviceId, part.key));
  }
}

/** The cleanup jobs. */
export const photoCleanup = (services: UploadServices & { readonly jobs: JobQueue }): JobDefinition[] => [
  {
    kind: 'upload_sweep',
    interval: 6 * hour,
    waitsFor: 'storage',
    handle: (server) => deleteUnusedUploads(services, server),
  },
  {
    kind: 'photo_file_sweep',
    interval: day,
    waitsFor: 'storage',
    handle: (server) => deleteOrphanedFiles(services.storage, server),
  },
  {
    kind: 'photo_job_sweep',
    interval: day,
    // An accepted photo must be processed, and an accepted deletion carried out, even after unknown errors.
    async handle(server) {
      await retryFailedJobs(server, services.jobs, { kind: [photoJobKinds.upload, ...Object.values(removalKinds)] });
    },
  },
];
