import type { BucketAddress } from '../core/bucket-address.ts';
import type { Logger } from '../core/logger.ts';
import { DiskStorage } from './disk-storage.ts';
import { IncomingFiles } from './incoming-files.ts';
import { incomingFolder, photosFolder } from './photo-storage.ts';
import type { UploadServices } from './upload-routes.ts';

/** Opens the photo storage: a bucket, or a folder in the data folder. Incoming files are in the data folder in both cases. */
export async function openPhotoStorage(
  dataDir: string,
  bucket: BucketAddress | null,
  log: Logger,
): Promise<UploadServices> {
  const incoming = new IncomingFiles(incomingFolder(dataDir));
  if (!bucket) return { storage: new DiskStorage(photosFolder(dataDir), incoming), incoming };
  const { openS3Storage } = await import('./s3-storage.ts');
  return { storage: await openS3Storage(bucket, log), incoming };
}
