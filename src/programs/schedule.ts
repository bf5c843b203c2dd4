import { startOfLocalDay } from '../core/local-day.ts';
import { Slices } from '../core/request-pause.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { only } from '../db/table.ts';
import { devices } from '../device/devices.ts';
import { farmEvents } from './farm-events.ts';
import { regimenItems, regimens } from './regimens.ts';
import { sequences } from './sequences.ts';

/** Milliseconds of a unit of a farm event. Robots add these, whatever the length of a month and the time zone. [rule P46] */
const unitDuration = {
  minutely: 60_000,
  hourly: 3_600_000,
  daily: 86_400_000,
  weekly: 7 * 86_400_000,
  monthly: 30 * 86_400_000,
  yearly: 365 * 86_400_000,
} as const;

interface NamedRecord {
  readonly id: number;
  readonly name: string;
}

/** Runs of one sequence that a farm event causes: the runs of its repetition, or the one of a regimen's item. */
export interface RunSeries {
  readonly farmEventId: number;
  readonly sequence: NamedRecord;
  readonly regimen: (NamedRecord & { readonly itemId: number }) | null;
  /** The first run, in ms since the epoch. */
  readonly start: number;
  /** Milliseconds between runs; 0 if there is only one. */
  readonly interval: number;
  readonly count: number;
  /** When the farm event was last changed. */
  readonly updatedAt: string;
}

/** The calendar of a device. */
export interface Schedule {
  /** The name of the device's time zone, or `UTC`. */
  readonly zone: string;
  readonly deviceName: string;
  /** The runs of all farm events, in no order. */
  runs(): Iterable<RunSeries>;
  /** The runs of one of them. */
  runsOf(event: ScheduledEvent): Iterable<RunSeries>;
}

type FarmEvent = RowOf<typeof farmEvents>;

const eventTimes = only(
  farmEvents,
  'start_time',
  'end_time',
  'repeat',
  'time_unit',
  'executable_type',
  'executable_id',
);
/** The fields of a farm event that decide when it runs. */
export type ScheduledEvent = RowOf<typeof eventTimes>;

const sequenceNames = only(sequences, 'name');
const regimenNames = only(regimens, 'name');

/** Returns the repetition of an event of a sequence, which ends before its end. [rule P46] */
export function repetitionOf({
  start_time,
  end_time,
  repeat,
  time_unit,
}: Pick<FarmEvent, 'start_time' | 'end_time' | 'repeat' | 'time_unit'>): Pick<
  RunSeries,
  'start' | 'interval' | 'count'
> | null {
  if (start_time === null) return null;
  const start = Date.parse(start_time);
  if (time_unit === 'never') return { start, interval: 0, count: 1 };
  const interval = unitDuration[time_unit] * repeat;
  const end = end_time === null ? start : Date.parse(end_time);
  return { start, interval, count: Math.max(0, Math.ceil((end - start) / interval)) };
}

/** Reads the schedule of a device, in at most five queries. `of`: of other events than the present ones. */
export async function readSchedule(scope: DeviceScope, of?: readonly ScheduledEvent[]): Promise<Schedule> {
  const device = await scope.first(devices);
  const zone = device?.timezone ?? 'UTC';
  const events = of ?? (await readEvents(scope));
  const idsOf = (type: FarmEvent['executable_type']): number[] => [
    ...new Set(events.filter((event) => event.executable_type === type).map((event) => event.executable_id)),
  ];
  const regimenIds = idsOf('Regimen');
  const items = regimenIds.length > 0 ? await scope.rows(regimenItems, { where: { regimen_id: regimenIds } }) : [];
  const itemsByRegimen = new Map<number, (typeof items)[number][]>(regimenIds.map((id) => [id, []]));
  for (const item of items) itemsByRegimen.get(item.regimen_id)?.push(item);
  const [usedSequences, usedRegimens] = [await scope.rows(sequenceNames), await scope.rows(regimenNames)];
  const sequencesById = new Map(usedSequences.map((row) => [row.id, row]));
  const regimensById = new Map(usedRegimens.map((row) => [row.id, row]));

  function* runsOf(event: ScheduledEvent): Iterable<RunSeries> {
    const { id: farmEventId, updated_at: updatedAt } = event;
    if (event.executable_type === 'Sequence') {
      const sequence = sequencesById.get(event.executable_id);
      const repetition = repetitionOf(event);
      if (repetition && sequence) yield { farmEventId, updatedAt, ...repetition, sequence, regimen: null };
      return;
    }
    const found = regimensById.get(event.executable_id);
    if (!found || event.start_time === null) return;
    const { id: regimenId, name } = found;
    // Items count from local midnight of the start date, in whole seconds. [rule P45]
    const midnight = startOfLocalDay(zone, Date.parse(event.start_time));
    for (const { id: itemId, sequence_id, time_offset } of itemsByRegimen.get(regimenId) ?? []) {
      const sequence = sequencesById.get(sequence_id);
      const start = midnight + Math.floor(time_offset / 1000) * 1000;
      const regimen = { id: regimenId, name, itemId };
      // Spread objects take 40 times as long, and a calendar may have millions of runs.
      if (sequence) yield { farmEventId, updatedAt, start, interval: 0, count: 1, sequence, regimen };
    }
  }
  function* runs(): Iterable<RunSeries> {
    for (const event of events) yield* runsOf(event);
  }
  return { zone, deviceName: device?.name ?? '', runs, runsOf };
}

/** Reads the present events of a device. */
export const readEvents = (scope: DeviceScope): Promise<readonly ScheduledEvent[]> => scope.rows(eventTimes);

/** One run of a sequence. */
export interface Occurrence {
  readonly runs: RunSeries;
  /** In ms since the epoch. */
  readonly at: number;
}

/** Returns the first run of a series from `from` until before `to` (ms), and how many there are. */
export function runsIn(
  { start, interval, count }: Pick<RunSeries, 'start' | 'interval' | 'count'>,
  from: number,
  to: number,
): { readonly first: number; readonly count: number } {
  if (interval === 0) return { first: start, count: start >= from && start < to ? count : 0 };
  const indexAt = (at: number): number => Math.min(count, Math.max(0, Math.ceil((at - start) / interval)));
  const index = indexAt(from);
  return { first: start + index * interval, count: Math.max(0, indexAt(to) - index) };
}

/** A series in the span for which it is valid, in ms. */
export interface SeriesSpan {
  readonly runs: RunSeries;
  readonly from: number;
  readonly to: number;
}

/** Returns the runs of series in their spans, the earliest first; null if there are more than `maxCount`. Reads the series in slices between which requests are served. */
export async function inOrder(spans: Iterable<SeriesSpan>, maxCount: number): Promise<Occurrence[] | null> {
  const slices = new Slices();
  const found: Occurrence[] = [];
  for (const { runs, from, to } of spans) {
    await slices.pause();
    const { first, count } = runsIn(runs, from, to);
    if (found.length + count > maxCount) return null;
    for (let index = 0; index < count; index++) found.push({ runs, at: first + index * runs.interval });
  }
  return found.sort(compare);
}

/** Returns the runs from `from` until before `to` (ms), as {@link inOrder} does. */
export function occurrencesBetween(
  schedule: Pick<Schedule, 'runs'>,
  from: number,
  to: number,
  maxCount: number,
): Promise<Occurrence[] | null> {
  function* spans(): Iterable<SeriesSpan> {
    for (const runs of schedule.runs()) yield { runs, from, to };
  }
  return inOrder(spans(), maxCount);
}

/** Returns the first run from `from` until before `to` (ms). Reads the schedule in slices between which requests are served. */
export async function nextOccurrence(
  { runs }: Pick<Schedule, 'runs'>,
  from: number,
  to: number,
): Promise<Occurrence | undefined> {
  const slices = new Slices();
  let next: Occurrence | undefined;
  for (const series of runs()) {
    // Without its further runs: a frequent one has thousands of them.
    const { first, count } = runsIn(series, from, to);
    const found = { runs: series, at: first };
    if (count > 0 && (!next || compare(found, next) < 0)) next = found;
    await slices.pause();
  }
  return next;
}

const itemOf = ({ runs }: Occurrence): number => runs.regimen?.itemId ?? 0;

const compare = (a: Occurrence, b: Occurrence): number =>
  a.at - b.at || a.runs.farmEventId - b.runs.farmEventId || itemOf(a) - itemOf(b);
