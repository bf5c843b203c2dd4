import { setImmediate } from 'node:timers/promises';
import type { ZoneOffsets } from '../core/local-day.ts';
import { startOfLocalDay } from '../core/local-day.ts';
import type { DeviceScope, NumberColumn, Selection } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import type { Table } from '../db/table.ts';
import { combined, sumsAt } from './series-store.ts';
import type { Series } from './series-tables.ts';
import { quarterHour, seriesQuarters, seriesSamples } from './series-tables.ts';

/** Rows that a statement reads: the database of this process answers one after the other. */
const pageSize = 4000;

/** The beginning of a page: the first row of a time, or the next one after a row of it. */
export interface PagePosition {
  readonly at: number;
  readonly after?: number;
}

/** Rows of a series, by column. */
interface SeriesPage {
  /** Times in ms. */
  readonly at: NumberColumn;
  readonly values: readonly NumberColumn[];
  /** The beginning of the next page; null: this is the last one. */
  readonly next: PagePosition | null;
}

interface PageSpan {
  /** The id of the series. */
  readonly id: number;
  readonly from: PagePosition;
  readonly to: number;
}

/** Reads columns of a page of a series by time, from a position until before `to` (ms). */
export async function readPage(
  scope: DeviceScope,
  table: Table<{ id: number; series_id: number; at: number }, 'device'>,
  columns: readonly string[],
  { id, from, to }: PageSpan,
): Promise<SeriesPage> {
  const [at = [], ids = [], ...values] = await scope.numbers(table, ['at', 'id', ...columns], {
    where: { series_id: id, at: { gte: from.at, lt: to } },
    ...(from.after !== undefined && { and: sql`(at > ${from.at} or id > ${from.after})` }),
    order: [
      ['at', 'asc'],
      ['id', 'asc'],
    ],
    limit: pageSize,
  });
  if (at.length < pageSize) return { at, values, next: null };
  // Requests that have arrived come first.
  await setImmediate();
  return { at, values, next: { at: Number(at.at(-1)), after: Number(ids.at(-1)) } };
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Durations of buckets in ms; days differ where clocks change. */
export const bucketDurations = { '1m': minute, '15m': quarterHour, '1h': hour, '1d': day } as const;

export type BucketName = keyof typeof bucketDurations;

/** Values of a span of time. */
export interface Bucket {
  /** The start in ms since the epoch. */
  readonly at: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly total: number;
  readonly readings: number;
}

/** A span with one offset from UTC. In ms. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** Divides a span at changes of the offset, at a full quarter of an hour, and into parts of at most `maxLength` (ms). */
export function segmentsOf(from: number, to: number, offsets: ZoneOffsets, maxLength: number): Segment[] {
  const segments: Segment[] = [];
  for (let start = from; start < to; ) {
    const offset = offsets.at(start);
    const limit = Math.min(to, start + maxLength);
    let end = start;
    while (end < limit && offsets.at(end) === offset) end = offsets.intervalAt(end).to;
    end = Math.min(end, limit);
    segments.push({ from: start, to: end, offset });
    start = end;
  }
  return segments;
}

/** Returns the bounds of the bucket of a time. Clocks that change by less than its duration cut it: clocks of Lord Howe change by half an hour. */
function bucketOf(at: number, name: Exclude<BucketName, '1d'>, offsets: ZoneOffsets): { start: number; end: number } {
  const duration = bucketDurations[name];
  const offset = offsets.at(at);
  let start = Math.floor((at + offset) / duration) * duration - offset;
  let end = start + duration;
  // Clocks change at full quarters of an hour.
  while (offsets.at(start) !== offset) start += quarterHour;
  while (offsets.at(end - 1) !== offset) end -= quarterHour;
  return { start, end };
}

/** Returns the start of the bucket of a time. */
export const startOfBucket = (at: number, name: BucketName, offsets: ZoneOffsets): number =>
  name === '1d' ? startOfLocalDay(offsets.zone, at) : bucketOf(at, name, offsets).start;

/** Returns the start of the first bucket that begins at this time or later. */
export function endOfBucket(at: number, name: BucketName, offsets: ZoneOffsets): number {
  const start = startOfBucket(at, name, offsets);
  if (start === at) return at;
  // A day has up to 25 hours, and the one after it begins within another.
  return name === '1d' ? startOfBucket(start + 26 * hour, name, offsets) : bucketOf(at, name, offsets).end;
}

const quartersOf = (name: BucketName, offset: number): Selection<Bucket> => ({
  key: `${name} ${offset}`,
  expressions: [
    `(at + ${offset}) / ${bucketDurations[name]}`,
    ...['min(minimum)', 'max(maximum)', 'sum(total)', 'sum(readings)'],
  ],
  groupBy: '1',
  isLarge: true,
  read: ([index, ...values]) => sumsAt(Number(index) * bucketDurations[name], ...values),
});

export interface Span {
  readonly from: number;
  readonly to: number;
  readonly name: BucketName;
}

/** Returns the buckets of a span that have values, calculated from sums of quarters. */
export async function readQuarters(
  scope: DeviceScope,
  id: number,
  span: Span,
  offsets: ZoneOffsets,
): Promise<Bucket[]> {
  const { from, to, name } = span;
  // By local time, because both segments of a day with a change belong to it.
  const buckets = new Map<number, Bucket>();
  for (const segment of segmentsOf(from, to, offsets, scope.rowsPerStatement * quarterHour)) {
    const where = { series_id: id, at: { gte: segment.from, lt: segment.to } };
    for (const bucket of await scope.select(seriesQuarters, quartersOf(name, segment.offset), { where })) {
      const at = startOf(bucket.at, name, segment, offsets);
      const key = name === '1d' ? bucket.at : at;
      const known = buckets.get(key);
      buckets.set(key, known ? combined(known, bucket) : { ...bucket, at });
    }
    await setImmediate();
  }
  return [...buckets.values()].sort((a, b) => a.at - b.at);
}

/** Returns the beginning of a bucket of a segment. `local`: the local time of it, as if it were UTC. */
function startOf(local: number, name: BucketName, segment: Segment, offsets: ZoneOffsets): number {
  const start = local - segment.offset;
  // The tz database is asked only where clocks may have changed since the midnight before, or within the bucket: that is slow.
  if (name !== '1d') return start >= segment.from ? start : startOfBucket(segment.from, name, offsets);
  if (start - day >= segment.from) return start;
  return startOfBucket(local + 12 * hour - offsets.at(local), name, offsets);
}

/** Returns a function that finds the start of the bucket of a time (ms) in a segment. */
export function bucketStarts(name: BucketName, segment: Segment, offsets: ZoneOffsets): (at: number) => number {
  const duration = bucketDurations[name];
  const known = new Map<number, number>();
  return (at) => {
    const local = Math.floor((at + segment.offset) / duration) * duration;
    const start = known.get(local) ?? startOf(local, name, segment, offsets);
    known.set(local, start);
    return start;
  };
}

/** Returns the minutes of a span that have samples. */
async function readMinutes(scope: DeviceScope, id: number, from: number, to: number): Promise<Bucket[]> {
  const buckets: Bucket[] = [];
  for (let position: PagePosition | null = { at: from }; position && position.at < to; ) {
    const page: SeriesPage = await readPage(scope, seriesSamples, ['value'], { id, from: position, to });
    for (const [row, time] of page.at.entries()) {
      const at = Math.floor(Number(time) / minute) * minute;
      const value = Number(page.values[0]?.[row]);
      const sample = { at, minimum: value, maximum: value, total: value, readings: 1 };
      const last = buckets.at(-1);
      if (last?.at === at) buckets[buckets.length - 1] = combined(last, sample);
      else buckets.push(sample);
    }
    position = page.next;
  }
  return buckets;
}

/** Returns the buckets of a span that have values. `from` and `to` are starts of buckets. */
export async function readBuckets(
  scope: DeviceScope,
  { id, compacted_until }: Series,
  span: Span,
  offsets: ZoneOffsets,
): Promise<Bucket[]> {
  const { from, to, name } = span;
  // Sums of quarters are exact for all but minutes.
  if (name !== '1m') return readQuarters(scope, id, span, offsets);
  const samplesFrom = Math.min(Math.max(from, compacted_until), to);
  const quarters = await readQuarters(scope, id, { from, to: samplesFrom, name }, offsets);
  return [...quarters, ...(await readMinutes(scope, id, samplesFrom, to))];
}
