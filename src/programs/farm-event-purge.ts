import { serverActor } from '../core/changes.ts';
import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import { startOfLocalDay } from '../core/local-day.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { devices } from '../device/devices.ts';
import { announceDeleted } from '../engine/records.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { farmEvents } from './farm-events.ts';
import { programReferences } from './program-references.ts';
import { regimens } from './regimens.ts';

/** The kind of the job that deletes a device's expired events. */
export const purgeJobKind = 'purge_farm_events';

/** Interval of the job, in ms. */
const purgeInterval = 86_400_000;

type FarmEvent = RowOf<typeof farmEvents>;

/** A regimen's id and the offset of its last item in whole seconds. [rule P45] */
const lastItems: Selection<[number, number]> = {
  key: 'id and last item',
  expressions: ['"id"', '(select max(item.time_offset) from regimen_items item where item.regimen_id = regimens.id)'],
  read: ([id, offset]) => [Number(id), Math.floor(Number(offset ?? 0) / 1000)],
};

/** Returns the ids of the expired events. [rule P45] */
async function expiredIds(scope: DeviceScope): Promise<number[]> {
  const device = await scope.first(devices);
  if (!device?.timezone) return [];
  const now = timestamp(confirmedNow(scope.clock));
  const sequenceEvents = await scope.rows(farmEvents, {
    where: { executable_type: ['Sequence'], end_time: { lt: now } },
  });
  const started = await scope.rows(farmEvents, { where: { executable_type: ['Regimen'], start_time: { lt: now } } });
  const ended = started.length > 0 ? await endedEvents(scope, started, device.timezone) : [];
  return [...sequenceEvents, ...ended].map(({ id }) => id);
}

/** Returns the events whose regimen's last item is past, counted from local midnight of the start date. [rule P45] */
async function endedEvents(scope: DeviceScope, started: readonly FarmEvent[], zone: string): Promise<FarmEvent[]> {
  const ids = [...new Set(started.map(({ executable_id }) => executable_id))];
  const last = new Map(await scope.select(regimens, lastItems, { where: { id: ids } }));
  const now = confirmedNow(scope.clock);
  return started.filter(({ start_time, executable_id }) => {
    if (start_time === null) return false;
    const seconds = last.get(executable_id) ?? 0;
    return startOfLocalDay(zone, Date.parse(start_time)) + seconds * 1000 < now;
  });
}

/** Deletes the device's expired events with their uses and announces each; in the history the server did it. Writes nothing if there are none, so lists may call it each time. [rule P45] */
export async function purgeExpiredEvents(scope: DeviceScope): Promise<void> {
  if (!scope.isTransaction) {
    if ((await expiredIds(scope)).length > 0) await scope.transaction(purgeExpiredEvents);
    return;
  }
  const ids = await expiredIds(scope);
  if (ids.length === 0) return;
  const { label, origin } = scope;
  // A request may cause it, but its user did not ask for it.
  const own = scope.server.device(scope.deviceId, { label, origin, actor: serverActor });
  await own.delete(programReferences, { where: { owner_kind: 'FarmEvent', owner_id: ids } });
  for (const { id } of await own.delete(farmEvents, { where: { id: ids } })) announceDeleted(own, farmEvents, id);
}

/** Schedules the purge of the device's events, at most one job per device. Must run in the transaction that stores an event. */
export async function schedulePurge(scope: DeviceScope, queue: JobQueue): Promise<void> {
  const { deviceId } = scope;
  const runAt = timestamp(scope.clock.now() + purgeInterval);
  await queue.enqueueOnce(scope.server, purgeJobKind, { deviceId }, { deviceId, runAt });
}

/** The job that deletes expired events once a day while the device has events, since its time zone may be set later. Idempotent. Deletions are announced with the label `NONE`. */
export const farmEventPurge = (queue: JobQueue): JobDefinition => ({
  kind: purgeJobKind,
  async handle(server, { deviceId }) {
    if (typeof deviceId !== 'number') throw new Error('the payload has no device id');
    await server.device(deviceId).transaction(async (scope) => {
      await purgeExpiredEvents(scope);
      if ((await scope.count(farmEvents)) > 0) await schedulePurge(scope, queue);
    });
  },
});
