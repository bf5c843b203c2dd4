import type { BucketAddress } from '../core/bucket-address.ts';
import type { Foundation, Room } from '../foundation.ts';
import { imageRoutes } from './image-routes.ts';
import { photoCleanup } from './photo-cleanup.ts';
import { photoFileRoutes } from './photo-file-routes.ts';
import { photoProcessingJobs } from './photo-processing.ts';
import { photoRemovalJobs } from './photo-removal.ts';
import type { PhotoStorage } from './photo-storage.ts';
import { openPhotoStorage } from './storage-selection.ts';
import { uploadRoutes } from './upload-routes.ts';

/** What photos need from settings. */
export interface PhotoDependencies {
  /** Null: photos are stored in the data folder. */
  readonly bucket: BucketAddress | null;
}

/** Images: uploads, processing, storage. */
export interface Photos extends Room {
  readonly storage: PhotoStorage;
}

/** Opens the photos. Throws when the bucket cannot be used. */
export async function openPhotos(foundation: Foundation, { bucket }: PhotoDependencies): Promise<Photos> {
  const { dataDir, logger, queue, fetch } = foundation;
  const files = await openPhotoStorage(dataDir, bucket, logger);
  const dependencies = { ...files, jobs: queue, fetch };
  return {
    storage: files.storage,
    routes: [...imageRoutes(queue), ...uploadRoutes(files), ...photoFileRoutes(files.storage)],
    jobs: [...photoProcessingJobs(dependencies), ...photoRemovalJobs(files.storage), ...photoCleanup(dependencies)],
    stop: () => files.storage.close(),
  };
}
