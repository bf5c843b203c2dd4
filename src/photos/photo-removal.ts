import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import { deleteRecord } from '../engine/records.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { images } from './images.ts';
import type { PhotoStorage } from './photo-storage.ts';
import { deviceFolder, isPhotoKey, isUploadKey, photoFolder, uploadFile } from './storage-keys.ts';
import { uploads } from './uploads.ts';

const kinds = {
  one: 'photo_removal',
  files: 'photo_files_removal',
  uploads: 'upload_files_removal',
  device: 'device_photos_removal',
} as const;

/** Keys that one job names. */
const keysAtOnce = 500;

/** Has a photo deleted, record and files, inside a transaction. */
export async function schedulePhotoDeletion(scope: DeviceScope, jobs: JobQueue, id: number): Promise<void> {
  const { deviceId } = scope;
  await jobs.enqueueOnce(scope.server, kinds.one, { device_id: deviceId, id }, { deviceId });
}

/** An image of another device may be about to be made of it. */
const isNobodyElses = sql`not exists (
  select 1 from images where images.upload_key = uploads.key and images.device_id <> uploads.device_id
)`;

/**
 * Has the files of all photos and uploads of a device deleted that goes on without them; keys that have not expired can be
 * used anew. Call it in the transaction that deletes the photos' records, before that.
 */
export async function schedulePhotoFileDeletion(scope: DeviceScope, jobs: JobQueue): Promise<void> {
  const photos = new Set((await scope.rows(images)).map(({ photo_key }) => photo_key));
  await removeFilesSoon(scope, jobs, kinds.files, [...photos]);
  const where = { uploaded_at: { not: null } };
  const emptied = await scope.update(uploads, { uploaded_at: null }, { where, and: isNobodyElses });
  await removeFilesSoon(
    scope,
    jobs,
    kinds.uploads,
    emptied.map(({ key }) => key),
  );
}

async function removeFilesSoon(
  { server, deviceId }: DeviceScope,
  jobs: JobQueue,
  kind: string,
  keys: readonly string[],
): Promise<void> {
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const task = { device_id: deviceId, keys: keys.slice(from, from + keysAtOnce) };
    await jobs.enqueue(server, kind, task, { deviceId });
  }
}

/** Has all files of a device deleted, uploads included, that is deleted in the same transaction. */
export async function scheduleDeviceFileDeletion(server: ServerScope, jobs: JobQueue, deviceId: number): Promise<void> {
  await jobs.enqueue(server, kinds.device, { device_id: deviceId }, { deviceId });
}

const isWhole = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);

function deviceOf(payload: object): number {
  if (!('device_id' in payload) || !isWhole(payload.device_id)) throw new Error('a job about photos without a device');
  return payload.device_id;
}

function keysOf(payload: object, isKey: (text: string) => boolean): string[] {
  const keys: unknown[] = 'keys' in payload && Array.isArray(payload.keys) ? payload.keys : [];
  return keys.filter((key): key is string => typeof key === 'string' && isKey(key));
}

/** Deletes the file of an upload, unless there is a new one by now. */
async function removeUpload(storage: PhotoStorage, server: ServerScope, deviceId: number, key: string): Promise<void> {
  const upload = await server.first(uploads, { where: { key } });
  if (!upload?.uploaded_at) await storage.delete(uploadFile(deviceId, key));
}

/** The files of a photo go before its record does, so that whatever happens in between is done again. Those that other records share stay. */
async function removeOne(storage: PhotoStorage, device: DeviceScope, id: number): Promise<void> {
  const image = await device.first(images, { where: { id } });
  if (!image) return;
  const { photo_key } = image;
  const sharing = await device.count(images, { where: { photo_key } });
  if (sharing <= 1) await storage.deleteAll(photoFolder(device.deviceId, photo_key));
  await device.transaction(async (scope) => {
    const row = await scope.first(images, { where: { id } });
    if (row) await deleteRecord(scope, images, row);
  });
}

/** The jobs that delete photos. */
export const photoRemovalJobs = (storage: PhotoStorage): JobDefinition[] => [
  {
    kind: kinds.one,
    async handle(server, payload) {
      const device = server.device(deviceOf(payload));
      if (isWhole(payload.id)) await removeOne(storage, device, payload.id);
    },
  },
  {
    kind: kinds.files,
    async handle(_server, payload) {
      const deviceId = deviceOf(payload);
      for (const key of keysOf(payload, isPhotoKey)) await storage.deleteAll(photoFolder(deviceId, key));
    },
  },
  {
    kind: kinds.uploads,
    async handle(server, payload) {
      const deviceId = deviceOf(payload);
      for (const key of keysOf(payload, isUploadKey)) await removeUpload(storage, server, deviceId, key);
    },
  },
  {
    kind: kinds.device,
    survivesDeviceDeletion: true,
    handle: (_server, payload) => storage.deleteAll(deviceFolder(deviceOf(payload))),
  },
];
