import { currentTimestamp, timestamp } from '../core/clock.ts';
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

/** The job that purges a device's expired events. */
export const purgeJobKind = 'purge_farm_events';

/** How often a device with events is looked after by itself, in ms. */
const purgeInterval = 86_400_000;

type FarmEvent = RowOf<typeof farmEvents>;

/** A regimen's id, and the time of its last item in whole seconds after its start. [reference 7.6] */
const lastItems: Selection<[number, number]> = {
  key: 'id and last item',
  expressions: ['"id"', '(select max(item.time_offset) from regimen_items item where item.regimen_id = regimens.id)'],
  read: ([id, offset]) => [Number(id), Math.floor(Number(offset ?? 0) / 1000)],
};

/** Ids of the events that are over. */
async function expiredIds(scope: DeviceScope): Promise<number[]> {
  const device = await scope.first(devices);
  if (!device?.timezone) return [];
  const now = currentTimestamp(scope.clock);
  const sequenceEvents = await scope.rows(farmEvents, {
    where: { executable_type: ['Sequence'], end_time: { lt: now } },
  });
  const begun = await scope.rows(farmEvents, { where: { executable_type: ['Regimen'], start_time: { lt: now } } });
  const ended = begun.length > 0 ? await endedEvents(scope, begun, device.timezone) : [];
  return [...sequenceEvents, ...ended].map(({ id }) => id);
}

/** Regimens that have begun and whose last item was run. They count from the beginning of the day on which they start. */
async function endedEvents(scope: DeviceScope, begun: readonly FarmEvent[], zone: string): Promise<FarmEvent[]> {
  const ids = [...new Set(begun.map(({ executable_id }) => executable_id))];
  const last = new Map(await scope.select(regimens, lastItems, { where: { id: ids } }));
  const now = scope.clock.now();
  return begun.filter(({ start_time, executable_id }) => {
    if (start_time === null) return false;
    const seconds = last.get(executable_id) ?? 0;
    return startOfLocalDay(zone, Date.parse(start_time)) + seconds * 1000 < now;
  });
}

/**
 * Deletes the device's events that are over, with what they used, and announces each. Without a time zone nothing is over.
 * Where nothing is, nothing is written, so lists may ask each time. [reference 7.6]
 */
export async function purgeExpiredEvents(scope: DeviceScope): Promise<void> {
  if (!scope.isTransaction) {
    if ((await expiredIds(scope)).length > 0) await scope.transaction(purgeExpiredEvents);
    return;
  }
  const ids = await expiredIds(scope);
  if (ids.length === 0) return;
  await scope.delete(programReferences, { where: { owner_kind: 'FarmEvent', owner_id: ids } });
  for (const { id } of await scope.delete(farmEvents, { where: { id: ids } })) announceDeleted(scope, farmEvents, id);
}

/** Has the device's events looked after, in the transaction that stores one: one job waits for a device at most. */
export async function schedulePurge(scope: DeviceScope, queue: JobQueue): Promise<void> {
  const { deviceId } = scope;
  const runAt = timestamp(scope.clock.now() + purgeInterval);
  await queue.enqueueOnce(scope.server, purgeJobKind, { deviceId }, { deviceId, runAt });
}

/**
 * The job that purges once a day while the device has events at all: its time zone may be set later. It is a row, so it
 * outlives restarts, and several processes do it once; twice would do no harm. What it deletes is announced as `NONE`.
 */
export const farmEventPurge = (queue: JobQueue): JobDefinition => ({
  kind: purgeJobKind,
  async handle(server, { deviceId }) {
    if (typeof deviceId !== 'number') throw new Error('the job does not say which device it is about');
    await server.device(deviceId).transaction(async (scope) => {
      await purgeExpiredEvents(scope);
      if ((await scope.count(farmEvents)) > 0) await schedulePurge(scope, queue);
    });
  },
});
