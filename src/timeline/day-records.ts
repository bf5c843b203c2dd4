import { aboutWater } from '../core/about-water.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import { only } from '../db/table.ts';
import { jsonSelection } from '../engine/serializer.ts';
import { sensorReadings } from '../garden/sensor-readings.ts';
import { images } from '../photos/images.ts';
import { rewritePhotoOrigin } from '../photos/photo-urls.ts';
import type { RunSeries } from '../programs/schedule.ts';
import { runs } from '../runs/run-records.ts';
import type { DayCounts } from './day-counts.ts';
import { runsBetween } from './day-counts.ts';
import type { Span } from './garden-views.ts';

/** Photos and readings of a day in a response, the newest ones. */
export const [maxPhotos, maxReadings] = [200, 500];

const timesOf = (column: string): Selection<number> => ({
  key: `time ${column}`,
  expressions: [`"${column}"`],
  read: ([at]) => Date.parse(String(at)),
});
const photoTimes = timesOf('created_at');
const readingTimes = timesOf('read_at');
const runTimes = only(runs, 'name');
const photoJson: Selection<string> = jsonSelection(images);
const readingJson: Selection<string> = jsonSelection(sensorReadings);
const runJson: Selection<string> = jsonSelection(runs);

/** The kinds of records besides points that a credential may read. */
export type MayRead = (resource: string) => boolean;

const timesIn = ({ from, to }: Span) => ({ gte: new Date(from).toISOString(), lt: new Date(to).toISOString() });

/** Counts photos, readings and runs of a span. */
export async function countRecords(scope: DeviceScope, span: Span, mayRead: MayRead, counts: DayCounts): Promise<void> {
  const times = timesIn(span);
  if (mayRead('Image'))
    for (const at of await scope.select(images, photoTimes, { where: { created_at: times } })) counts.add('photos', at);
  if (mayRead('SensorReading'))
    for (const at of await scope.select(sensorReadings, readingTimes, { where: { read_at: times } }))
      counts.add('readings', at);
  if (mayRead('Run'))
    for (const { name, created_at } of await scope.rows(runTimes, { where: { created_at: times } }))
      counts.add(aboutWater.test(name) ? 'waterings' : 'runs', Date.parse(created_at));
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

/** Returns what the schedule runs on a day, once for each series, the earliest first. */
export const scheduledOn = (schedule: Iterable<RunSeries>, { from, to }: Span) =>
  [...schedule]
    .flatMap((series) => {
      const { first, count } = runsBetween(series, from, to);
      const { farmEventId, sequence, regimen } = series;
      return count === 0
        ? []
        : [
            {
              farm_event_id: farmEventId,
              sequence_id: sequence.id,
              sequence_name: sequence.name,
              regimen_id: regimen?.id ?? null,
              at: new Date(first).toISOString(),
              runs: count,
            },
          ];
    })
    .sort((one, other) => (one.at < other.at ? -1 : 1));
