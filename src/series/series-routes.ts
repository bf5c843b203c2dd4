import { setImmediate } from 'node:timers/promises';
import type { FieldFailures } from '../core/errors.ts';
import { invalid } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import { TimeFormat, ZoneOffsets } from '../core/local-day.ts';
import type { DeviceScope } from '../db/scope.ts';
import { ownDevice } from '../device/devices.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { labelOf } from '../engine/field-label.ts';
import { float, integer, oneOf, text, time } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { fieldProblem, timeSchema } from '../engine/kinds.ts';
import { queryOf } from '../engine/query.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { deviceRoutes, jsonReply, StreamedReply } from '../engine/route.ts';
import { say } from './messages.ts';
import { csvHead, csvStream } from './series-csv.ts';
import type { SeriesPlace } from './series-places.ts';
import { maxPlaceBuckets, maxPlaces, readPlaces, TooManyPlaces } from './series-places.ts';
import type { Bucket, BucketName, Span } from './series-query.ts';
import { bucketDurations, endOfBucket, readBuckets, startOfBucket } from './series-query.ts';
import { deleteQuarters } from './series-store.ts';
import type { Series } from './series-tables.ts';
import { quarterHour, series, seriesQuarters, telemetryFields, telemetryNumbers } from './series-tables.ts';

/** Maximum number of buckets of a response. */
const maxBuckets = 2000;
/** The radius of a place unless a request names one, in mm. */
const usualRadius = 100;

const bucketNames = Object.keys(bucketDurations) as BucketName[];

const functions = {
  avg: ({ total, readings }: Bucket) => total / readings,
  min: ({ minimum }: Bucket) => minimum,
  max: ({ maximum }: Bucket) => maximum,
  sum: ({ total }: Bucket) => total,
  count: ({ readings }: Bucket) => readings,
} as const;

type FunctionName = keyof typeof functions;

const functionNames = Object.keys(functions) as FunctionName[];

/** Returns the known ones of the names in a list. */
const functionsIn = (sent: string): FunctionName[] =>
  sent.split(',').flatMap((name) => functionNames.find((known) => known === name.trim()) ?? []);

const functionsProblem = (sent: string, name: string) =>
  new Set(functionsIn(sent)).size < sent.split(',').length
    ? fieldProblem(name, say.functions, functionNames.join(', '))
    : null;

const selectors = {
  source: oneOf('sensor_reading', 'telemetry').required(),
  pin: integer().range(0, 69).nullByDefault().describe('The pin, for `sensor_reading`.'),
  field: oneOf(...telemetryFields)
    .nullByDefault()
    .describe('The measurement, for `telemetry`.'),
};

const query = queryOf('SeriesSearch', {
  ...selectors,
  from: time().nullByDefault().describe('The start of the span; by default a day before `to`.'),
  to: time().nullByDefault().describe('The end of the span; by default now.'),
  bucket: oneOf('auto', ...bucketNames)
    .default('auto')
    .describe(`The duration of a bucket; \`auto\`: the shortest with at most ${maxBuckets} buckets.`),
  fn: text()
    .max(80, 'field')
    .check(functionsProblem)
    .default('avg,min,max,count')
    .describe('What is returned of each bucket.'),
  by: oneOf('place')
    .nullByDefault()
    .describe(
      `\`place\`: returns the values of \`sensor_reading\` by place, too, at most ${maxPlaces} places and ${maxPlaceBuckets} buckets of them.`,
    ),
  radius: float()
    .range(0, 10_000)
    .nullByDefault()
    .describe(`How far from a place, in mm, values belong to it; ${usualRadius} by default.`),
});

const span = queryOf('SeriesSpan', {
  ...selectors,
  from: time().required().describe('The start of the span: a full quarter of an hour in UTC.'),
  to: time().required().describe('The end of the span: a full quarter of an hour in UTC.'),
});

const optionalValues = Object.fromEntries(functionNames.map((name) => [name, Type.Optional(Type.Number())]));

const bucketList = Type.Array(Type.Object({ at: timeSchema, local: Type.String(), ...optionalValues }));

const coordinate = Type.Nullable(Type.Number());

const result = Type.Object(
  {
    bucket: Type.OneOf(bucketNames),
    timezone: Type.String(),
    buckets: bucketList,
    places: Type.Optional(
      Type.Array(Type.Object({ x: coordinate, y: coordinate, buckets: bucketList }), {
        description:
          'With `by=place`. A value belongs to the nearest place within the radius; otherwise it begins one, where it was measured. Null: values of which no place is kept.',
      }),
    ),
  },
  {
    $id: 'SeriesBuckets',
    description: 'Values in buckets of time; empty ones are left out. `at` is the start.',
    examples: [
      {
        bucket: '1d',
        timezone: 'Europe/Berlin',
        buckets: [
          {
            at: '2040-03-31T22:00:00.000Z',
            local: '2040-04-01T00:00:00+02:00',
            avg: 412.5,
            min: 390,
            max: 440,
            count: 12,
          },
        ],
      },
    ],
  },
);

type Selected = Pick<ReturnType<typeof query.parse>, 'source' | 'pin' | 'field'>;

/** Returns the number of the series. Throws 422. */
function numberOf({ source, pin, field }: Selected): number {
  if (source === 'sensor_reading') {
    if (pin === null) throw invalid({ pin: say.neededFor(labelOf('pin', labels.pin), 'sensor_reading') });
    return pin;
  }
  if (field === null) throw invalid({ field: say.neededFor(labelOf('field'), 'telemetry') });
  return telemetryNumbers[field];
}

const findSeries = (scope: DeviceScope, number: number): Promise<Series | undefined> =>
  scope.first(series, { where: { number } });

/** Returns the duration of buckets. Throws 422 if there would be too many, the ones with `from` and `to` included. */
function chooseBucket(sent: BucketName | 'auto', from: number, to: number, offsets: ZoneOffsets): BucketName {
  // Rounded: clocks may change within days.
  const countOf = (name: BucketName): number =>
    Math.round((endOfBucket(to, name, offsets) - startOfBucket(from, name, offsets)) / bucketDurations[name]);
  const fits = (name: BucketName): boolean =>
    (to - from) / bucketDurations[name] <= maxBuckets && countOf(name) <= maxBuckets;
  const name = sent === 'auto' ? bucketNames.find(fits) : sent;
  if (name !== undefined && fits(name)) return name;
  const failures: FieldFailures =
    name === undefined ? { to: say.manyDays(maxBuckets) } : { bucket: say.manyBuckets(maxBuckets) };
  throw invalid(failures);
}

/** Writes buckets as JSON. */
type BucketWriter = (buckets: readonly Bucket[]) => string;

function bucketWriter(names: readonly FunctionName[], offsets: ZoneOffsets): BucketWriter {
  const utc = new TimeFormat();
  // As text: objects of thousands of buckets take as long as reading them.
  return (buckets) => {
    let text = '[';
    let separator = '';
    for (const bucket of buckets) {
      text += `${separator}{"at":"${utc.timestamp(bucket.at)}","local":"${offsets.format(bucket.at)}"`;
      for (const each of names) text += `,"${each}":${functions[each](bucket)}`;
      text += '}';
      separator = ',';
    }
    return `${text}]`;
  };
}

const writePlaces = (places: readonly SeriesPlace[], write: BucketWriter): string =>
  `,"places":[${places.map(({ x, y, buckets }) => `{"x":${x},"y":${y},"buckets":${write(buckets)}}`).join(',')}]`;

/** Reads the places of a span. Throws 422 if there are too many, or too many buckets. */
async function placesOf(
  scope: DeviceScope,
  found: Series,
  span: Span,
  offsets: ZoneOffsets,
  radius: number,
): Promise<SeriesPlace[]> {
  return readPlaces(scope, found, span, offsets, radius).catch((error: unknown) => {
    if (!(error instanceof TooManyPlaces)) throw error;
    throw error.of === 'places'
      ? invalid({ radius: say.manyPlaces(maxPlaces) })
      : invalid({ bucket: say.manyPlaceBuckets(maxPlaceBuckets) });
  });
}

/** Throws 422 if places are asked of values that have none, or a radius of no place. */
function assertPlaces({ source, by, radius }: Pick<ReturnType<typeof query.parse>, 'source' | 'by' | 'radius'>): void {
  if (by !== null && source !== 'sensor_reading') throw invalid({ by: say.onlyFor(labelOf('by'), 'sensor_reading') });
  if (by === null && radius !== null) throw invalid({ radius: say.onlyFor(labelOf('radius'), 'by=place') });
}

async function show(scope: DeviceScope, call: Call) {
  const sent = query.parse(call);
  const number = numberOf(sent);
  assertPlaces(sent);
  const names = functionsIn(sent.fn);
  const to = sent.to === null ? scope.clock.now() : Date.parse(sent.to);
  const from = sent.from === null ? to - 86_400_000 : Date.parse(sent.from);
  if (to <= from) throw invalid({ to: say.after(labelOf('to'), labelOf('from')) });
  const [device, found] = await Promise.all([ownDevice(scope), findSeries(scope, number)]);
  const offsets = new ZoneOffsets(device.timezone ?? 'UTC');
  if (String(call.headers.accept ?? '').includes('text/csv'))
    return new StreamedReply(csvStream(scope, found?.id ?? null, from, to, offsets), 'text/csv', {
      headers: { 'content-disposition': 'attachment; filename="series.csv"' },
    });
  const name = chooseBucket(sent.bucket, from, to, offsets);
  const whole = { name, from: startOfBucket(from, name, offsets), to: endOfBucket(to, name, offsets) };
  const buckets = found ? await readBuckets(scope, found, whole, offsets) : [];
  const write = bucketWriter(names, offsets);
  const head = `{"bucket":"${name}","timezone":${JSON.stringify(offsets.zone)},"buckets":${write(buckets)}`;
  const places =
    sent.by === null
      ? ''
      : writePlaces(found ? await placesOf(scope, found, whole, offsets, sent.radius ?? usualRadius) : [], write);
  // As bytes, which are hashed, compressed and sent.
  return jsonReply(Buffer.from(`${head}${places}}`));
}

/** Readings that a step deletes, if they are of several quarters of an hour. */
const stepReadings = 500;

async function remove(scope: DeviceScope, call: Call) {
  const sent = span.parse(call);
  const number = numberOf(sent);
  const [from, to] = [Date.parse(sent.from), Date.parse(sent.to)];
  const failures: FieldFailures = {};
  if (from % quarterHour !== 0) failures.from = say.quarter(labelOf('from'));
  if (to % quarterHour !== 0) failures.to = say.quarter(labelOf('to'));
  else if (to <= from) failures.to = say.after(labelOf('to'), labelOf('from'));
  if (Object.keys(failures).length > 0) throw invalid(failures);
  const found = await findSeries(scope, number);
  let deleted = 0;
  for (let start = from; found && start < to; ) {
    const step = await scope.transaction(async (inner) => {
      const where = { series_id: found.id, at: { gte: start, lt: to } };
      const quarters = await inner.rows(seriesQuarters, { where, order: [['at', 'asc']], limit: 100 });
      let [readings, end] = [0, start];
      for (const quarter of quarters) {
        if (readings > 0 && readings + quarter.readings > stepReadings) break;
        readings += quarter.readings;
        end = quarter.at + quarterHour;
      }
      if (end > start) await deleteQuarters(inner, found.id, start, end);
      return { readings, end };
    });
    if (step.end === start) break;
    deleted += step.readings;
    start = step.end;
    // Requests that have arrived come first.
    await setImmediate();
  }
  return { deleted };
}

/** The series of sensor readings and telemetry. [ADR 53] */
export const seriesRoutes: DeviceRoute[] = deviceRoutes({ tag: 'Device', path: '/api/series', addition: true }, [
  {
    method: 'GET',
    summary: 'Show a series of sensor readings or telemetry',
    description: `Returns at most ${maxBuckets} buckets in the device's time zone, those that \`from\` and \`to\` are in included. With \`Accept: text/csv\`, streams the values of any span instead, with the columns \`${csvHead.trim()}\`. Values older than 30 days that are not in the lists any more are sums of quarters of an hour.`,
    query: query.schema,
    replies: { 200: result, 422: fieldFailuresSchema },
    streamedType: 'text/csv',
    handle: show,
  },
  {
    method: 'DELETE',
    transaction: false,
    summary: 'Delete a span of a series',
    description:
      'Deletes the values of the span, in small steps, and returns their number. The lists of readings and telemetry stay as they are.',
    query: span.schema,
    replies: {
      200: Type.Object({ deleted: Type.Integer() }, { examples: [{ deleted: 96 }] }),
      422: fieldFailuresSchema,
    },
    handle: remove,
  },
]);
