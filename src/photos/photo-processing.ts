import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { Message } from '../core/message.ts';
import { sentences } from '../core/message.ts';
import { sizeText } from '../core/size-text.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { updateRecord } from '../engine/records.ts';
import { FetchFailure } from '../engine/server-fetch.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import type { JobDefinition, JobHandler } from '../jobs/runner.ts';
import type { ImageRow } from './images.ts';
import { images } from './images.ts';
import { say } from './messages.ts';
import { openUpload, photoJobKinds, storePicture } from './photo-records.ts';
import { releaseUploads } from './photo-removal.ts';
import { readStoredFile } from './photo-storage.ts';
import { parsePhotoUrl } from './photo-urls.ts';
import { processPicture, UnreadablePictureError } from './pictures.ts';
import { photoFile, photoFolder } from './storage-keys.ts';
import type { PhotoServices } from './upload-routes.ts';
import { maxUploadBytes } from './upload-routes.ts';
import { uploads } from './uploads.ts';

/** Limits of fetching a photo; times in ms. [rule F6] */
const limits = { maxBytes: maxUploadBytes, timeout: 30_000, responseTimeout: 10_000 };

/** Photos fetched concurrently, each of another person: the hosts of one person may be slow. Decoding is still serialized. */
const maxConcurrentFetches = 3;

/** Bytes of a stored photo, which may be larger than its source: a GIF is stored as a PNG. */
const maxStoredBytes = 256 * 1024 * 1024;

/** Attempts at getting a photo, and the delay between them in ms. [rule F6] */
const maxAttempts = 2;
const retryDelay = 15_000;

/** The reason why a photo cannot be had. */
interface Unavailability {
  readonly sentence: Message;
  /** Another attempt may succeed. */
  readonly isTransient: boolean;
  /** The picture was received. */
  readonly isUnreadable?: true;
}

/** Thrown when a photo cannot be had. */
class PhotoUnavailableError extends Error implements Unavailability {
  readonly sentence: Message;
  readonly isTransient: boolean;
  constructor(sentence: Message, isTransient: boolean) {
    super(String(sentence));
    this.name = 'PhotoUnavailableError';
    this.sentence = sentence;
    this.isTransient = isTransient;
  }
}

/** Whether the bytes of an image's picture are counted already: as an upload of the device that is not a photo yet. */
async function isCounted(device: DeviceScope, { upload_key: key }: ImageRow): Promise<boolean> {
  if (key === null || (await device.count(uploads, { where: { key } })) === 0) return false;
  return (await device.count(images, { where: { upload_key: key, photo_type: { not: null } } })) === 0;
}

/**
 * Throws {@link PhotoUnavailableError} over the quota of bytes, and DiskAlmostFull while the disk is, until which the job waits: others that waited
 * may have used the room since the image was created. [ADR 35, ADR 36]
 */
async function assertRoom({ room, jobs }: PhotoServices, device: DeviceScope, image: ImageRow): Promise<void> {
  const { id, upload_key: key, updated_at } = image;
  if (await isCounted(device, image)) return;
  const { quotas, freeSpace, uploadFolder } = room;
  freeSpace.assertRoom(uploadFolder);
  if ((await quotas.used(device, 'photo_bytes')) < (await quotas.limit(device, 'photo_bytes'))) return;
  // The upload does not wait for this image any more.
  if (key !== null)
    await device.transaction(async (scope) => {
      await scope.update(images, { upload_key: null, updated_at }, { where: { id } });
      await releaseUploads(scope, jobs, { key });
    });
  throw new PhotoUnavailableError(say.fullAccount, false);
}

/** Gets the picture of an image: an upload or a photo of this server from the storage, anything else over HTTP. Throws {@link PhotoUnavailableError}. */
async function getPicture(services: PhotoServices, server: ServerScope, image: ImageRow): Promise<Buffer> {
  const { storage, fetch, isDemo } = services;
  if (image.upload_key !== null) {
    const upload = await openUpload(storage, server, image.upload_key);
    if (!upload) throw new PhotoUnavailableError(say.noUpload, true);
    return readStoredFile(upload, maxStoredBytes);
  }
  const own = parsePhotoUrl(image.attachment_url);
  const file = own && (await storage.get(photoFile(own.deviceId, own.key, own.type, 'full')));
  if (file) return readStoredFile(file, maxStoredBytes);
  if (await isDemo(server.device(image.device_id))) throw new PhotoUnavailableError(say.demo, false);
  const fetched = await fetch(image.attachment_url, limits);
  if (fetched.status < 200 || fetched.status > 299)
    throw new PhotoUnavailableError(say.status(fetched.status), fetched.status >= 500 || fetched.status === 429);
  if (fetched.isTruncated) throw new PhotoUnavailableError(say.largePhoto(sizeText(limits.maxBytes)), false);
  return fetched.body;
}

/** Returns the reason of an error about the photo; null for an error of the server itself. */
function unavailability(error: unknown): Unavailability | null {
  if (error instanceof PhotoUnavailableError) return error;
  // Also of an address that may not be fetched: a name can get another one.
  if (error instanceof FetchFailure) return { sentence: error.sentence, isTransient: true };
  return error instanceof UnreadablePictureError
    ? { sentence: error.sentence, isTransient: false, isUnreadable: true }
    : null;
}

/** Gets a photo, stores it in all sizes, and announces it. Its upload, which has metadata, is released. */
async function getPhoto(services: PhotoServices, server: ServerScope, device: DeviceScope, id: number): Promise<void> {
  const image = await device.first(images, { where: { id } });
  if (!image || image.photo_type !== null) return;
  await assertRoom(services, device, image);
  const { storage, jobs } = services;
  const { photo_key } = image;
  const processed = await processPicture(await getPicture(services, server, image));
  let byte_size: number | null = null;
  try {
    byte_size = await storePicture(storage, device.deviceId, photo_key, processed);
  } catch (error) {
    // The deletion of the image may delete the folder in between.
    if ((await device.count(images, { where: { id } })) > 0) throw error;
  }
  const isUpdated = await device.transaction(async (scope) => {
    const before = await scope.first(images, { where: { id } });
    if (!before) return false;
    const changes = { photo_type: processed.type, byte_size, attachment_processed_at: currentTimestamp(scope.clock) };
    await updateRecord(scope, images, before, changes);
    if (before.upload_key !== null) await releaseUploads(scope, jobs, { key: before.upload_key });
    return true;
  });
  // The image was deleted before these files were stored.
  if (!isUpdated) await storage.deleteAll(photoFolder(device.deviceId, photo_key));
}

/**
 * Ends the attempts at getting a photo: a log names the reason, and its placeholder says that there is no photo. A picture that
 * cannot be read counts as processed; an image whose picture was not received does not. [rule F6]
 */
async function giveUp(
  { room }: PhotoServices,
  device: DeviceScope,
  id: number,
  { sentence, isUnreadable }: Unavailability,
): Promise<void> {
  await device.transaction(async (scope) => {
    const image = await scope.first(images, { where: { id } });
    if (!image || image.photo_type !== null || image.byte_size === 0) return;
    const attachment_processed_at = isUnreadable ? currentTimestamp(scope.clock) : null;
    await updateRecord(scope, images, image, { byte_size: 0, attachment_processed_at });
    const message = sentences([say.missing, sentence]);
    await room.notify(scope, { message: (language) => message.in(language), type: 'warn' });
  });
}

interface Task {
  readonly device_id: number;
  readonly id: number;
  readonly attempt?: unknown;
}

function taskOf(payload: JobPayload): Task {
  const { device_id, id, attempt } = payload;
  if (typeof device_id !== 'number' || typeof id !== 'number') throw new Error('invalid payload of a photo job');
  return { device_id, id, attempt };
}

/** Makes one attempt at getting a photo; the next one is another job. */
const attempt =
  (services: PhotoServices, kind: string): JobHandler =>
  async (server, payload, { turnOf }) => {
    const { device_id, id, attempt: number = 1 } = taskOf(payload);
    try {
      await getPhoto(services, server, server.device(device_id), id);
    } catch (error) {
      const failure = unavailability(error);
      if (!failure) throw error;
      const reason = String(failure.sentence);
      server.log.warn({ device: device_id, image: id, reason }, 'a photo could not be fetched');
      if (!failure.isTransient || Number(number) >= maxAttempts) {
        await giveUp(services, server.device(device_id), id, failure);
        return;
      }
      const runAt = timestamp(server.clock.now() + retryDelay);
      const next = { device_id, id, attempt: Number(number) + 1 };
      await services.jobs.enqueue(server, kind, next, { deviceId: device_id, runAt, turnOf });
    }
  };

/** The jobs that get photos. A photo that cannot be had is logged and its record keeps the placeholder; the job succeeds. [rule F6] */
export function photoProcessingJobs(services: PhotoServices): JobDefinition[] {
  const { upload, fetch } = photoJobKinds;
  const onGiveUp = (server: ServerScope, payload: JobPayload): Promise<void> => {
    const { device_id, id } = taskOf(payload);
    return giveUp(services, server.device(device_id), id, { sentence: say.notProcessed, isTransient: false });
  };
  return [
    {
      kind: upload,
      waitsFor: 'storage',
      concurrency: 1,
      handle: attempt(services, upload),
      onGiveUp,
    },
    {
      kind: fetch,
      waitsFor: 'web',
      concurrency: maxConcurrentFetches,
      perPerson: 1,
      handle: attempt(services, fetch),
      onGiveUp,
    },
  ];
}
