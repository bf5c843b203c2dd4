import { aboutWater } from '../core/about-water.ts';
import { Slices } from '../core/request-pause.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import { only } from '../db/table.ts';
import { jsonSelection } from '../engine/serializer.ts';
import { sensorReadings } from '../garden/sensor-readings.ts';
import { images } from '../photos/images.ts';
import { rewritePhotoOrigin } from '../photos/photo-urls.ts';
import { pastOccurrences } from '../programs/past-occurrences.ts';
import type { Occurrence, RunSeries } from '../programs/schedule.ts';
import { readSchedule } from '../programs/schedule.ts';
import { runs } from '../runs/run-records.ts';
import type { DayCounts } from './day-counts.ts';
import { runsIn } from './day-counts.ts';
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

/** A series of the schedule on a day, as in a response. */
interface ScheduledSeries {
  readonly farm_event_id: number;
  readonly sequence_id: number;
  readonly sequence_name: string;
  readonly regimen_id: number | null;
  readonly at: string;
  readonly runs: number;
}

/** Returns the earliest of them. */
const earliest = (found: readonly ScheduledSeries[]): ScheduledSeries[] =>
  found.toSorted((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at))).slice(0, maxScheduled);

/** Returns what the schedule runs on a day, once for each series, the earliest first. Reads it in slices between which requests are served. */
export async function scheduledOn(schedule: Iterable<RunSeries>, { from, to }: Span) {
  const slices = new Slices();
  let found: ScheduledSeries[] = [];
  for (const series of schedule) {
    await slices.pause();
    const { first, count } = runsBetween(series, from, to);
    if (count === 0) continue;
    const { farmEventId, sequence, regimen } = series;
    found.push({
      farm_event_id: farmEventId,
      sequence_id: sequence.id,
      sequence_name: sequence.name,
      regimen_id: regimen?.id ?? null,
      at: new Date(first).toISOString(),
      runs: count,
    });
    if (found.length >= 2 * maxScheduled) found = earliest(found);
  }
  return earliest(found);
}
