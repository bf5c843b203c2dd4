import type { AccountsOffer } from '../accounts/offer.ts';
import { notFound } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import { FixedContent } from '../engine/fixed-content.ts';
import { Type } from '../engine/json-schema.ts';
import { timeSchema } from '../engine/kinds.ts';
import type { Call, DeviceRoute, PublicRoute } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import { deleteFeed, feedOfSecret, ownFeed, renewFeed } from './calendar-feeds.ts';
import { farmEvents } from './farm-events.ts';
import type { CalendarEvent } from './icalendar.ts';
import { calendarText } from './icalendar.ts';
import type { RunSeries, Schedule } from './schedule.ts';
import { readSchedule, runsIn } from './schedule.ts';

const day = 86_400_000;

/** Maximum number of events in a feed. */
const maxEvents = 5000;

/** Age from which single runs are omitted, in ms. */
const keptTime = 30 * day;

/** A rule of repetition for intervals of whole days. Google's calendar ignores shorter ones. */
const ruleOf = ({ interval, count }: RunSeries): string =>
  interval % (7 * day) === 0
    ? `FREQ=WEEKLY;INTERVAL=${interval / (7 * day)};COUNT=${count}`
    : `FREQ=DAILY;INTERVAL=${interval / day};COUNT=${count}`;

/** Yields the events of a feed: one with a rule where the repetition allows it, else one for each run since `from` (ms). */
function* feedEvents(runs: RunSeries, deviceId: number, from: number): Generator<CalendarEvent> {
  const { farmEventId, sequence, regimen, start, interval, count } = runs;
  const key = regimen ? `farm-event-${farmEventId}-item-${regimen.itemId}` : `farm-event-${farmEventId}`;
  const common = {
    summary: regimen ? `${regimen.name}: ${sequence.name}` : sequence.name,
    // A run takes a minute of the calendar: how long a program takes is not known.
    duration: 'PT1M',
    changed: Date.parse(runs.updatedAt),
  } as const;
  const uid = (part: string): string => `${key}${part}.device-${deviceId}@potager`;
  if (count > 1 && interval % day === 0) {
    yield { ...common, uid: uid(''), start, rule: ruleOf(runs) };
    return;
  }
  const { first, count: left } = runsIn(runs, from, Number.POSITIVE_INFINITY);
  for (let index = 0; index < left; index++) {
    const at = first + index * interval;
    yield { ...common, uid: uid(count > 1 ? `-${(at - start) / interval}` : ''), start: at, rule: null };
  }
}

/** Returns the first items, at most `count`. */
function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === count) break;
    first.push(item);
  }
  return first;
}

/** Yields the events of all runs since `from` (ms), at most `share` of each. */
function* eventsSince(schedule: Schedule, deviceId: number, from: number, share: number): Generator<CalendarEvent> {
  for (const runs of schedule.runs()) yield* firstOf(feedEvents(runs, deviceId, from), share);
}

function eventsOfFeed(schedule: Schedule, deviceId: number, now: number): CalendarEvent[] {
  // A whole day, so that the text, and with it the entity tag, changes once a day only.
  const today = Math.floor(now / day) * day;
  const events = firstOf(eventsSince(schedule, deviceId, today - keptTime, maxEvents), maxEvents + 1);
  if (events.length <= maxEvents) return events;
  // Of too many, the next ones of each, so that none is missing.
  let count = 0;
  for (const _ of schedule.runs()) count++;
  const share = Math.max(1, Math.floor(maxEvents / count));
  return firstOf(eventsSince(schedule, deviceId, today, share), maxEvents);
}

const path = '/api/calendar_feed';
const example = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Potager//Calendar feed//EN\r\nEND:VCALENDAR\r\n';
const contentType = 'text/calendar; charset=utf-8';

const common = { access: 'token', tag: farmEvents.options.tag, addition: true } as const;

const state = Type.Object(
  { created_at: Type.Nullable(timeSchema) },
  {
    $id: 'CalendarFeed',
    description: 'When the address of the calendar was created; null: there is none.',
    examples: [{ created_at: '2040-04-01T06:00:00.000Z' }],
  },
);

const created = Type.Object(
  { url: Type.String(), created_at: timeSchema },
  {
    $id: 'NewCalendarFeed',
    description: 'The secret address of a calendar, which is shown only once.',
    examples: [
      {
        url: 'http://localhost:3000/api/calendar_feed/9n8Xb3Tq0LJ5oyWmE2cVhsKf7aRdPzUg.ics',
        created_at: '2040-04-01T06:00:00.000Z',
      },
    ],
  },
);

/** The calendar feed: a secret address for programs that read calendars. [ADR 61] */
export const calendarFeedRoutes: DeviceRoute[] = [
  {
    ...common,
    method: 'GET',
    path,
    personal: true,
    summary: 'Show whether there is a calendar feed',
    description: 'Returns when your secret address of this garden’s calendar was created. The address is not stored.',
    replies: { 200: state },
    async handle(scope, call) {
      return { created_at: (await ownFeed(scope, call.session.userId))?.created_at ?? null };
    },
  },
  {
    ...common,
    method: 'POST',
    path,
    role: 'viewer',
    needsSession: true,
    summary: 'Make the secret address of the calendar',
    description:
      'Returns an address from which calendars (Thunderbird, Google, iOS) read the farm events without a token. Your earlier address for this garden stops working. It lasts until you renew or delete it, or leave the garden.',
    body: { rule: 'optional', schema: Type.Object({}) },
    replies: { 200: created },
    async handle(scope, call) {
      const { feed, secret } = await renewFeed(scope, call.session.userId);
      const origin = `${call.isSecure ? 'https' : 'http'}://${call.host}`;
      return { url: `${origin}${path}/${secret}.ics`, created_at: feed.created_at };
    },
  },
  {
    ...common,
    method: 'DELETE',
    path,
    role: 'viewer',
    needsSession: true,
    summary: 'End the calendar feed',
    description: 'Ends your secret address of this garden’s calendar. Without one, nothing happens.',
    replies: { 200: 'empty' },
    async handle(scope, call) {
      await deleteFeed(scope, call.session.userId);
      return emptyReply;
    },
  },
];

/** `GET /api/calendar_feed/…`: the calendar, for clients that know its address. */
export const calendarRoute = (accounts: AccountsOffer): PublicRoute => ({
  access: 'public',
  tag: farmEvents.options.tag,
  addition: true,
  method: 'GET',
  path: `${path}/:file`,
  rateLimit: 'feed',
  summary: 'Read the calendar',
  description:
    'Returns the farm events as iCalendar (RFC 5545), all times in UTC: one event with a rule of repetition where it repeats in whole days, else an event for each run, and one for each item of a regimen. The secret in the address replaces a token.',
  params: Type.Object({ file: Type.String({ description: 'The secret, followed by `.ics`.' }) }),
  replies: { 200: 'text', 304: 'empty' },
  streamedType: 'text/calendar',
  textExamples: { 200: example },
  handle: async (server, call) => readFeed(server, call, accounts),
});

async function readFeed(server: ServerScope, call: Call, { isMember }: AccountsOffer) {
  const [, secret] = /^([\w-]{32})\.ics$/.exec(call.params.file ?? '') ?? [];
  const feed = secret === undefined ? undefined : await feedOfSecret(server, secret);
  if (!feed || !(await isMember(server, feed.user_id, feed.device_id))) throw notFound('Calendar');
  const schedule = await readSchedule(server.device(feed.device_id));
  const events = eventsOfFeed(schedule, feed.device_id, server.clock.now());
  const text = calendarText(schedule.deviceName, schedule.zone, events);
  const headers = { 'cache-control': 'private, no-cache' };
  return new FixedContent(text, contentType, headers).reply(call);
}
