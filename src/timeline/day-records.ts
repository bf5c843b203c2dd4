import { timestamp } from '../core/clock.ts';
import { Slices } from '../core/request-pause.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import { only } from '../db/table.ts';
import { jsonSelection } from '../engine/serializer.ts';
import { sensorReadings } from '../garden/sensor-readings.ts';
import { images } from '../photos/images.ts';
import { rewritePhotoOrigin } from '../photos/photo-urls.ts';
import { pastOccurrences } from '../programs/past-occurrences.ts';
import type { Occurrence, RunSeries } from '../programs/schedule.ts';
import { readSchedule, runsIn } from '../programs/schedule.ts';
import { runs } from '../runs/run-records.ts';
import type { DayCounts } from './day-counts.ts';
import type { Span } from './garden-views.ts';

/** Photos and readings of a day in a response, the newest ones; and series of the schedule, the earliest. */
export const [maxPhotos, maxReadings, maxScheduled] = [200, 500, 1000];

const photoTimes = only(images);
const runTimes = only(runs, 'name');
const photoJson: Selection<string> = jsonSelection(images);
const readingJson: Selection<string> = jsonSelection(sensorReadings);
const runJson: Selection<string> = jsonSelection(runs);

/** The kinds of records besides points that a credential may read. */
export type MayRead = (resource: string) => boolean;

const timesIn = ({ from, to }: Span) => ({ gte: timestamp(from), lt: timestamp(to) });

/** Counts photos and runs of a span. */
export async function countRecords(scope: DeviceScope, span: Span, mayRead: MayRead, counts: DayCounts): Promise<void> {
  const times = timesIn(span);
  if (mayRead('Image'))
    for (const { created_at } of await scope.rows(photoTimes, { where: { created_at: times } }))
      counts.add('photos', Date.parse(created_at));
  if (mayRead('Run'))
    for (const { name, created_at } of await scope.rows(runTimes, { where: { created_at: times } }))
      counts.addRun(name, Date.parse(created_at));
}

const arrayOf = (records: readonly string[]): string => `[${records.join(',')}]`;

/** Returns the photos, readings and runs of a day, each as a JSON array; empty ones of what a credential may not read. `origin`: of the photos' URLs. */
export async function recordsOf(scope: DeviceScope, day: Span, mayRead: MayRead, origin: string) {
  const times = timesIn(day);
  const photos = mayRead('Image')
    ? await scope.select(images, photoJson, {
        where: { created_at: times },
        order: [['created_at', 'desc']],
        limit: maxPhotos,
      })
    : [];
  const readings = mayRead('SensorReading')
    ? await scope.select(sensorReadings, readingJson, {
        where: { read_at: times },
        order: [['read_at', 'desc']],
        limit: maxReadings,
      })
    : [];
  const ran = mayRead('Run') ? await scope.select(runs, runJson, { where: { created_at: times } }) : [];
  return {
    photos: arrayOf(photos.map((photo) => rewritePhotoOrigin(origin, photo))),
    readings: arrayOf(readings),
    runs: arrayOf(ran),
  };
}

/** Runs of one series on a day. */
interface DueRuns {
  readonly series: RunSeries;
  /** In ms. */
  readonly first: number;
  readonly count: number;
}

/** Returns the earliest ones, in their order. */
const earliest = (found: readonly DueRuns[]): DueRuns[] =>
  found.toSorted((one, other) => one.first - other.first).slice(0, maxScheduled);

/** Returns the runs of a day, once for each series, the earliest first and not more than a response has. Reads the series in slices between which requests are served. */
export async function earliestOn(series: Iterable<RunSeries>, { from, to }: Span, known: readonly DueRuns[] = []) {
  const slices = new Slices();
  let found = [...known];
  for (const each of series) {
    await slices.pause();
    const { first, count } = runsIn(each, from, to);
    if (count > 0) found.push({ series: each, first, count });
    if (found.length >= 2 * maxScheduled) found = earliest(found);
  }
  return earliest(found).map(({ series: { farmEventId, sequence, regimen }, first, count }) => ({
    farm_event_id: farmEventId,
    sequence_id: sequence.id,
    sequence_name: sequence.name,
    regimen_id: regimen?.id ?? null,
    at: timestamp(first),
    runs: count,
  }));
}

/** Past runs of a span that are read. */
const maxPast = 5000;

/** Returns what was due in a span until now, by the schedule as it was then; nothing if there is too much. */
async function pastRuns(scope: DeviceScope, { from, to }: Span): Promise<readonly Occurrence[]> {
  if (from >= scope.clock.now()) return [];
  return (await pastOccurrences(scope, from, to, maxPast)).found ?? [];
}

/** Counts the runs that were due in a span, and those that will be. */
export async function countDueRuns(scope: DeviceScope, span: Span, counts: DayCounts): Promise<void> {
  for (const { runs: series, at } of await pastRuns(scope, span)) counts.addRun(series.sequence.name, at);
  const slices = new Slices();
  for (const series of (await readSchedule(scope)).runs()) {
    await slices.pause();
    counts.addSeries(series, scope.clock.now());
  }
}

/** Returns the runs that were due on a day, and those that will be, once for each series, the earliest first. */
export async function dueOn(scope: DeviceScope, day: Span) {
  const past = new Map<RunSeries, { first: number; count: number }>();
  for (const { runs: series, at } of await pastRuns(scope, day)) {
    const known = past.get(series);
    if (known) known.count++;
    else past.set(series, { first: at, count: 1 });
  }
  const coming = { from: Math.max(scope.clock.now(), day.from), to: day.to };
  const known = [...past].map(([series, runs]) => ({ series, ...runs }));
  return earliestOn((await readSchedule(scope)).runs(), coming, known);
}
