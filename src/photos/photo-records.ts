import type { Timestamp } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { insertRecord } from '../engine/records.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { ImageRow, PhotoMeta, PhotoType } from './images.ts';
import { images } from './images.ts';
import type { PhotoStorage, StoredFile } from './photo-storage.ts';
import type { ProcessedPicture } from './pictures.ts';
import { processPicture } from './pictures.ts';
import { generatePhotoKey, photoFile, photoFolder, uploadFile } from './storage-keys.ts';
import { parseUploadUrl, uploads } from './uploads.ts';

/** The stored files of a photo whose record does not exist yet. */
export interface PreparedPhoto {
  readonly photo_key: string;
  readonly photo_type: PhotoType;
  /** Of all files. */
  readonly byte_size: number;
}

/** The fields of a new photo. */
export interface NewPhoto {
  /** The source URL. */
  readonly attachment_url: string;
  /** `http://host:port` under which the caller reaches the server; announcements use it. */
  readonly origin: string;
  readonly meta?: PhotoMeta;
  readonly created_at?: Timestamp;
}

/** Stores the files of a photo, replacing an earlier attempt's. Returns their total size in bytes; rejects when all writes have ended. */
export async function storePicture(
  storage: PhotoStorage,
  deviceId: number,
  key: string,
  { type, files }: ProcessedPicture,
): Promise<number> {
  const puts = [...files].map(([size, bytes]) => storage.put(photoFile(deviceId, key, type, size), bytes));
  await Promise.allSettled(puts);
  await Promise.all(puts);
  return [...files.values()].reduce((sum, { length }) => sum + length, 0);
}

/**
 * Stores the files of a photo from the bytes of a picture (JPEG, PNG, GIF, WebP), outside any transaction; {@link createPhoto}
 * creates the record. Files without a record are deleted after a day. `key`: 32 random hex digits, for callers that may retry.
 * Rejects with UnreadablePictureError, Failure `unavailable`.
 */
export async function preparePhoto(
  storage: PhotoStorage,
  deviceId: number,
  bytes: Buffer,
  key: string = generatePhotoKey(),
): Promise<PreparedPhoto> {
  const picture = await processPicture(bytes);
  const byte_size = await storePicture(storage, deviceId, key, picture);
  return { photo_key: key, photo_type: picture.type, byte_size };
}

/** Deletes prepared files that will get no record. */
export const discardPreparedPhoto = (
  storage: PhotoStorage,
  deviceId: number,
  { photo_key }: PreparedPhoto,
): Promise<void> => storage.deleteAll(photoFolder(deviceId, photo_key));

/** Creates the record of a prepared photo in a transaction, and announces it. Several records may share files, which are deleted with the last of them. */
export const createPhoto = (
  scope: DeviceScope,
  { photo_key, photo_type, byte_size }: PreparedPhoto,
  photo: NewPhoto & { readonly attachment_processed_at?: Timestamp },
): Promise<ImageRow> =>
  insertRecord(scope, images, {
    ...rowOf(photo),
    attachment_processed_at: currentTimestamp(scope.clock),
    ...photo,
    photo_key,
    photo_type,
    byte_size,
  });

/** The jobs that get a photo: from an upload, or from another server, so that uploads do not wait for slow servers. */
export const photoJobKinds = { upload: 'photo_upload', fetch: 'photo_fetch' } as const;

/** Creates the record of a photo whose picture a job will get, in a transaction, and announces it. */
export async function createPendingPhoto(scope: DeviceScope, jobs: JobQueue, photo: NewPhoto): Promise<ImageRow> {
  const upload_key = await claimUpload(scope, photo.attachment_url);
  const image = await insertRecord(scope, images, { ...rowOf(photo), upload_key });
  const kind = upload_key === null ? photoJobKinds.fetch : photoJobKinds.upload;
  const { deviceId, userId: turnOf } = scope;
  await jobs.enqueue(scope.server, kind, { device_id: deviceId, id: image.id }, { deviceId, turnOf });
  return image;
}

const rowOf = ({ attachment_url, origin, meta = {}, created_at }: NewPhoto) => ({
  attachment_url,
  origin,
  meta,
  photo_key: generatePhotoKey(),
  ...(created_at !== undefined && { created_at }),
});

/** Returns the key of the upload that a URL names, whatever the host, and restarts its retention period. */
async function claimUpload(scope: DeviceScope, url: string): Promise<string | null> {
  const key = parseUploadUrl(url);
  if (key === null) return null;
  const updated = await scope.server.update(uploads, { updated_at: currentTimestamp(scope.clock) }, { where: { key } });
  return updated.length > 0 ? key : null;
}

/** The full picture of a photo. */
export interface OpenedPhoto extends StoredFile {
  /** Without a dot. */
  readonly extension: PhotoType;
}

/** Opens the full picture of one of the device's photos; null when it has none. */
export async function openPhoto(storage: PhotoStorage, scope: DeviceScope, id: number): Promise<OpenedPhoto | null> {
  const image = await scope.first(images, { where: { id } });
  return image ? openPhotoOf(storage, image) : null;
}

/** Opens an upload as it was sent or, once it is deleted, the photo that was created from it. Null if there is neither. [rule F12] */
export async function openUpload(storage: PhotoStorage, server: ServerScope, key: string): Promise<OpenedPhoto | null> {
  const upload = await server.first(uploads, { where: { key } });
  if (!upload) return null;
  const file = upload.uploaded_at === null ? null : await storage.get(uploadFile(upload.device_id, key));
  if (file) return { ...file, extension: 'jpg' };
  const created = { upload_key: key, photo_type: { not: null } };
  for (const image of await server.device(upload.device_id).rows(images, { where: created, limit: maxTriedPhotos })) {
    const photo = await openPhotoOf(storage, image);
    if (photo) return photo;
  }
  return null;
}

/** Photos of one upload that are tried: the files of one that is being deleted may be missing. */
const maxTriedPhotos = 5;

async function openPhotoOf(storage: PhotoStorage, image: ImageRow): Promise<OpenedPhoto | null> {
  if (image.photo_type === null) return null;
  const { device_id, photo_key, photo_type } = image;
  const file = await storage.get(photoFile(device_id, photo_key, photo_type, 'full'));
  return file && { ...file, extension: photo_type };
}
