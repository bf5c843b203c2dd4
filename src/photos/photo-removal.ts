import type { DeviceScope, ServerScope, Where } from '../db/scope.ts';
import type { Sql } from '../db/sql.ts';
import { sql } from '../db/sql.ts';
import { deleteRecord } from '../engine/records.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { images } from './images.ts';
import type { PhotoStorage } from './photo-storage.ts';
import { deviceFolder, isPhotoKey, isUploadKey, photoFolder, uploadFile } from './storage-keys.ts';
import type { UploadRow } from './uploads.ts';
import { uploads } from './uploads.ts';

/** Kinds of jobs that delete files. */
export const removalKinds = {
  one: 'photo_removal',
  files: 'photo_files_removal',
  uploads: 'upload_files_removal',
  device: 'device_photos_removal',
} as const;

/** Keys in the payload of one job. */
const keysPerJob = 500;

/** Schedules the deletion of a photo, record and files, in a transaction. [rule F2] */
export async function schedulePhotoDeletion(scope: DeviceScope, jobs: JobQueue, id: number): Promise<void> {
  const { deviceId } = scope;
  await jobs.enqueueOnce(scope.server, removalKinds.one, { device_id: deviceId, id }, { deviceId });
}

/** Whether all images that were created from the upload, of any device, have their photos. */
export const isNotNeeded = sql`not exists (
  select 1 from images where images.upload_key = uploads.key and images.photo_type is null
)`;

/** The same for images of other devices. */
const isNotNeededElsewhere = sql`not exists (
  select 1 from images
  where images.upload_key = uploads.key and images.photo_type is null and images.device_id <> uploads.device_id
)`;

/** Releases uploads of the device that no image needs any more, and schedules the deletion of their files, in a transaction. Their keys stay usable. */
export async function releaseUploads(
  scope: DeviceScope,
  jobs: JobQueue,
  where: Where<UploadRow>,
  and: Sql = isNotNeeded,
): Promise<void> {
  const query = { where: { ...where, uploaded_at: { not: null } }, and };
  const released = await scope.update(uploads, { uploaded_at: null }, query);
  await scheduleFileDeletion(
    scope,
    jobs,
    removalKinds.uploads,
    released.map(({ key }) => key),
  );
}

/**
 * Schedules the deletion of the files of all photos and uploads of a device. Upload keys stay usable until they expire. Must be
 * called in the transaction that deletes the records, before that.
 */
export async function schedulePhotoFileDeletion(scope: DeviceScope, jobs: JobQueue): Promise<void> {
  const photos = new Set((await scope.rows(images)).map(({ photo_key }) => photo_key));
  await scheduleFileDeletion(scope, jobs, removalKinds.files, [...photos]);
  await releaseUploads(scope, jobs, {}, isNotNeededElsewhere);
}

async function scheduleFileDeletion(
  { server, deviceId }: DeviceScope,
  jobs: JobQueue,
  kind: string,
  keys: readonly string[],
): Promise<void> {
  for (let from = 0; from < keys.length; from += keysPerJob) {
    const task = { device_id: deviceId, keys: keys.slice(from, from + keysPerJob) };
    await jobs.enqueue(server, kind, task, { deviceId });
  }
}

/** Schedules the deletion of all files of a device that is deleted in the same transaction. */
export async function scheduleDeviceFileDeletion(server: ServerScope, jobs: JobQueue, deviceId: number): Promise<void> {
  await jobs.enqueue(server, removalKinds.device, { device_id: deviceId }, { deviceId });
}

const isInteger = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);

function deviceOf(payload: object): number {
  if (!('device_id' in payload) || !isInteger(payload.device_id))
    throw new Error('invalid payload of a photo deletion job');
  return payload.device_id;
}

function keysOf(payload: object, isKey: (text: string) => boolean): string[] {
  const keys: unknown[] = 'keys' in payload && Array.isArray(payload.keys) ? payload.keys : [];
  return keys.filter((key): key is string => typeof key === 'string' && isKey(key));
}

/** Deletes the file of an upload, unless a new one was stored since. */
async function deleteUpload(storage: PhotoStorage, server: ServerScope, deviceId: number, key: string): Promise<void> {
  const upload = await server.first(uploads, { where: { key } });
  if (!upload?.uploaded_at) await storage.delete(uploadFile(deviceId, key));
}

/**
 * Deletes the record of a photo, and schedules the deletion of its files unless other records share them. A job that is getting the
 * photo in between finds that the record was deleted, and deletes its files.
 */
const deletePhoto = (jobs: JobQueue, device: DeviceScope, id: number): Promise<void> =>
  device.transaction(async (scope) => {
    const row = await scope.first(images, { where: { id } });
    if (!row) return;
    await deleteRecord(scope, images, row);
    const { photo_key, upload_key } = row;
    if ((await scope.count(images, { where: { photo_key } })) === 0)
      await scheduleFileDeletion(scope, jobs, removalKinds.files, [photo_key]);
    if (upload_key !== null) await releaseUploads(scope, jobs, { key: upload_key });
  });

export const photoRemovalJobs = (storage: PhotoStorage, jobs: JobQueue): JobDefinition[] => [
  {
    kind: removalKinds.one,
    async handle(server, payload) {
      const device = server.device(deviceOf(payload));
      if (isInteger(payload.id)) await deletePhoto(jobs, device, payload.id);
    },
  },
  {
    kind: removalKinds.files,
    waitsFor: 'storage',
    async handle(_server, payload) {
      const deviceId = deviceOf(payload);
      for (const key of keysOf(payload, isPhotoKey)) await storage.deleteAll(photoFolder(deviceId, key));
    },
  },
  {
    kind: removalKinds.uploads,
    waitsFor: 'storage',
    async handle(server, payload) {
      const deviceId = deviceOf(payload);
      for (const key of keysOf(payload, isUploadKey)) await deleteUpload(storage, server, deviceId, key);
    },
  },
  {
    kind: removalKinds.device,
    waitsFor: 'storage',
    survivesDeviceDeletion: true,
    handle: (_server, payload) => storage.deleteAll(deviceFolder(deviceOf(payload))),
  },
];
