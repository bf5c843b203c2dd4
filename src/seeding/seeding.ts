import type { DeviceOffer } from '../device/offer.ts';
import type { Foundation, Room } from '../foundation.ts';
import { placeholderPath } from '../photos/images.ts';
import type { PhotosOffer } from '../photos/offer.ts';
import { discardPreparedPhoto, preparePhoto } from '../photos/photo-records.ts';
import type { SeedingServices } from './seed.ts';
import { seedingJobs } from './seeding-jobs.ts';
import { seedingRoutes } from './seeding-routes.ts';
import { renderSoilPhoto } from './soil-photo.ts';

/** The settings and rooms that seeding depends on. */
export interface SeedingDependencies {
  readonly device: DeviceOffer;
  readonly photos: PhotosOffer;
  readonly publisher: SeedingServices['publisher'];
  /** The URL under which the server's files are reached, `http://192.168.1.20:3000`. */
  baseUrl(): string;
}

/** Opens the seeding of gardens. */
export const openSeeding = (
  { queue }: Foundation,
  { device: { notify }, photos: { storage }, publisher, baseUrl }: SeedingDependencies,
): Room => ({
  routes: seedingRoutes({ queue }),
  jobs: seedingJobs({
    notify,
    publisher,
    async storeSoilPhoto(deviceId, key) {
      const origin = baseUrl();
      const prepared = await preparePhoto(storage, deviceId, await renderSoilPhoto(), key);
      return { ...prepared, origin, attachment_url: `${origin}${placeholderPath}` };
    },
    deleteSoilPhoto: (deviceId, photo) => discardPreparedPhoto(storage, deviceId, photo),
  }),
});
