import type { DeviceOffer } from '../device/offer.ts';
import type { Foundation, Room } from '../foundation.ts';
import { placeholderPath } from '../photos/images.ts';
import type { PhotosOffer } from '../photos/offer.ts';
import { discardPreparedPhoto, preparePhoto } from '../photos/photo-records.ts';
import { incomingFolder } from '../photos/photo-storage.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { SeedingServices } from './seed.ts';
import type { SeedingJobServices } from './seeding-jobs.ts';
import { seedingJobs } from './seeding-jobs.ts';
import { seedingRoutes } from './seeding-routes.ts';

/** The settings and rooms that seeding depends on. */
export interface SeedingDependencies {
  readonly crops: SeedingJobServices['crops'];
  readonly device: DeviceOffer;
  readonly photos: PhotosOffer;
  readonly publisher: SeedingServices['publisher'];
  readonly quotas: Quotas;
  /** The URL under which the server's files are reached, `http://192.168.1.20:3000`. */
  baseUrl(): string;
}

/** The maximum size of a drawn photo with its smaller sizes, in bytes. */
const maxPhotoSize = 100_000;

/** Opens the seeding of gardens. */
export const openSeeding = (
  { queue, dataDir, freeSpace }: Foundation,
  { crops, device: { notify }, photos: { storage }, publisher, quotas, baseUrl }: SeedingDependencies,
): Room => ({
  routes: seedingRoutes({ queue }),
  jobs: seedingJobs({
    notify,
    publisher,
    crops,
    async hasPhotoRoom(scope, count) {
      if (freeSpace.findLow([incomingFolder(dataDir)])) return false;
      const added = { photos: count, photo_bytes: count * maxPhotoSize };
      for (const name of ['photos', 'photo_bytes'] as const)
        if ((await quotas.used(scope, name)) + added[name] > (await quotas.limit(scope, name))) return false;
      return true;
    },
    async storePhoto(deviceId, key, picture) {
      const origin = baseUrl();
      const prepared = await preparePhoto(storage, deviceId, picture, key);
      return { ...prepared, origin, attachment_url: `${origin}${placeholderPath}` };
    },
    deletePhoto: (deviceId, photo) => discardPreparedPhoto(storage, deviceId, photo),
  }),
});
