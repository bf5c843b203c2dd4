import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import type { ServerScope } from '../db/scope.ts';
import { retryFailedJobs } from '../jobs/retries.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { images } from './images.ts';
import { photoJobKinds } from './photo-records.ts';
import { isNotNeeded, releaseUploads, removalKinds } from './photo-removal.ts';
import { photoSizeKind } from './photo-sizes.ts';
import type { PhotoStorage, StorageEntry } from './photo-storage.ts';
import type { ParsedStorageKey } from './storage-keys.ts';
import { parseStorageKey, photoFolder, uploadFile } from './storage-keys.ts';
import type { PhotoServices } from './upload-routes.ts';
import type { UploadRow } from './uploads.ts';
import { isUnnamed, uploads } from './uploads.ts';

const hour = 3600_000;
const day = 24 * hour;

/** How long an upload without an image is kept, in ms: robots may be offline for days. */
const uploadRetention = 7 * day;
/** Minimum age of an orphaned file in ms: files are written before their records. */
const orphanAge = day;
const batchSize = 200;

/** Releases uploads that no image has named for a week, and uploads that an interrupted process did not release. Their keys are deleted with the last image. */
async function releaseUnusedUploads(services: PhotoServices, server: ServerScope): Promise<void> {
  const now = confirmedNow(server.clock);
  const isOld = { updated_at: { lt: timestamp(now - uploadRetention) } };
  await inBatches(
    (after) => {
      const where = { ...isOld, uploaded_at: { not: null }, id: { gt: after } };
      return server.rows(uploads, { where, and: isNotNeeded, limit: batchSize });
    },
    async ({ id, device_id }) => {
      // An image may have named it since it was read.
      await server.device(device_id).transaction((scope) => releaseUploads(scope, services.jobs, { ...isOld, id }));
    },
  );
  const expired = { ...isOld, uploaded_at: null };
  await inBatches(
    (after) => server.rows(uploads, { where: { ...expired, id: { gt: after } }, and: isUnnamed, limit: batchSize }),
    async ({ id }) => {
      await server.delete(uploads, { where: { ...expired, id }, and: isUnnamed });
    },
  );
  await services.incoming.sweep();
  await services.incoming.deleteFormerFiles(now - orphanAge);
}

/** Calls `handle` for each row of a query, which returns rows after an id. */
async function inBatches(
  find: (after: number) => Promise<UploadRow[]>,
  handle: (row: UploadRow) => Promise<void>,
): Promise<void> {
  for (let after = 0; ; ) {
    const found = await find(after);
    for (const row of found) {
      after = row.id;
      await handle(row);
    }
    if (found.length < batchSize) return;
  }
}

/** Whether a file has a record. */
async function isOwned(server: ServerScope, { deviceId, kind, key }: ParsedStorageKey): Promise<boolean> {
  if (kind === 'upload')
    return (await server.count(uploads, { where: { device_id: deviceId, key, uploaded_at: { not: null } } })) > 0;
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
export const photoCleanup = (services: PhotoServices): JobDefinition[] => [
  {
    kind: 'upload_sweep',
    interval: 6 * hour,
    waitsFor: 'storage',
    handle: (server) => releaseUnusedUploads(services, server),
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
      await retryFailedJobs(server, services.jobs, {
        kind: [photoJobKinds.upload, photoSizeKind, ...Object.values(removalKinds)],
      });
    },
  },
];
