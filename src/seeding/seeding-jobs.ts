import { randomUUID } from 'node:crypto';
import type { DemoGarden } from '../accounts/demo-accounts.ts';
import type { LocalText } from '../core/catalog.ts';
import { currentTimestamp } from '../core/clock.ts';
import { errorTable, Failure, reasonOf } from '../core/errors.ts';
import type { Language } from '../core/languages.ts';
import { languageOf } from '../core/languages.ts';
import type { Message } from '../core/message.ts';
import { isUnavailable } from '../core/outage.ts';
import type { DeviceScope } from '../db/scope.ts';
import { changeDevice, devices, ownDevice } from '../device/devices.ts';
import type { CropSearch } from '../garden/crop-search.ts';
import { PointLimit, purgeArchivedPoints } from '../garden/point-lifecycle.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { images } from '../photos/images.ts';
import { pastOf } from './demo-past.ts';
import { drawPastPhoto, pastPhotos, photoKeyOf } from './demo-photos.ts';
import { noticesIn } from './notice-texts.ts';
import type { SeedPlan } from './product-lines.ts';
import { findSeedPlan, noProductLine } from './product-lines.ts';
import type { SeedingServices } from './seed.ts';
import { seed } from './seed.ts';
import { renderSoilPhoto } from './soil-photo.ts';
import type { StoredPhoto } from './stored-photos.ts';

/** THE kinds of jobs that create gardens: kinds that store photos wait for the storage. */
const kinds = { plain: 'seed_device', withPhoto: 'seed_device_with_photo' } as const;
const allKinds = Object.values(kinds);

/** What is to be created. */
interface SeedingRequest {
  readonly line: string;
  readonly isDemo: boolean;
  /** Whether the demo has a past. [ADR 133] */
  readonly hasPast: boolean;
  readonly language: Language;
}

/** Queues the seeding of the device and marks it as seeded, in the scope's transaction. Pending seedings are dropped. [rule S1] */
export async function queueSeeding(
  scope: DeviceScope,
  queue: JobQueue,
  { line, ...request }: SeedingRequest,
): Promise<void> {
  const { server, deviceId } = scope;
  await changeDevice(scope, await ownDevice(scope), { account_seeded_at: currentTimestamp(scope.clock) });
  await server.delete(jobs, { where: { kind: allKinds, device_id: deviceId, failed_at: null } });
  // The job finds its own row by this id, since an earlier job may still be running.
  const { isDemo: demo, hasPast: past, language } = request;
  const payload = { device_id: deviceId, product_line: line, demo, past, language, seeding: randomUUID() };
  const plan = findSeedPlan(line);
  const kind = plan && hasPhotos(plan, request) ? kinds.withPhoto : kinds.plain;
  await queue.enqueue(server, kind, payload, { deviceId });
}

/** Queues the seeding of a new demo account, in the transaction that creates it. An unknown product line creates no robot. [rule S8] */
export const demoSeeding =
  (queue: JobQueue) =>
  (scope: DeviceScope, { productLine, language, hasPast }: DemoGarden): Promise<void> => {
    const plan = findSeedPlan(productLine);
    return queueSeeding(scope, queue, {
      line: plan ? productLine : noProductLine,
      isDemo: true,
      hasPast: hasPast && plan?.stressCount === 0,
      language,
    });
  };

/** The dependencies of seeding jobs. */
export interface SeedingJobServices extends SeedingServices {
  readonly crops: () => Promise<CropSearch>;
  /** Whether the garden may have so many more small photos. */
  readonly hasPhotoRoom: (scope: DeviceScope, count: number) => Promise<boolean>;
  /** Stores a picture under a key of the device. Must not run in a transaction, because it writes files. */
  readonly storePhoto: (deviceId: number, key: string, picture: Buffer) => Promise<StoredPhoto>;
  /** Deletes a picture that {@link storePhoto} stored. */
  readonly deletePhoto: (deviceId: number, photo: StoredPhoto) => Promise<void>;
}

/** The jobs that create gardens. One transaction creates all records and deletes the job's row, so that a garden is created exactly once and never partially. */
export function seedingJobs(services: SeedingJobServices): JobDefinition[] {
  const job: Omit<JobDefinition, 'kind'> = {
    // The transaction is long; other requests can run between two of them.
    concurrency: 1,
    async handle(server, payload) {
      const { deviceId, line, isDemo, hasPast, language } = parsePayload(payload);
      const plan = findSeedPlan(line);
      if (!plan) throw new Error(`there is no product line ${line}`);
      const device = server.device(deviceId);
      const past = hasPast ? await pastOf(device, plan.product, await services.crops()) : null;
      const pictures = past ? pastPhotos(past).map((photo) => () => drawPastPhoto(past, photo)) : [renderSoilPhoto];
      const photos: StoredPhoto[] = [];
      if (hasPhotos(plan, { isDemo, hasPast }) && (!past || (await services.hasPhotoRoom(device, pictures.length))))
        for (const [index, draw] of pictures.entries())
          photos.push(await services.storePhoto(deviceId, photoKeyOf(String(payload.seeding), index), await draw()));
      try {
        await device.transaction(async (scope) => {
          if (await claimOwnJob(scope, payload, services))
            await seed(scope, { ...plan, isDemo, language, past, photos }, services);
        });
      } catch (error) {
        // A retry cannot succeed: the owner has to make room first.
        if (!(error instanceof Failure) || isUnavailable(error)) throw error;
        await device.transaction(async (scope) => {
          if (!(await claimOwnJob(scope, payload, services))) return;
          // As when a user creates a point: purging archived points makes room for the next attempt.
          if (error instanceof PointLimit) await purgeArchivedPoints(scope);
          await unlockSeeding(scope, services, reasonOf(error));
        });
      }
      for (const photo of photos) if (!(await isShown(device, photo))) await services.deletePhoto(deviceId, photo);
    },
    async onGiveUp(server, payload) {
      const scope = server.device(parsePayload(payload).deviceId);
      const isSeeded = (await scope.first(devices))?.account_seeded_at != null;
      if (isSeeded) await unlockSeeding(scope, services, errorTable.internal[1]);
    },
  };
  return [
    { ...job, kind: kinds.plain },
    { ...job, kind: kinds.withPhoto, waitsFor: 'storage' },
  ];
}

/** Whether a garden of demo data gets photos: those of its past, or the one of stress tests. */
const hasPhotos = (
  { product, stressCount }: SeedPlan,
  { isDemo, hasPast }: Pick<SeedingRequest, 'isDemo' | 'hasPast'>,
): boolean => isDemo && (stressCount > 0 || (hasPast && product !== null));

const parsePayload = ({
  device_id,
  product_line,
  demo,
  past,
  language,
}: JobPayload): SeedingRequest & { readonly deviceId: number } => ({
  deviceId: Number(device_id),
  line: String(product_line),
  isDemo: demo === true,
  hasPast: past === true,
  // Jobs of earlier versions have none.
  language: languageOf(language),
});

/** Deletes the job's row in the transaction of its work. Returns false if the work was done or dropped, or if the account was deleted, reset or unlocked for seeding, in which case the owner is notified. */
async function claimOwnJob(scope: DeviceScope, { seeding }: JobPayload, { notify }: SeedingServices): Promise<boolean> {
  const { server, deviceId } = scope;
  const rows = await server.rows(jobs, { where: { kind: allKinds, device_id: deviceId, failed_at: null } });
  const own = rows.find(({ payload }) => payload.seeding === seeding);
  if (!own) return false;
  await server.delete(jobs, { where: { id: own.id } });
  const device = await scope.first(devices);
  if (!device) return false;
  if (device.account_seeded_at !== null) return true;
  await notify(scope, { message: (language) => noticesIn(language).reset, type: 'warn', channels: ['toast'] });
  return false;
}

/** Returns whether a garden shows this image, also if an earlier attempt of the job created it. */
const isShown = async (scope: DeviceScope, { photo_key }: StoredPhoto): Promise<boolean> =>
  (await scope.count(images, { where: { photo_key } })) > 0;

/** Allows the account to be seeded again and notifies its owner of the reason. */
async function unlockSeeding(scope: DeviceScope, { notify }: SeedingServices, reason: Message): Promise<void> {
  await changeDevice(scope, await ownDevice(scope), { account_seeded_at: null });
  // In English as clients know it.
  const message: LocalText = (language) => noticesIn(language).failed(reason.in(language === 'en' ? 'api' : language));
  await notify(scope, { message, type: 'error', channels: ['toast'] });
}
