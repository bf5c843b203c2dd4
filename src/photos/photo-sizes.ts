import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { devices } from '../device/devices.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { images } from './images.ts';
import type { PhotoStorage } from './photo-storage.ts';
import type { StorageFolder } from './storage-keys.ts';
import { isPhotoKey, isUploadKey, photoFolder, uploadFile } from './storage-keys.ts';
import { uploads } from './uploads.ts';

/** Rows that are read at a time. */
const batchSize = 100;

async function sizeBelow(storage: PhotoStorage, folder: StorageFolder): Promise<number> {
  let sum = 0;
  for await (const { size } of storage.list(folder)) sum += size;
  return sum;
}

/** Stores the sizes of photos that have none. Not announced: clients do not see them. */
async function countPhotos(storage: PhotoStorage, device: DeviceScope): Promise<void> {
  const uncounted = { photo_type: { not: null }, byte_size: null };
  for (let after = 0; ; ) {
    const found = await device.rows(images, { where: { ...uncounted, id: { gt: after } }, limit: batchSize });
    for (const { id, photo_key, updated_at } of found) {
      after = id;
      const isStored = isPhotoKey(photo_key);
      const byte_size = isStored ? await sizeBelow(storage, photoFolder(device.deviceId, photo_key)) : 0;
      await device.update(images, { byte_size, updated_at }, { where: { ...uncounted, id } });
    }
    if (found.length < batchSize) return;
  }
}

/** Stores the sizes of uploads that have none. They are deleted by their age, so it does not change. */
async function countUploads(storage: PhotoStorage, device: DeviceScope): Promise<void> {
  const uncounted = { uploaded_at: { not: null }, byte_size: null };
  for (const { id, key, updated_at } of await device.rows(uploads, { where: uncounted })) {
    const file = isUploadKey(key) ? await storage.get(uploadFile(device.deviceId, key)) : null;
    file?.content.destroy();
    await device.update(uploads, { byte_size: file?.length ?? 0, updated_at }, { where: { ...uncounted, id } });
  }
}

async function countAll(storage: PhotoStorage, server: ServerScope): Promise<void> {
  for (let after = 0; ; ) {
    const found = await server.rows(devices, { where: { id: { gt: after } }, limit: batchSize });
    for (const { id } of found) {
      after = id;
      await countPhotos(storage, server.device(id));
      await countUploads(storage, server.device(id));
    }
    if (found.length < batchSize) return;
  }
}

export const photoSizeKind = 'photo_size_count';

/** Counts the bytes of photos from before there were quotas. A migration enqueues it once; a run does not repeat the counts of an interrupted one. [ADR 35] */
export const photoSizeCount = (storage: PhotoStorage): JobDefinition => ({
  kind: photoSizeKind,
  waitsFor: 'storage',
  handle: (server) => countAll(storage, server),
});
