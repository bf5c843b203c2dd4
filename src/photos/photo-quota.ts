import { currentTimestamp, timestamp } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import { ownDevice, updateDeviceSilently } from '../device/devices.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { QuotaMeters, Quotas } from '../quotas/quotas.ts';
import { quotaRefusal } from '../quotas/quotas.ts';
import { images } from './images.ts';
import { schedulePhotoDeletion } from './photo-removal.ts';
import { uploads } from './uploads.ts';

/** The sum of all rows, repeated in each. */
const bytes: Selection<number> = {
  key: 'bytes',
  expressions: ['coalesce(sum(byte_size) over (), 0)'],
  read: ([sum]) => Number(sum),
};

/** Counts photos, and the bytes of photos and of uploads that were not deleted. */
export const photoMeters: Pick<QuotaMeters, 'photo_bytes' | 'photos'> = {
  photos: (scope) => scope.count(images),
  async photo_bytes(scope) {
    const [ofImages = 0] = await scope.select(images, bytes, { limit: 1 });
    const [ofUploads = 0] = await scope.select(uploads, bytes, { where: { uploaded_at: { not: null } }, limit: 1 });
    return ofImages + ofUploads;
  },
};

/** Photos deleted for one new one: deletions are carried out later, so a single one would lag behind. */
const deletedAtOnce = 10;
const day = 86_400_000;

export interface PhotoQuotaDependencies {
  readonly quotas: Pick<Quotas, 'limit' | 'used' | 'hold'>;
  readonly notify: (
    scope: DeviceScope,
    notice: { readonly message: string; readonly type: 'warn'; readonly channels: readonly string[] },
  ) => Promise<void>;
}

/**
 * Makes room for a photo. A robot repeats a refused upload for ever, so over the quota the oldest photos beyond those that are listed are deleted;
 * only without such photos is the upload refused, and the owner notified once a day. Returns the sentence of the refusal, or null. Requires a
 * transaction, which must be committed in both cases. [ADR 35]
 */
export async function photoRefusal(
  scope: DeviceScope,
  jobs: JobQueue,
  { quotas, notify }: PhotoQuotaDependencies,
): Promise<string | null> {
  const count = await quotas.used(scope, 'photos');
  const refusals: string[] = [];
  for (const name of ['photo_bytes', 'photos'] as const) {
    const limit = await quotas.limit(scope, name);
    if ((await quotas.used(scope, name)) >= limit) refusals.push(quotaRefusal(name, limit));
  }
  const [refusal] = refusals;
  if (refusal === undefined) return null;
  const device = await ownDevice(scope);
  const surplus = Math.min(count - device.max_images_count, deletedAtOnce);
  if (surplus > 0) {
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
  const notified = device.photos_full_notified_at;
  if (notified === null || notified <= timestamp(scope.clock.now() - day)) {
    await updateDeviceSilently(scope, device, { photos_full_notified_at: currentTimestamp(scope.clock) });
    await notify(scope, { message: refusal, type: 'warn', channels: ['toast'] });
  }
  return refusal;
}

/** Makes room for a photo, outside a transaction. Throws 507. */
export async function assertPhotoRoom(
  scope: DeviceScope,
  jobs: JobQueue,
  dependencies: PhotoQuotaDependencies,
): Promise<void> {
  const refusal = await scope.transaction((inner) => photoRefusal(inner, jobs, dependencies));
  if (refusal !== null) throw new Failure('storage_full', refusal);
}
