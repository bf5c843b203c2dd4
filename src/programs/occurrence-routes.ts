import { timestamp } from '../core/clock.ts';
import { invalid } from '../core/errors.ts';
import { ZoneOffsets } from '../core/local-day.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { labelOf } from '../engine/field-label.ts';
import { time } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { queryOf } from '../engine/query.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { farmEvents } from './farm-events.ts';
import { say } from './messages.ts';
import { pastOccurrences } from './past-occurrences.ts';
import type { Occurrence } from './schedule.ts';
import { occurrencesBetween, readSchedule } from './schedule.ts';

/** Maximum number of occurrences in a response. */
const maxOccurrences = 5000;

/** Maximum span of a request, in days. */
const maxDays = 366;

const query = queryOf('OccurrenceSearch', {
  from: time().required().describe('The start of the span.'),
  to: time().required().describe(`The end of the span, which is not part of it; at most ${maxDays} days later.`),
});

/** Schemas of the regimen's fields, which are null for a sequence that a farm event runs itself. */
const ofRegimen = { id: Type.Nullable(idSchema), name: Type.Nullable(Type.String()) };

const occurrence = Type.Object(
  {
    farm_event_id: idSchema,
    sequence_id: idSchema,
    sequence_name: Type.String(),
    regimen_id: ofRegimen.id,
    regimen_name: ofRegimen.name,
    regimen_item_id: ofRegimen.id,
    at: timeSchema,
    local: Type.String({ description: "The wall-clock time in the device's time zone, with its offset from UTC." }),
  },
  {
    $id: 'Occurrence',
    description: 'One run of a sequence, which a farm event or an item of its regimen causes.',
    examples: [
      {
        farm_event_id: 3,
        sequence_id: 12,
        sequence_name: 'Water the beets',
        regimen_id: null,
        regimen_name: null,
        regimen_item_id: null,
        at: '2040-04-01T06:00:00.000Z',
        local: '2040-04-01T08:00:00+02:00',
      },
    ],
  },
);

interface FoundRuns {
  readonly zone: string;
  /** Null: too many. */
  readonly found: readonly Occurrence[] | null;
}

/** Answers a search for runs. Throws 422. */
async function search(call: Call, read: (from: number, to: number) => Promise<FoundRuns>) {
  const sent = query.parse(call);
  const [from, to] = [Date.parse(sent.from), Date.parse(sent.to)];
  if (to <= from) throw invalid({ to: say.after(labelOf('to'), labelOf('from')) });
  if (to - from > maxDays * 86_400_000) throw invalid({ to: say.longSpan(maxDays) });
  const { zone, found } = await read(from, to);
  if (!found) throw invalid({ to: say.manyOccurrences(maxOccurrences) });
  const offsets = new ZoneOffsets(zone);
  return found.map(({ runs, at }) => ({
    farm_event_id: runs.farmEventId,
    sequence_id: runs.sequence.id,
    sequence_name: runs.sequence.name,
    regimen_id: runs.regimen?.id ?? null,
    regimen_name: runs.regimen?.name ?? null,
    regimen_item_id: runs.regimen?.itemId ?? null,
    at: timestamp(at),
    local: offsets.format(at),
  }));
}

const common = {
  access: 'token',
  tag: farmEvents.options.tag,
  addition: true,
  method: 'GET',
  query: query.schema,
  replies: { 200: Type.Array(occurrence), 422: fieldFailuresSchema },
} as const;

/** `GET /api/farm_events/occurrences`: the calendar, expanded. */
const occurrencesRoute: DeviceRoute = {
  ...common,
  path: '/api/farm_events/occurrences',
  summary: 'List when sequences run',
  description: `Returns the runs that the farm events cause in a span of at most ${maxDays} days, the earliest first, one for each item of a regimen. A repeating event adds fixed durations, as robots do: 30 days for a month, 365 for a year, without regard to daylight saving. 422 if there are more than ${maxOccurrences}.`,
  handle: (scope, call) =>
    search(call, async (from, to) => {
      const schedule = await readSchedule(scope);
      return { zone: schedule.zone, found: await occurrencesBetween(schedule, from, to, maxOccurrences) };
    }),
};

/** `GET /api/farm_events/occurrences/past`: the calendar as it was. */
const pastOccurrencesRoute: DeviceRoute = {
  ...common,
  path: '/api/farm_events/occurrences/past',
  summary: 'List when sequences were due',
  description: `Returns the runs that were due in a span of at most ${maxDays} days, until now: by the farm events as they were then, as far as the history reaches, and also those that have ended or were deleted since. Whether the robot ran them is in its logs. Sequences and regimens that were deleted are left out. 422 if there are more than ${maxOccurrences}.`,
  handle: (scope, call) => search(call, (from, to) => pastOccurrences(scope, from, to, maxOccurrences)),
};

export const occurrenceRoutes = [occurrencesRoute, pastOccurrencesRoute];
