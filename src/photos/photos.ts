import type { BucketAddress } from '../core/bucket-address.ts';
import type { Logger } from '../core/logger.ts';
import type { Route } from '../engine/route.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { DiskStorage } from './disk-storage.ts';
import { imageRoutes } from './image-routes.ts';
import { IncomingFiles } from './incoming-files.ts';
import { photoCleanup } from './photo-cleanup.ts';
import { photoFileRoutes } from './photo-file-routes.ts';
import { photoProcessingJobs } from './photo-processing.ts';
import { photoRemovalJobs } from './photo-removal.ts';
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

export interface PhotoDependencies extends UploadServices {
  readonly jobs: JobQueue;
  readonly fetch: ServerFetch;
}

export const photoRoutes = (dependencies: PhotoDependencies): Route[] => [
  ...imageRoutes(dependencies.jobs),
  ...uploadRoutes(dependencies),
  ...photoFileRoutes(dependencies.storage),
];

export const photoJobs = (dependencies: PhotoDependencies): JobDefinition[] => [
  ...photoProcessingJobs(dependencies),
  ...photoRemovalJobs(dependencies.storage),
  ...photoCleanup(dependencies),
];
