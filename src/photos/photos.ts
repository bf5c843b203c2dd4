import type { BucketAddress } from '../core/bucket-address.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Foundation, Room } from '../foundation.ts';
import { imageRoutes } from './image-routes.ts';
import { photoCleanup } from './photo-cleanup.ts';
import { photoFileRoutes } from './photo-file-routes.ts';
import { photoProcessingJobs } from './photo-processing.ts';
import type { PhotoQuotaDependencies } from './photo-quota.ts';
import { photoRemovalJobs } from './photo-removal.ts';
import { photoSizeCount } from './photo-sizes.ts';
import type { PhotoStorage } from './photo-storage.ts';
import { incomingFolder } from './photo-storage.ts';
import { openPhotoStorage } from './storage-selection.ts';
import { uploadRoutes } from './upload-routes.ts';

/** What photos need from settings. */
export interface PhotoDependencies {
  /** Null: photos are stored in the data folder. */
  readonly bucket: BucketAddress | null;
  readonly quota: PhotoQuotaDependencies;
  /** Whether the scope's device is that of a demo account. */
  readonly isDemo: (scope: DeviceScope) => Promise<boolean>;
}

/** Images: uploads, processing, storage. */
export interface Photos extends Room {
  readonly storage: PhotoStorage;
}

/** Opens the photos. Throws when the bucket cannot be used. */
export async function openPhotos(
  foundation: Foundation,
  { bucket, quota, isDemo }: PhotoDependencies,
): Promise<Photos> {
  const { dataDir, logger, queue, fetch, freeSpace, requestedFetches } = foundation;
  const files = await openPhotoStorage(dataDir, bucket, logger);
  const room = { ...quota, freeSpace, uploadFolder: incomingFolder(dataDir) };
  const dependencies = { ...files, jobs: queue, fetch, isDemo, room };
  return {
    storage: files.storage,
    routes: [
      ...imageRoutes(queue, room, requestedFetches),
      ...uploadRoutes({ ...files, jobs: queue, room }),
      ...photoFileRoutes(files.storage),
    ],
    jobs: [
      ...photoProcessingJobs(dependencies),
      ...photoRemovalJobs(files.storage, queue),
      ...photoCleanup(dependencies),
      photoSizeCount(files.storage),
    ],
    start: () =>
      files.incoming
        .sweep()
        .catch((error: unknown) => logger.warn({ reason: String(error) }, 'deleting interrupted uploads failed')),
    stop: () => files.storage.close(),
  };
}
