import { timestamp } from '../core/clock.ts';
import { changeRows, effective } from '../db/change-rows.ts';
import type { DeviceScope } from '../db/scope.ts';
import { only } from '../db/table.ts';
import { farmEvents } from './farm-events.ts';
import type { Occurrence, ScheduledEvent, SeriesSpan } from './schedule.ts';
import { inOrder, readEvents, readSchedule } from './schedule.ts';

/** Changes of farm events that are read, the newest. */
const maxChanges = 5000;

const statesBefore = only(changeRows, 'device_id', 'resource', 'record_id', 'action', 'before');

/** A farm event as it was for a while, in ms. */
interface Version {
  readonly event: ScheduledEvent;
  readonly from: number;
  readonly until: number;
}

const versionOf = (event: ScheduledEvent, until: number): Version => ({
  event,
  from: Date.parse(event.updated_at),
  until,
});

/** Reads the farm events as they were since a time, as far as the change log reaches, and as they are. */
async function versionsSince(scope: DeviceScope, from: number): Promise<readonly Version[]> {
  const changes = await scope.rows(statesBefore, {
    where: {
      resource: farmEvents.options.changeLogName ?? '',
      // Has SQLite take the index of records instead of reading all changes.
      record_id: { gt: 0 },
      created_at: { gte: timestamp(from) },
      before: { not: null },
      ...effective,
    },
    order: [['id', 'desc']],
    limit: maxChanges,
  });
  const earlier = changes.map(({ before, created_at }) =>
    versionOf(JSON.parse(String(before)) as ScheduledEvent, Date.parse(created_at)),
  );
  const present = await readEvents(scope);
  return [...earlier, ...present.map((event) => versionOf(event, Number.POSITIVE_INFINITY))];
}

/**
 * Returns the runs that were due from `from` until before `to` or now (ms) by the schedule as it was then, the earliest first; null if
 * there are more than `maxCount`. Of deleted sequences and regimens there are none. [ADR 129]
 */
export async function pastOccurrences(
  scope: DeviceScope,
  from: number,
  to: number,
  maxCount: number,
): Promise<{ readonly zone: string; readonly found: readonly Occurrence[] | null }> {
  const end = Math.min(to, scope.clock.now());
  const versions = await versionsSince(scope, from);
  const schedule = await readSchedule(
    scope,
    versions.map(({ event }) => event),
  );
  function* spans(): Iterable<SeriesSpan> {
    for (const { event, from: since, until } of versions)
      for (const runs of schedule.runsOf(event)) yield { runs, from: Math.max(from, since), to: Math.min(end, until) };
  }
  return { zone: schedule.zone, found: await inOrder(spans(), maxCount) };
}
