import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { updateRecord } from '../engine/records.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';
import { FetchFailure } from '../engine/server-fetch.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { FetchQueue } from './fetch-queue.ts';
import type { ImageRow } from './images.ts';
import { images } from './images.ts';
import { photoJobKinds, storePicture } from './photo-records.ts';
import type { PhotoStorage } from './photo-storage.ts';
import { readStoredFile } from './photo-storage.ts';
import { parsePhotoUrl } from './photo-urls.ts';
import { processPicture, UnreadablePictureError } from './pictures.ts';
import { photoFile, photoFolder, uploadFile } from './storage-keys.ts';
import { uploadedWith } from './upload-keys.ts';
import { maxUploadBytes } from './upload-routes.ts';

/** What a photo may weigh, in bytes, and how long fetching it may take, in ms: all of it, and until its first byte. [reference 9.3] */
const limits = { maxBytes: maxUploadBytes, timeout: 30_000, answerTime: 10_000 };

/** Photos that are fetched at once, all but one of the places for jobs: most of the time they wait for other people's hosts. They are decoded one by one all the same. */
const fetchedAtOnce = 3;

/** Our own photos are kept in full, and may be larger than what was sent: a GIF as a PNG. Bytes. */
const largestKept = 256 * 1024 * 1024;

/** Attempts at getting a photo, and the pause between them, in ms. [reference 9.3] */
const mostAttempts = 2;
const attemptPause = 15_000;

/** Why there is no photo. `isPassing`: it may be there the next time. */
class NoPhoto extends Error {
  readonly isPassing: boolean;
  constructor(reason: string, isPassing: boolean) {
    super(reason);
    this.name = 'NoPhoto';
    this.isPassing = isPassing;
  }
}

export interface PhotoProcessing {
  readonly storage: PhotoStorage;
  readonly fetch: ServerFetch;
  readonly jobs: JobQueue;
}

/** The picture that an image's address names: an upload or a photo of this server's from its storage, anything else from its host. Throws {@link NoPhoto}. */
async function picture({ storage, fetch }: PhotoProcessing, server: ServerScope, image: ImageRow): Promise<Buffer> {
  if (image.upload_key !== null) {
    const upload = await uploadedWith(server, image.upload_key);
    const file = upload ? await storage.get(uploadFile(upload.device_id, upload.key)) : null;
    if (!file) throw new NoPhoto('nothing was uploaded there', true);
    return readStoredFile(file, maxUploadBytes);
  }
  const own = parsePhotoUrl(image.attachment_url);
  const file = own && (await storage.get(photoFile(own.deviceId, own.key, own.type, 'full')));
  if (file) return readStoredFile(file, largestKept);
  const fetched = await fetch(image.attachment_url, limits);
  if (fetched.status < 200 || fetched.status > 299)
    throw new NoPhoto(`it answers with status ${fetched.status}`, fetched.status >= 500 || fetched.status === 429);
  if (fetched.isTruncated) throw new NoPhoto(`there are more than ${limits.maxBytes} bytes`, false);
  return fetched.body;
}

/** Problems of a fetch that another attempt may overcome. */
const passing = new Set<FetchFailure['reason']>(['unresolved', 'refused', 'timeout', 'offline', 'other']);

/** What an error says about the photo; null when it is about the server itself. */
function asNoPhoto(error: unknown): NoPhoto | null {
  if (error instanceof NoPhoto) return error;
  if (error instanceof FetchFailure) return new NoPhoto(error.message, passing.has(error.reason));
  return error instanceof UnreadablePictureError ? new NoPhoto(error.message, false) : null;
}

/** Gets a photo, keeps it in all sizes, and tells that it is there. */
async function getPhoto(
  services: PhotoProcessing,
  server: ServerScope,
  device: DeviceScope,
  id: number,
): Promise<void> {
  const image = await device.first(images, { where: { id } });
  if (!image || image.photo_type !== null) return;
  const { storage } = services;
  const { photo_key } = image;
  const kept = await processPicture(await picture(services, server, image));
  await storePicture(storage, device.deviceId, photo_key, kept);
  const isThere = await device.transaction(async (scope) => {
    const before = await scope.first(images, { where: { id } });
    if (!before) return false;
    const changes = { photo_type: kept.type, attachment_processed_at: currentTimestamp(scope.clock) };
    await updateRecord(scope, images, before, changes);
    return true;
  });
  // Deleted meanwhile, by somebody who found no files yet.
  if (!isThere) await storage.deleteAll(photoFolder(device.deviceId, photo_key));
}

/** What a job is about. */
interface Task {
  readonly device_id: number;
  readonly id: number;
  readonly attempt?: unknown;
}

function taskOf(payload: JobPayload): Task {
  const { device_id, id, attempt } = payload;
  if (typeof device_id !== 'number' || typeof id !== 'number') throw new Error('a job about a photo without a photo');
  return { device_id, id, attempt };
}

/** One attempt at getting a photo; the next one is another job. */
async function attempted(services: PhotoProcessing, server: ServerScope, kind: string, task: Task): Promise<void> {
  const { device_id, id, attempt = 1 } = task;
  try {
    await getPhoto(services, server, server.device(device_id), id);
  } catch (error) {
    const failure = asNoPhoto(error);
    if (!failure) throw error;
    server.log.warn({ device: device_id, image: id, reason: failure.message }, 'a photo could not be had');
    if (!failure.isPassing || Number(attempt) >= mostAttempts) return;
    const runAt = timestamp(server.clock.now() + attemptPause);
    const again = { device_id, id, attempt: Number(attempt) + 1 };
    await services.jobs.enqueue(server, kind, again, { deviceId: device_id, runAt });
  }
}

/**
 * The jobs that get photos. A photo that cannot be had is nobody's failure but its address's: it is tried twice, told in the
 * log, and its record keeps what stands for it. [reference 9.3]
 */
export function photoProcessingJobs(services: PhotoProcessing): JobDefinition[] {
  const turns = new FetchQueue(services.jobs, attemptPause);
  const { upload, fetch } = photoJobKinds;
  return [
    { kind: upload, concurrency: 1, handle: (server, payload) => attempted(services, server, upload, taskOf(payload)) },
    {
      kind: fetch,
      concurrency: fetchedAtOnce,
      handle(server, payload) {
        const task = taskOf(payload);
        const turn = { kind: fetch, deviceId: task.device_id, payload };
        return turns.take(server, turn, () => attempted(services, server, fetch, task));
      },
    },
  ];
}
