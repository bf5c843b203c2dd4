import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { discard } from '../engine/records.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobKind } from '../jobs/runner.ts';
import { images } from './images.ts';
import type { PhotoStorage } from './photo-storage.ts';
import { deviceFolder, isPhotoKey, photoFolder } from './storage-keys.ts';

const kinds = { one: 'photo_removal', files: 'photo_files_removal', device: 'device_photos_removal' } as const;

/** Keys that one job names. */
const keysAtOnce = 500;

/** Has a photo deleted, record and files, inside a transaction. */
export async function removePhotoSoon(scope: DeviceScope, jobs: JobQueue, id: number): Promise<void> {
  const { deviceId } = scope;
  await jobs.enqueueOnce(scope.server, kinds.one, { device_id: deviceId, id }, { deviceId });
}

/** Has the files of all photos of a device deleted that goes on without them. Call it in the transaction that deletes their records, before that. */
export async function destroyPhotosOf(scope: DeviceScope, jobs: JobQueue): Promise<void> {
  const { deviceId } = scope;
  const keys = [...new Set((await scope.rows(images)).map(({ photo_key }) => photo_key))];
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const task = { device_id: deviceId, keys: keys.slice(from, from + keysAtOnce) };
    await jobs.enqueue(scope.server, kinds.files, task, { deviceId });
  }
}

/** Has all files of a device deleted, uploads included, that is deleted in the same transaction. */
export async function destroyFilesOfDevice(server: ServerScope, jobs: JobQueue, deviceId: number): Promise<void> {
  await jobs.enqueue(server, kinds.device, { device_id: deviceId }, { deviceId });
}

const isWhole = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);

function deviceOf(payload: object): number {
  if (!('device_id' in payload) || !isWhole(payload.device_id)) throw new Error('a job about photos without a device');
  return payload.device_id;
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
    if (row) await discard(scope, images, row);
  });
}

/** The jobs that delete photos. */
export const photoRemovalJobs = (storage: PhotoStorage): JobKind[] => [
  {
    kind: kinds.one,
    async handle(server, payload) {
      const device = server.device(deviceOf(payload));
      if (isWhole(payload.id)) await removeOne(storage, device, payload.id);
    },
  },
  {
    kind: kinds.files,
    async handle(server, payload) {
      const device = server.device(deviceOf(payload));
      const keys: unknown[] = Array.isArray(payload.keys) ? payload.keys : [];
      for (const key of keys)
        if (typeof key === 'string' && isPhotoKey(key)) await storage.deleteAll(photoFolder(device.deviceId, key));
    },
  },
  {
    kind: kinds.device,
    handle: (_server, payload) => storage.deleteAll(deviceFolder(deviceOf(payload))),
  },
];
