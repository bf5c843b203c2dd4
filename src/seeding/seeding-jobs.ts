import { randomUUID } from 'node:crypto';
import type { LocalText } from '../core/catalog.ts';
import { currentTimestamp } from '../core/clock.ts';
import { errorTable, Failure, reasonOf } from '../core/errors.ts';
import type { Language } from '../core/languages.ts';
import { languageOf } from '../core/languages.ts';
import type { Message } from '../core/message.ts';
import { isUnavailable } from '../core/outage.ts';
import type { DeviceScope } from '../db/scope.ts';
import { changeDevice, devices, ownDevice } from '../device/devices.ts';
import { PointLimit, purgeArchivedPoints } from '../garden/point-lifecycle.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { images } from '../photos/images.ts';
import { noticesIn } from './notice-texts.ts';
import { findSeedPlan, noProductLine } from './product-lines.ts';
import type { SeedingServices } from './seed.ts';
import { seed } from './seed.ts';
import type { SoilPhoto } from './soil-photo.ts';

/** THE kinds of jobs that create gardens: kinds that store a photo wait for the storage. */
const kinds = { plain: 'seed_device', withPhoto: 'seed_device_with_photo' } as const;
const allKinds = Object.values(kinds);

/** Queues the seeding of the device and marks it as seeded, in the scope's transaction. Pending seedings are dropped. [rule S1] */
export async function queueSeeding(
  scope: DeviceScope,
  queue: JobQueue,
  { line, isDemo, language }: { readonly line: string; readonly isDemo: boolean; readonly language: Language },
): Promise<void> {
  const { server, deviceId } = scope;
  await changeDevice(scope, await ownDevice(scope), { account_seeded_at: currentTimestamp(scope.clock) });
  await server.delete(jobs, { where: { kind: allKinds, device_id: deviceId, failed_at: null } });
  // The job finds its own row by this id, since an earlier job may still be running.
  const payload = { device_id: deviceId, product_line: line, demo: isDemo, language, seeding: randomUUID() };
  const plan = findSeedPlan(line);
  const kind = plan && hasPhoto(plan, isDemo) ? kinds.withPhoto : kinds.plain;
  await queue.enqueue(server, kind, payload, { deviceId });
}

/** Queues the seeding of a new demo account, in the transaction that creates it. An unknown product line creates no robot. [rule S8] */
export const demoSeeding =
  (queue: JobQueue) =>
  (scope: DeviceScope, productLine: string, language: Language): Promise<void> =>
    queueSeeding(scope, queue, {
      line: findSeedPlan(productLine) ? productLine : noProductLine,
      isDemo: true,
      language,
    });

/** The dependencies of seeding jobs. */
export interface SeedingJobServices extends SeedingServices {
  /** Stores the image of stress test photos under a key of the device. Must not run in a transaction, because it writes files. */
  readonly storeSoilPhoto: (deviceId: number, key: string) => Promise<SoilPhoto>;
  /** Deletes an image that {@link storeSoilPhoto} stored. */
  readonly deleteSoilPhoto: (deviceId: number, picture: SoilPhoto) => Promise<void>;
}

/** The jobs that create gardens. One transaction creates all records and deletes the job's row, so that a garden is created exactly once and never partially. */
export function seedingJobs(services: SeedingJobServices): JobDefinition[] {
  const job: Omit<JobDefinition, 'kind'> = {
    // The transaction is long; other requests can run between two of them.
    concurrency: 1,
    async handle(server, payload) {
      const { deviceId, line, isDemo, language } = parsePayload(payload);
      const plan = findSeedPlan(line);
      if (!plan) throw new Error(`there is no product line ${line}`);
      const picture = hasPhoto(plan, isDemo) ? await services.storeSoilPhoto(deviceId, photoKeyOf(payload)) : null;
      try {
        await server.device(deviceId).transaction(async (scope) => {
          if (await claimOwnJob(scope, payload, services))
            await seed(scope, { ...plan, isDemo, language, picture }, services);
        });
      } catch (error) {
        // A retry cannot succeed: the owner has to make room first.
        if (!(error instanceof Failure) || isUnavailable(error)) throw error;
        await server.device(deviceId).transaction(async (scope) => {
          if (!(await claimOwnJob(scope, payload, services))) return;
          // As when a user creates a point: purging archived points makes room for the next attempt.
          if (error instanceof PointLimit) await purgeArchivedPoints(scope);
          await unlockSeeding(scope, services, reasonOf(error));
        });
      }
      if (picture && !(await isShown(server.device(deviceId), picture)))
        await services.deleteSoilPhoto(deviceId, picture);
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

/** Whether a garden of demo data gets the photo of stress tests. */
const hasPhoto = ({ stressCount }: { readonly stressCount: number }, isDemo: boolean): boolean =>
  stressCount > 0 && isDemo;

interface SeedingPayload {
  readonly deviceId: number;
  readonly line: string;
  readonly isDemo: boolean;
  readonly language: Language;
}

const parsePayload = ({ device_id, product_line, demo, language }: JobPayload): SeedingPayload => ({
  deviceId: Number(device_id),
  line: String(product_line),
  isDemo: demo === true,
  // Jobs of earlier versions have none.
  language: languageOf(language),
});

/** Returns a key that is the same for each attempt of a job, so that retries overwrite the file. */
const photoKeyOf = ({ seeding }: JobPayload): string => String(seeding).replaceAll('-', '');

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
const isShown = async (scope: DeviceScope, { photo_key }: SoilPhoto): Promise<boolean> =>
  (await scope.count(images, { where: { photo_key } })) > 0;

/** Allows the account to be seeded again and notifies its owner of the reason. */
async function unlockSeeding(scope: DeviceScope, { notify }: SeedingServices, reason: Message): Promise<void> {
  await changeDevice(scope, await ownDevice(scope), { account_seeded_at: null });
  // In English as clients know it.
  const message: LocalText = (language) => noticesIn(language).failed(reason.in(language === 'en' ? 'api' : language));
  await notify(scope, { message, type: 'error', channels: ['toast'] });
}
