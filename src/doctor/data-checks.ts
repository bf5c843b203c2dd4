import { constants, existsSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KeyStore } from '../accounts/key-pair.ts';
import { fileKeyStore, keyFile, loadKeyPair } from '../accounts/key-pair.ts';
import { systemClock } from '../core/clock.ts';
import { FreeSpace, lowSpaceMessage, spaceMessage } from '../core/free-space.ts';
import type { Logger } from '../core/logger.ts';
import { assertFolderWritable } from '../health/disk-checks.ts';
import { bucketRemedy, incomingFolder, photosFolder, StorageUnavailable } from '../photos/photo-storage.ts';
import { openPhotoStorage } from '../photos/storage-selection.ts';
import type { Settings } from '../settings/settings.ts';
import type { CheckResult } from './check-result.ts';
import { check } from './check-result.ts';

/** Checks that the data folder, or the folder in which it will be created, can be written. */
export async function checkFolder({ DATA_DIR }: Settings): Promise<CheckResult> {
  const run = async () => {
    const exists = await access(DATA_DIR).then(
      () => true,
      () => false,
    );
    await access(exists ? DATA_DIR : dirname(DATA_DIR), constants.R_OK | constants.W_OK | constants.X_OK);
    if (exists) await assertFolderWritable(DATA_DIR);
    return exists ? `${DATA_DIR} is writable.` : `${DATA_DIR} will be created by the first start.`;
  };
  return check('data folder', run, 'DATA_DIR');
}

/** Checks the space of the disks with the data folder and the photos, which may be links. */
export function checkFreeSpace({ DATA_DIR, MIN_FREE_BYTES }: Settings): Promise<CheckResult> {
  const freeSpace = new FreeSpace({ minFree: MIN_FREE_BYTES, clock: systemClock });
  return check('free space', async () => {
    const low = freeSpace.findLow([DATA_DIR, incomingFolder(DATA_DIR)]);
    if (low) throw new Error(lowSpaceMessage(low.folder, low.space));
    const space = freeSpace.spaceOf(DATA_DIR);
    return space ? spaceMessage(DATA_DIR, space) : `The free space of ${DATA_DIR} is unknown.`;
  });
}

/** Warns if other users of the machine can enter the data folder. */
export async function checkRights({ DATA_DIR }: Settings): Promise<CheckResult[]> {
  const mode = await stat(DATA_DIR).then(
    (found) => found.mode & 0o777,
    () => 0,
  );
  // Windows has no such rights.
  if ((mode & 0o077) === 0 || process.platform === 'win32') return [];
  const message = `Other users of this machine can enter ${DATA_DIR} (its mode is ${mode.toString(8)}). Run: chmod -R go= ${DATA_DIR}`;
  return [{ name: 'data folder rights', ok: true, isWarning: true, message }];
}

/** Checks the key file: the server does not start if it is corrupt. */
export async function checkKey(settings: Settings): Promise<CheckResult[]> {
  if (settings.DATABASE_URL !== null) return [];
  const path = keyFile(settings.DATA_DIR);
  const readOnlyStore: KeyStore = {
    ...fileKeyStore(path),
    write: () => Promise.reject(new KeyMissing()),
  };
  return [
    await check('key', async () => {
      const exists = await loadKeyPair(readOnlyStore).then(
        () => true,
        (error: unknown) => {
          if (error instanceof KeyMissing) return false;
          throw error;
        },
      );
      return exists ? `${path} is readable.` : `${path} will be created by the first start.`;
    }),
  ];
}

class KeyMissing extends Error {}

/** Checks that photos can be stored in their folder, or that their bucket can be read. */
export async function checkPhotos({ DATA_DIR, STORAGE_URL }: Settings, log: Logger): Promise<CheckResult[]> {
  if (STORAGE_URL === null) {
    const folder = photosFolder(DATA_DIR);
    if (!existsSync(folder)) return [];
    const isWritable = async () => {
      await assertFolderWritable(incomingFolder(DATA_DIR));
      return `${folder} is writable.`;
    };
    return [await check('photos', isWritable)];
  }
  const readBucket = async () => {
    const { storage } = await openPhotoStorage(DATA_DIR, STORAGE_URL, log);
    try {
      for await (const _first of storage.list()) break;
      return `The bucket ${STORAGE_URL.bucket} is readable.`;
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      throw new Error(`the bucket ${STORAGE_URL.bucket} cannot be read (${error.reason}). ${bucketRemedy(error)}`);
    } finally {
      storage.close();
    }
  };
  return [await check('photos', readBucket, 'STORAGE_URL')];
}
