import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { BucketAddress } from '../core/bucket-address.ts';
import type { FreeSpace } from '../core/free-space.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import { bucketRemedy, photosFolder, readStoredFile, StorageUnavailable } from '../photos/photo-storage.ts';
import type { StorageKey } from '../photos/storage-keys.ts';
import { storageKey } from '../photos/storage-keys.ts';
import { openPhotoStorage } from '../photos/storage-selection.ts';
import { MoveError } from './move-error.ts';

/** Files that are copied at a time. */
const concurrency = 8;
/** Bytes of a file: more than any photo has. */
const maxFileSize = 512 * 1024 * 1024;

/** What a move has done. */
export interface PhotoMove {
  /** Files that are in the target. */
  readonly files: number;
  /** Files of other origin, which stayed in the source. */
  readonly others: number;
}

/** Returns the files of a storage, and the number of files of other origin. */
async function listFiles(storage: PhotoStorage) {
  const keys: StorageKey[] = [];
  let others = 0;
  for await (const { path } of storage.list()) {
    const key = storageKey(path);
    if (key === null) others++;
    else keys.push(key);
  }
  return { keys, others };
}

/** Does work for each item, several at a time; after a failure no further ones, and it throws once the others have ended. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  let hasFailed = false;
  const lanes = Array.from({ length: concurrency }, async () => {
    for (const item of rest)
      if (!hasFailed)
        await work(item).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
  });
  const failure = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected');
  if (failure) throw failure.reason;
}

async function readFile(storage: PhotoStorage, key: StorageKey): Promise<Buffer | null> {
  const found = await storage.get(key);
  return found && readStoredFile(found, maxFileSize);
}

const checksum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Copies a file and reads it again. Throws {@link MoveError} if the target returns other bytes. */
async function copyFile(source: PhotoStorage, target: PhotoStorage, key: StorageKey): Promise<void> {
  const bytes = await readFile(source, key);
  // Deleted since it was listed.
  if (bytes === null) return;
  const sum = checksum(bytes);
  const isSame = async () => {
    const stored = await readFile(target, key);
    return stored !== null && checksum(stored) === sum;
  };
  // Copied by an earlier run that was interrupted.
  if (await isSame()) return;
  await target.put(key, bytes);
  if (!(await isSame())) throw new MoveError(`${key} differs after it was copied. Nothing was deleted; try again.`);
}

/** A move of photos between the data folder, of which the caller holds the lock, and a bucket. */
interface PhotoMoveRequest {
  readonly dataDir: string;
  readonly bucket: BucketAddress;
  readonly to: 'bucket' | 'folder';
  readonly freeSpace: FreeSpace;
  readonly log: Logger;
  /** Called with the number of files that are in the target, and of all. */
  readonly onProgress: (done: number, all: number) => void;
}

/**
 * Moves all photos, and compares each. Those in the source are deleted when all are in the target, so an interrupted move can be
 * repeated. Throws {@link MoveError} if the bucket fails, DiskAlmostFull and file system errors.
 */
export async function movePhotos({
  dataDir,
  bucket,
  to,
  freeSpace,
  log,
  onProgress,
}: PhotoMoveRequest): Promise<PhotoMove> {
  if (to === 'folder') freeSpace.assertRoom(photosFolder(dataDir));
  const { storage: inFolder } = await openPhotoStorage(dataDir, null, log);
  const { storage: inBucket } = await openPhotoStorage(dataDir, bucket, log);
  const [source, target] = to === 'bucket' ? [inFolder, inBucket] : [inBucket, inFolder];
  try {
    const { keys, others } = await listFiles(source);
    // A bucket that does not answer is an error, also where there is nothing to move.
    for await (const _first of target.list()) break;
    let done = 0;
    await forEach(keys, async (key) => {
      await copyFile(source, target, key);
      onProgress(++done, keys.length);
    });
    await forEach(keys, (key) => source.delete(key));
    return { files: keys.length, others };
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    const reason = error.reason === null ? '' : ` (${error.reason})`;
    throw new MoveError(
      `STORAGE_URL: the bucket ${bucket.bucket} failed${reason}. ${bucketRemedy(error)} No photo is lost: run the command again.`,
    );
  } finally {
    for (const storage of [inFolder, inBucket]) storage.close();
  }
}
