import { currentTimestamp, timestamp } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import type { FreeSpace } from '../core/free-space.ts';
import { sayOfDisk } from '../core/low-space.ts';
import type { Message } from '../core/message.ts';
import { quotaRefusal } from '../core/quotas.ts';
import type { DeviceScope } from '../db/scope.ts';
import { ownDevice, updateDeviceSilently } from '../device/devices.ts';
import type { Notify } from '../device/notice.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { QuotaMeters, Quotas } from '../quotas/quotas.ts';
import { images } from './images.ts';
import { schedulePhotoDeletion } from './photo-removal.ts';
import { uploads } from './uploads.ts';

/** Counts photos, and the bytes of photos and of uploads that were not deleted. */
export const photoMeters: Pick<QuotaMeters, 'photo_bytes' | 'photos'> = {
  photos: (scope) => scope.count(images),
  async photo_bytes(scope) {
    const ofUploads = await scope.sum(uploads, 'byte_size', { where: { uploaded_at: { not: null } } });
    return ofUploads + (await scope.sum(images, 'byte_size'));
  },
};

/** Photos deleted for one new one: deletions are carried out later, so a single one would lag behind. */
const deletedAtOnce = 10;
const day = 86_400_000;

/** The facts that decide whether a photo is accepted. */
export interface PhotoRoom {
  readonly quotas: Quotas;
  readonly notify: Notify;
  readonly freeSpace: FreeSpace;
  /** The folder of incoming uploads. */
  readonly uploadFolder: string;
}

/**
 * Makes room for a photo. Returns the reason why it is refused, or null: the disk is almost full, or the account's quota is. The owner is notified
 * of it once a day. Requires a transaction, which must be committed in both cases. [ADR 35, ADR 36]
 */
export async function photoRefusal(
  scope: DeviceScope,
  jobs: JobQueue,
  { quotas, notify, freeSpace, uploadFolder }: PhotoRoom,
): Promise<Message | null> {
  const refusal = freeSpace.findLow([uploadFolder]) ? sayOfDisk.lowSpace : await fullQuota(scope, jobs, quotas);
  if (refusal === null) return null;
  const device = await ownDevice(scope);
  const notified = device.photos_full_notified_at;
  if (notified === null || notified <= timestamp(scope.clock.now() - day)) {
    await updateDeviceSilently(scope, device, { photos_full_notified_at: currentTimestamp(scope.clock) });
    await notify(scope, { message: (language) => refusal.in(language), type: 'warn', channels: ['toast'] });
  }
  return refusal;
}

/**
 * Returns the notice of a quota that is used up, or null. A robot repeats a rejected upload forever, so over the quota the oldest photos beyond the listed ones are deleted; only without such photos is it used up.
 */
async function fullQuota(scope: DeviceScope, jobs: JobQueue, quotas: Quotas): Promise<Message | null> {
  const refusals: Message[] = [];
  for (const name of ['photo_bytes', 'photos'] as const) {
    const limit = await quotas.limit(scope, name);
    if ((await quotas.used(scope, name)) >= limit) refusals.push(quotaRefusal(name, limit));
  }
  const [refusal] = refusals;
  if (refusal === undefined) return null;
  const { max_images_count } = await ownDevice(scope);
  const surplus = Math.min((await quotas.used(scope, 'photos')) - max_images_count, deletedAtOnce);
  if (surplus <= 0) return refusal;
  const oldest = await scope.rows(images, {
    order: [
      ['created_at', 'asc'],
      ['id', 'asc'],
    ],
    limit: surplus,
  });
  for (const { id } of oldest) await schedulePhotoDeletion(scope, jobs, id);
  return null;
}

/** Makes room for a photo, outside a transaction. Throws 507. */
export async function assertPhotoRoom(scope: DeviceScope, jobs: JobQueue, room: PhotoRoom): Promise<void> {
  const refusal = await scope.transaction((inner) => photoRefusal(inner, jobs, room));
  if (refusal !== null) throw new Failure('storage_full', refusal);
}
