import type { Foundation, Room } from '../foundation.ts';
import { placeholderPath } from '../photos/images.ts';
import { discardPreparedPhoto, preparePhoto } from '../photos/photo-records.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import type { SeedingServices } from './seed.ts';
import { seedingJobs } from './seeding-jobs.ts';
import { seedingRoutes } from './seeding-routes.ts';
import { renderSoilPhoto } from './soil-photo.ts';

/** What seeding needs from settings and other rooms. */
export interface SeedingDependencies extends SeedingServices {
  readonly storage: PhotoStorage;
  /** The URL under which the server's files are reached, `http://192.168.1.20:3000`. */
  baseUrl(): string;
}

/** Opens the seeding of gardens. */
export const openSeeding = (
  { queue }: Foundation,
  { notify, publisher, storage, baseUrl }: SeedingDependencies,
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
