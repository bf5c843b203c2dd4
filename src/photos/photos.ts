import type { BucketAddress } from '../core/bucket-address.ts';
import type { Gardens } from '../device/gardens.ts';
import type { DeviceOffer } from '../device/offer.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { imageRoutes } from './image-routes.ts';
import { newestPhotoUrl } from './newest-photo.ts';
import type { PhotosOffer } from './offer.ts';
import { photoCleanup } from './photo-cleanup.ts';
import { photoFileRoutes } from './photo-file-routes.ts';
import { photoProcessingJobs } from './photo-processing.ts';
import { photoRemovalJobs } from './photo-removal.ts';
import { photoSizeCount } from './photo-sizes.ts';
import { incomingFolder } from './photo-storage.ts';
import { openPhotoStorage } from './storage-selection.ts';
import { uploadRoutes } from './upload-routes.ts';

/** The settings that photos depend on. */
export interface PhotoDependencies {
  /** Null: photos are stored in the data folder. */
  readonly bucket: BucketAddress | null;
  readonly quotas: Quotas;
  readonly device: DeviceOffer;
  readonly gardens: Gardens;
}

/** Opens the photos. Throws when the bucket cannot be used. */
export async function openPhotos(
  foundation: Foundation,
  { bucket, quotas, device, gardens }: PhotoDependencies,
): Promise<Room & PhotosOffer> {
  const { dataDir, logger, queue, fetch, freeSpace, requestedFetches } = foundation;
  const files = await openPhotoStorage(dataDir, bucket, logger);
  const room = { quotas, notify: device.notify, freeSpace, uploadFolder: incomingFolder(dataDir) };
  const services = { ...files, jobs: queue, fetch, isDemo: gardens.isDemo, room };
  return {
    storage: files.storage,
    newestPhotoUrl,
    routes: [
      ...imageRoutes(queue, room, requestedFetches),
      ...uploadRoutes(services),
      ...photoFileRoutes(files.storage),
    ],
    jobs: [
      ...photoProcessingJobs(services),
      ...photoRemovalJobs(files.storage, queue),
      ...photoCleanup(services),
      photoSizeCount(files.storage),
    ],
    start: () =>
      files.incoming
        .sweep()
        .catch((error: unknown) => logger.warn({ reason: String(error) }, 'deleting interrupted uploads failed')),
    stop: () => files.storage.close(),
  };
}
