import type { BucketAddress } from '../core/bucket-address.ts';
import type { Logger } from '../core/logger.ts';
import type { Foundation, Room } from '../foundation.ts';
import { DiskStorage } from './disk-storage.ts';
import { imageRoutes } from './image-routes.ts';
import { IncomingFiles } from './incoming-files.ts';
import { photoCleanup } from './photo-cleanup.ts';
import { photoFileRoutes } from './photo-file-routes.ts';
import { photoProcessingJobs } from './photo-processing.ts';
import { photoRemovalJobs } from './photo-removal.ts';
import type { PhotoStorage } from './photo-storage.ts';
import { incomingFolder, photosFolder } from './photo-storage.ts';
import { openS3Storage } from './s3-storage.ts';
import type { UploadServices } from './upload-routes.ts';
import { uploadRoutes } from './upload-routes.ts';

/** Opens the photo storage: a bucket, or a folder in the data folder. Incoming files are in the data folder in both cases. */
export async function openPhotoStorage(
  dataDir: string,
  bucket: BucketAddress | null,
  log: Logger,
): Promise<UploadServices> {
  const incoming = new IncomingFiles(incomingFolder(dataDir));
  const storage = bucket ? await openS3Storage(bucket, log) : new DiskStorage(photosFolder(dataDir), incoming);
  return { storage, incoming };
}

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
