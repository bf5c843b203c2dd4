import { randomUUID } from 'node:crypto';
import { currentTimestamp } from '../core/clock.ts';
import type { FieldFailure } from '../core/errors.ts';
import { Failure } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { changeDevice, devices, ownDevice } from '../device/devices.ts';
import { PointLimit, purgeArchivedPoints } from '../garden/point-lifecycle.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { images } from '../photos/images.ts';
import { findSeedPlan, noProductLine } from './product-lines.ts';
import type { SeedingServices } from './seeding.ts';
import { seed } from './seeding.ts';
import type { SoilPhoto } from './soil-photo.ts';

const kind = 'seed_device';

/** Asks for the seeding of the scope's device, in its transaction: the device is seeded from now on, its garden follows. What was asked for before and has not been done is dropped. */
export async function queueSeeding(
  scope: DeviceScope,
  queue: JobQueue,
  { line, isDemo }: { readonly line: string; readonly isDemo: boolean },
): Promise<void> {
  const { server, deviceId } = scope;
  await changeDevice(scope, await ownDevice(scope), { account_seeded_at: currentTimestamp(scope.clock) });
  await server.delete(jobs, { where: { kind, device_id: deviceId, failed_at: null } });
  // The job finds its own row by the number: an earlier one may be on its way still.
  const payload = { device_id: deviceId, product_line: line, demo: isDemo, seeding: randomUUID() };
  await queue.enqueue(server, kind, payload, { deviceId });
}

/** Makes the account of a visitor a demo, in the transaction that makes it. Who names no product line that there is gets a garden without a robot. [reference 6.1] */
export const demoSeeding =
  (queue: JobQueue) =>
  (scope: DeviceScope, productLine: string): Promise<void> =>
    queueSeeding(scope, queue, { line: findSeedPlan(productLine) ? productLine : noProductLine, isDemo: true });

/** What seeding jobs need from elsewhere. */
export interface SeedingJobServices extends SeedingServices {
  /** Stores the picture that demos with many photos show, as the photo of that device with this key. Outside transactions: it writes files. */
  readonly storeSoilPhoto: (deviceId: number, key: string) => Promise<SoilPhoto>;
  /** Deletes what {@link storeSoilPhoto} has stored, when no garden has it. */
  readonly deleteSoilPhoto: (deviceId: number, picture: SoilPhoto) => Promise<void>;
}

/**
 * The job that makes a garden: in one transaction, with which its own row goes. So it is made once, however often the
 * job is begun, and never half.
 */
export function seedingJob(services: SeedingJobServices): JobDefinition {
  return {
    kind,
    // A garden is a long transaction: other people's requests come in between two of them.
    concurrency: 1,
    async handle(server, payload) {
      const { deviceId, line, isDemo } = orderOf(payload);
      const wish = findSeedPlan(line);
      if (!wish) throw new Error(`there is no product line ${line}`);
      const picture =
        wish.stressCount > 0 && isDemo ? await services.storeSoilPhoto(deviceId, photoKeyOf(payload)) : null;
      try {
        await server.device(deviceId).transaction(async (scope) => {
          if (await isOpen(scope, payload, services)) await seed(scope, { ...wish, isDemo, picture }, services);
        });
      } catch (error) {
        // What the account has no room for now, it will not have in a minute: its owner has to do something.
        if (!(error instanceof Failure)) throw error;
        await server.device(deviceId).transaction(async (scope) => {
          if (!(await isOpen(scope, payload, services))) return;
          // As whoever makes a point by hand: what is archived makes room for the next time.
          if (error instanceof PointLimit) await purgeArchivedPoints(scope);
          await reopen(scope, services, reasonOf(error));
        });
      }
      if (picture && !(await isShown(server.device(deviceId), picture)))
        await services.deleteSoilPhoto(deviceId, picture);
    },
    async onGiveUp(server, payload) {
      const scope = server.device(orderOf(payload).deviceId);
      const isSeeded = (await scope.first(devices))?.account_seeded_at != null;
      if (isSeeded) await reopen(scope, services, 'Something went wrong on the server.');
    },
  };
}

interface Order {
  readonly deviceId: number;
  readonly line: string;
  readonly isDemo: boolean;
}

const orderOf = ({ device_id, product_line, demo }: JobPayload): Order => ({
  deviceId: Number(device_id),
  line: String(product_line),
  isDemo: demo === true,
});

/** Always the same for one job: what an attempt before has stored is stored again in its place. */
const photoKeyOf = ({ seeding }: JobPayload): string => String(seeding).replaceAll('-', '');

/** Takes the job's row out of the queue, so that it goes with the work. False: the work was done or dropped, the account is gone, or it was reset or opened again (which its owner is told). */
async function isOpen(scope: DeviceScope, { seeding }: JobPayload, { notify }: SeedingServices): Promise<boolean> {
  const { server, deviceId } = scope;
  const rows = await server.rows(jobs, { where: { kind, device_id: deviceId, failed_at: null } });
  const own = rows.find(({ payload }) => payload.seeding === seeding);
  if (!own) return false;
  await server.delete(jobs, { where: { id: own.id } });
  const device = await scope.first(devices);
  if (!device) return false;
  if (device.account_seeded_at !== null) return true;
  const message =
    'Your garden was not set up, because the account was reset or opened again before its turn came. ' +
    'You can choose your robot again.';
  await notify(scope, { message, type: 'warn', channels: ['toast'] });
  return false;
}

/** Whether a garden has this picture: also one that the same job has made before. */
const isShown = async (scope: DeviceScope, { photo_key }: SoilPhoto): Promise<boolean> =>
  (await scope.count(images, { where: { photo_key } })) > 0;

/** Lets the account be seeded again, and tells its owner why. */
async function reopen(scope: DeviceScope, { notify }: SeedingServices, reason: string): Promise<void> {
  await changeDevice(scope, await ownDevice(scope), { account_seeded_at: null });
  const message = `Your garden could not be set up, and nothing of it was made. ${reason} You can choose your robot again.`;
  await notify(scope, { message, type: 'error', channels: ['toast'] });
}

/** The sentences of a failure. */
function reasonOf({ message, fields }: Failure): string {
  const sentences = (failure: FieldFailure | null): string[] =>
    typeof failure === 'string' ? [failure] : Object.values(failure ?? {}).flatMap(sentences);
  return fields ? sentences(fields).join(' ') : message;
}
