import type { Logger } from '../core/logger.ts';
import type { ServerScope } from '../db/scope.ts';
import { acrossDevices } from '../db/table.ts';
import { images } from '../photos/images.ts';
import { photosFolder, StorageUnavailable } from '../photos/photo-storage.ts';
import { storageKey } from '../photos/storage-keys.ts';
import { openPhotoStorage } from '../photos/storage-selection.ts';
import type { Settings } from '../settings/settings.ts';

/** Returns whether the folder, or the bucket, has a photo. */
async function hasPhotos(dataDir: string, bucket: Settings['STORAGE_URL'], log: Logger): Promise<boolean> {
  const { storage } = await openPhotoStorage(dataDir, bucket, log);
  try {
    for await (const { path } of storage.list()) if (storageKey(path) !== null) return true;
    return false;
  } finally {
    storage.close();
  }
}

/** Returns the warning that photos in the data folder are not shown because STORAGE_URL is set, or null. */
export async function hiddenPhotos({ STORAGE_URL, DATA_DIR }: Settings, log: Logger): Promise<string | null> {
  if (STORAGE_URL === null || !(await hasPhotos(DATA_DIR, null, log))) return null;
  return (
    `STORAGE_URL is set, so the photos in ${photosFolder(DATA_DIR)} are not shown. ` +
    'Stop the server and move them to the bucket: potager photos move --to bucket. ' +
    'If they were moved back to the folder, remove STORAGE_URL instead.'
  );
}

/** Returns the warning that the photos of the database are not where the settings say, or null: also while the bucket cannot be read, and where {@link hiddenPhotos} names them. */
export async function missingPhotos(settings: Settings, server: ServerScope, log: Logger): Promise<string | null> {
  const { STORAGE_URL, DATA_DIR } = settings;
  const stored = { where: { photo_type: { not: null } } } as const;
  const isComplete =
    (await server.first(acrossDevices(images), stored)) === undefined ||
    (await hasPhotos(DATA_DIR, STORAGE_URL, log).catch((error: unknown) => {
      if (error instanceof StorageUnavailable) return true;
      throw error;
    }));
  if (isComplete || (await hiddenPhotos(settings, log)) !== null) return null;
  const count = await server.count(acrossDevices(images), stored);
  const photos = `The database has ${count} ${count === 1 ? 'photo' : 'photos'}, but there`;
  return STORAGE_URL === null
    ? `${photos} are none in ${photosFolder(DATA_DIR)}. Set DATA_DIR to the folder with them. If they are in a bucket, set STORAGE_URL to it; "potager photos move --to folder" moves them from there.`
    : `${photos} are none in the bucket ${STORAGE_URL.bucket}, nor in ${photosFolder(DATA_DIR)}. Set STORAGE_URL to their bucket, or DATA_DIR to their folder.`;
}
