import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { FieldFailures } from '../core/errors.ts';
import { invalid, throttled } from '../core/errors.ts';
import { FixedWindow } from '../core/fixed-window.ts';
import { plantStates } from '../core/garden-time.ts';
import { rateLimits } from '../core/rate-limit-table.ts';
import { climateOf, climates } from '../core/sowing-months.ts';
import { changeCursors, trimmed } from '../db/change-cursors.ts';
import { changeRows, shownChanges } from '../db/change-rows.ts';
import type { DeviceScope } from '../db/scope.ts';
import { only } from '../db/table.ts';
import { ownDevice } from '../device/devices.ts';
import { untagged } from '../engine/entity-tag.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { labelOf } from '../engine/field-label.ts';
import { time } from '../engine/fields.ts';
import { OptionalProperty, Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { queryOf } from '../engine/query.ts';
import type { ResourceRights } from '../engine/rights.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { jsonReply, requestOrigin } from '../engine/route.ts';
import { recordSchema } from '../engine/schemas.ts';
import type { CropSearch } from '../garden/crop-search.ts';
import { sensorReadings } from '../garden/sensor-readings.ts';
import { images } from '../photos/images.ts';
import { runs } from '../runs/run-records.ts';
import { countedEvents, DayCounts } from './day-counts.ts';
import { countDueRuns, countRecords, dueOn, maxPhotos, maxReadings, maxScheduled, recordsOf } from './day-records.ts';
import { countPoints, pointsAt, pointsBetween } from './garden-views.ts';
import type { LocalDays } from './local-days.ts';
import { daysIn } from './local-days.ts';
import { say } from './messages.ts';
import type { GardenHistory, PointHistories } from './point-histories.ts';
import { shownFields } from './shown-points.ts';
import { sowingWindows } from './sowing.ts';

const dayLength = 86_400_000;

/** How far the future is shown, in days: until the next autumn at least. */
const maxFuture = 550;

/** A span is divided into as many steps; of the changes of a point in one, the last one is shown. */
const steps = 1000;

/** States of points in a response. */
const maxStates = 20_000;

const query = queryOf('GardenTime', {
  at: time().nullByDefault().describe('A time; the present one without `from` and `to`.'),
  from: time().nullByDefault().describe('The start of a span; the beginning of the history by default.'),
  to: time().nullByDefault().describe(`The end of a span; ${maxFuture} days from now by default, and at most.`),
});

const pointAt = Type.Object(
  {
    ...shownFields,
    harvest: Type.Optional(
      Type.Nullable(
        Type.Object(
          { from: timeSchema, to: timeSchema },
          { description: 'When the plant can be harvested, by its crop; null: its date or its crop is not known.' },
        ),
      ),
    ),
    state: Type.Optional(
      Type.OneOf(plantStates, {
        description:
          '`planned`: before its date of planting, or without one; `ripe`: its harvest has begun. A plant leaves at the end of its harvest, if that is in the future.',
      }),
    ),
    spread: Type.Optional(Type.Number({ description: 'The diameter then, in mm.' })),
    height: Type.Optional(Type.Nullable(Type.Number({ description: 'The height then, in mm.' }))),
  },
  { description: 'A point at the time; `harvest`, `state`, `spread` and `height` are of plants.' },
);

const state = Type.Object(
  {
    since: timeSchema,
    removed: Type.Optional(Type.Boolean({ description: 'It is not there from then on.' })),
    ...Object.fromEntries(
      Object.entries(shownFields).map(([name, schema]) => [
        name,
        schema instanceof OptionalProperty ? schema : Type.Optional(schema),
      ]),
    ),
  },
  {
    description:
      'A point from a time on, at first from its creation. The first state has all members, later ones those that changed, or all.',
  },
);

const sowing = Type.Array(
  Type.Object({
    crop: Type.String({ description: 'The slug of the crop.' }),
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    indoors: Type.Boolean(),
  }),
  { description: 'When crops of the garden are sown; empty if the garden has no latitude.' },
);

const scheduled = Type.Object({
  farm_event_id: idSchema,
  sequence_id: idSchema,
  sequence_name: Type.String(),
  regimen_id: Type.Nullable(idSchema),
  at: timeSchema,
  runs: Type.Integer({ description: 'Runs on that day, the first one `at`.' }),
});

const common = {
  begins_at: timeSchema,
  ends_at: timeSchema,
  now: timeSchema,
  timezone: Type.String(),
  climate: Type.Nullable(Type.OneOf(climates, { description: 'By the latitude of the garden; null: it has none.' })),
  sowing,
};

const commonExample = {
  begins_at: '2040-03-01T09:12:00.000Z',
  ends_at: '2041-10-03T08:00:00.000Z',
  now: '2040-04-01T08:00:00.000Z',
  timezone: 'Europe/Paris',
  climate: 'temperate',
  sowing: [{ crop: 'beet', from: '2040-04-01', to: '2040-07-31', indoors: false }],
};
const examplePoint = {
  id: 7,
  pointer_type: 'Plant',
  name: 'Beet',
  x: 500,
  y: 300,
  z: 0,
  radius: 25,
  openfarm_slug: 'beet',
  plant_stage: 'planted',
  planted_at: '2040-04-01T08:00:00.000Z',
};
const harvest = { from: '2040-05-31T08:00:00.000Z', to: '2040-07-10T08:00:00.000Z' };

const view = Type.Object(
  {
    ...common,
    at: Type.Optional(timeSchema),
    from: Type.Optional(timeSchema),
    to: Type.Optional(timeSchema),
    step: Type.Optional(
      Type.Number({ description: 'Of the changes of a point within so many seconds only the last one is shown.' }),
    ),
    points: Type.Array({ oneOf: [pointAt, Type.Object({ id: idSchema, states: Type.Array(state) })] }),
    photos: Type.Optional(Type.Array(recordSchema(images), { description: `Of that day, the newest ${maxPhotos}.` })),
    readings: Type.Optional(
      Type.Array(recordSchema(sensorReadings), { description: `Of that day, the newest ${maxReadings}.` }),
    ),
    runs: Type.Optional(
      Type.Array(recordSchema(runs), { description: 'Runs over several places that began on that day.' }),
    ),
    scheduled: Type.Optional(
      Type.Array(scheduled, {
        description: `The runs that were due on that day by the schedule as it was, and those that will be, the earliest ${maxScheduled} series.`,
      }),
    ),
    days: Type.Optional(
      Type.Array(
        Type.Object({
          date: Type.String({ format: 'date' }),
          ...Object.fromEntries(
            Object.entries(countedEvents).map(([name, description]) => [
              name,
              Type.Optional(Type.Integer({ description })),
            ]),
          ),
        }),
        { description: 'The days on which something happens, with counts.' },
      ),
    ),
  },
  {
    $id: 'GardenAtTime',
    description:
      'With `at`: the points at that time, and the records of its day. With `from` and `to`: the states of the points in the span, and what happens on its days.',
    examples: [
      {
        ...commonExample,
        at: '2040-05-01T08:00:00.000Z',
        points: [{ ...examplePoint, harvest, state: 'growing', spread: 83, height: 146 }],
        photos: [],
        readings: [],
        runs: [],
        scheduled: [],
      },
      {
        ...commonExample,
        from: '2040-03-01T09:12:00.000Z',
        to: '2041-10-03T08:00:00.000Z',
        step: 50_112,
        points: [
          {
            id: 7,
            states: [
              { since: '2040-04-01T08:00:00.000Z', ...examplePoint },
              { since: '2040-04-20T08:00:00.000Z', x: 550 },
            ],
          },
        ],
        days: [{ date: '2040-04-01', planted: 1 }],
      },
    ],
  },
);

export interface TimelineServices {
  readonly clock: Clock;
  readonly rights: ResourceRights;
  readonly histories: PointHistories;
  readonly crops: () => Promise<CropSearch>;
  /** Whether requests are limited. */
  readonly isLimited: boolean;
}

const logged = only(changeRows, 'device_id', 'byte_size');

/** Returns when the history of a garden begins, in ms: with its oldest change, or now without one; with its oldest point if nothing of the log was deleted. [ADR 133] */
async function beginOf(scope: DeviceScope, { oldest: oldestPoint }: GardenHistory, now: number): Promise<number> {
  const oldest = await scope.first(logged, { where: shownChanges, order: [['id', 'asc']] });
  if (!oldest) return now;
  const isWhole = (await scope.count(changeCursors, { where: { reader: trimmed } })) === 0;
  return Math.min(now, Date.parse(oldest.created_at), isWhole ? oldestPoint : now);
}

/** The times between which a garden is shown, in ms. */
interface Bounds {
  readonly begin: number;
  readonly now: number;
  readonly end: number;
}

/** Returns the problem of a time, by its name. */
function problemOf(name: string, at: number, { begin, end }: Bounds): FieldFailures {
  if (at < begin) return { [name]: say.early(labelOf(name), timestamp(begin)) };
  return at > end ? { [name]: say.late(labelOf(name), timestamp(end)) } : {};
}

/** Parses the time or the span of a request. Throws 422. */
function parseTimes(call: Call, bounds: Bounds) {
  const sent = query.parse(call);
  if (sent.from === null && sent.to === null) {
    const at = sent.at === null ? bounds.now : Date.parse(sent.at);
    const failures = problemOf('at', at, bounds);
    if (Object.keys(failures).length > 0) throw invalid(failures);
    return { at };
  }
  if (sent.at !== null) throw invalid({ at: say.oneForm });
  const from = sent.from === null ? bounds.begin : Date.parse(sent.from);
  const to = sent.to === null ? bounds.end : Date.parse(sent.to);
  const failures = { ...problemOf('from', from, bounds), ...problemOf('to', to, bounds) };
  if (to <= from) failures.to ??= say.after(labelOf('to'), labelOf('from'));
  if (Object.keys(failures).length > 0) throw invalid(failures);
  return { from, to };
}

/** Returns the crops that the plants of a garden have or had and the catalog has, in the order of their slugs. */
const cropsOf = (history: GardenHistory, catalog: CropSearch) =>
  [...history.crops].sort().flatMap((slug) => catalog.get(slug) ?? []);

/** As how many requests the reading of the whole log counts: of a large garden it takes seconds. */
const wholeLog = 40;

/** The garden at any time. [ADR 132] */
export function timelineRoutes({ clock, rights, histories, crops, isLimited }: TimelineServices): DeviceRoute[] {
  const { limit, period } = rateLimits.gardenTimes;
  const window = new FixedWindow(limit, period);

  function consume({ deviceId }: DeviceScope, { isLocal }: Call, hits = 1): void {
    const now = clock.now();
    if (isLimited && !isLocal && !window.consume(String(deviceId), now, hits))
      throw throttled(window.wait(now), say.tooMany(limit));
  }

  async function show(scope: DeviceScope, call: Call) {
    consume(scope, call);
    const now = scope.clock.now();
    const [device, history, catalog] = [
      await ownDevice(scope),
      await histories.of(scope, () => consume(scope, call, wholeLog)),
      await crops(),
    ];
    const bounds: Bounds = {
      begin: await beginOf(scope, history, now),
      now,
      end: now + maxFuture * dayLength,
    };
    const times = parseTimes(call, bounds);
    const days = daysIn(device.timezone ?? 'UTC');
    const mayRead = rights.readable(call.session.rights);
    const [from, to] = 'at' in times ? [times.at, times.at] : [times.from, times.to];
    const dates = [days.date(days.of(from)), days.date(days.of(to))] as const;
    const head = JSON.stringify({
      begins_at: timestamp(bounds.begin),
      ends_at: timestamp(bounds.end),
      now: timestamp(now),
      timezone: device.timezone ?? 'UTC',
      climate: climateOf(device.lat),
      sowing: sowingWindows(cropsOf(history, catalog), device.lat, ...dates),
      ...Object.fromEntries(Object.entries(times).map(([name, at]) => [name, timestamp(at)])),
    }).slice(0, -1);
    const rest =
      'at' in times
        ? await partsAt(scope, call, { history, at: times.at, now, days, mayRead })
        : await partsBetween(scope, { history, span: times, days, mayRead });
    // As bytes, which are compressed and sent.
    return jsonReply(Buffer.from(`${head},${rest}}`));
  }

  return [
    {
      access: 'token',
      tag: 'Garden',
      method: 'GET',
      path: '/api/garden',
      addition: true,
      untagged: untagged.momentary,
      summary: 'Show the garden at any time',
      description: `Returns the garden as it was or will be, \`at\` a time or in a span. The past is known from the change log, from \`begins_at\` on: where points were, which there were. In the future plants grow by their curves, or else by the figures of their crop, planned ones are planted on their date, and plants leave at the end of their harvest. Photos, readings, runs and the schedule are included where you may read them. In a span, changes of a point within a ${steps}th of it count as one, or within a larger part if there are more than ${maxStates}; curves are those of today. Times before the log, or more than ${maxFuture} days ahead, get 422 under their name.`,
      query: query.schema,
      replies: { 200: view, 422: fieldFailuresSchema },
      handle: show,
    },
  ];
}

interface Parts {
  readonly history: GardenHistory;
  readonly days: LocalDays;
  readonly mayRead: (resource: string) => boolean;
}

/** Returns the members of a response for a time. */
async function partsAt(
  scope: DeviceScope,
  call: Call,
  { history, at, now, days, mayRead }: Parts & { readonly at: number; readonly now: number },
): Promise<string> {
  const day = days.of(at);
  const span = { from: days.start(day), to: days.start(day + 1) };
  const { photos, readings, runs: ran } = await recordsOf(scope, span, mayRead, requestOrigin(call));
  const due = mayRead('FarmEvent') ? await dueOn(scope, span) : [];
  const points = pointsAt(history, at, now);
  return `"points":${points},"photos":${photos},"readings":${readings},"runs":${ran},"scheduled":${JSON.stringify(due)}`;
}

/** Returns the members of a response for a span. Throws 422. */
async function partsBetween(
  scope: DeviceScope,
  { history, span, days, mayRead }: Parts & { readonly span: { readonly from: number; readonly to: number } },
): Promise<string> {
  const { from, to } = span;
  const counts = new DayCounts(days, from, to);
  countPoints(history, counts);
  await countRecords(scope, span, mayRead, counts);
  if (mayRead('FarmEvent')) await countDueRuns(scope, span, counts);
  const { json, step } = pointsBetween(history, span, (to - from) / steps, maxStates);
  return `"step":${step / 1000},"points":${json},"days":${JSON.stringify(counts.list())}`;
}
