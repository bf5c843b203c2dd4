import type { Timestamp } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { DeviceScope } from '../db/scope.ts';
import { insertRecord } from '../engine/records.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { ImageRow, PhotoMeta, PhotoType } from './images.ts';
import { images } from './images.ts';
import type { PhotoStorage, StoredFile } from './photo-storage.ts';
import type { ProcessedPicture } from './pictures.ts';
import { processPicture } from './pictures.ts';
import { freshPhotoKey, photoFile, photoFolder } from './storage-keys.ts';
import { uploadKeyOf } from './upload-keys.ts';
import { uploads } from './uploads.ts';

/** The files of a photo, made before its record. */
export interface PreparedPhoto {
  readonly photo_key: string;
  readonly photo_type: PhotoType;
}

/** What is said of a new photo. */
export interface NewPhoto {
  /** Where it comes from, as a client would send it. */
  readonly attachment_url: string;
  /** `http://host:port` under which whoever makes it reaches the server: announcements name the photo there. */
  readonly origin: string;
  readonly meta?: PhotoMeta;
  readonly created_at?: Timestamp;
}

/** Writes the files of one photo, those of an earlier attempt replaced. */
export async function storePicture(
  storage: PhotoStorage,
  deviceId: number,
  key: string,
  { type, files }: ProcessedPicture,
): Promise<void> {
  await Promise.all([...files].map(([size, bytes]) => storage.put(photoFile(deviceId, key, type, size), bytes)));
}

/**
 * Makes the files of a photo from a picture's bytes (JPEG, PNG, GIF, WebP), outside any transaction; `addPhoto` makes the
 * record that keeps them. Files that no record follows are deleted after a day. `key`: for whoever may do it again, 32 hex
 * digits that nobody can guess. Rejects with UnreadablePicture, Failure `unavailable`.
 */
export async function preparePhoto(
  storage: PhotoStorage,
  deviceId: number,
  bytes: Buffer,
  key: string = freshPhotoKey(),
): Promise<PreparedPhoto> {
  const picture = await processPicture(bytes);
  await storePicture(storage, deviceId, key, picture);
  return { photo_key: key, photo_type: picture.type };
}

/** Deletes prepared files for which there will be no record. */
export const discardPreparedPhoto = (
  storage: PhotoStorage,
  deviceId: number,
  { photo_key }: PreparedPhoto,
): Promise<void> => storage.deleteAll(photoFolder(deviceId, photo_key));

/** Makes the record of a photo whose files are there already, inside a transaction, and announces it. Several records may share prepared files: they go with the last of them. */
export const createPhoto = (
  scope: DeviceScope,
  { photo_key, photo_type }: PreparedPhoto,
  photo: NewPhoto & { readonly attachment_processed_at?: Timestamp },
): Promise<ImageRow> =>
  insertRecord(scope, images, {
    ...rowOf(photo),
    attachment_processed_at: currentTimestamp(scope.clock),
    ...photo,
    photo_key,
    photo_type,
  });

/** The kinds of jobs that get a photo: from an upload, which takes no time, or from anywhere else. Nobody's upload waits for other people's servers. */
export const photoJobKinds = { upload: 'photo_upload', fetch: 'photo_fetch' } as const;

/** Makes the record of a photo that is still to be had from its address, inside a transaction, and announces it; a job gets the picture. */
export async function createPendingPhoto(scope: DeviceScope, jobs: JobQueue, photo: NewPhoto): Promise<ImageRow> {
  const upload_key = await knownUpload(scope, photo.attachment_url);
  const image = await insertRecord(scope, images, { ...rowOf(photo), upload_key });
  const kind = upload_key === null ? photoJobKinds.fetch : photoJobKinds.upload;
  const task = { device_id: scope.deviceId, id: image.id };
  await jobs.enqueue(scope.server, kind, task, { deviceId: scope.deviceId });
  return image;
}

const rowOf = ({ attachment_url, origin, meta = {}, created_at }: NewPhoto) => ({
  attachment_url,
  origin,
  meta,
  photo_key: freshPhotoKey(),
  ...(created_at !== undefined && { created_at }),
});

/** The key of the upload that an address names, if this server gave it out, whatever the host: that is how robots' photos arrive. An upload that is named begins another time of grace. */
async function knownUpload(scope: DeviceScope, url: string): Promise<string | null> {
  const key = uploadKeyOf(url);
  if (key === null) return null;
  const touched = await scope.server.update(uploads, { updated_at: currentTimestamp(scope.clock) }, { where: { key } });
  return touched.length > 0 ? key : null;
}

/** The full picture of a photo. */
export interface OpenedPhoto extends StoredFile {
  /** How its file's name ends. */
  readonly extension: PhotoType;
}

/** Opens the full picture of one of the device's photos; null when it is not there, yet or any more. */
export async function openPhoto(storage: PhotoStorage, scope: DeviceScope, id: number): Promise<OpenedPhoto | null> {
  const image = await scope.first(images, { where: { id } });
  if (!image || image.photo_type === null) return null;
  const { device_id, photo_key, photo_type } = image;
  const file = await storage.get(photoFile(device_id, photo_key, photo_type, 'full'));
  return file && { ...file, extension: photo_type };
}
