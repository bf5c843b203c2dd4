import { setImmediate } from 'node:timers/promises';
import type { ZoneOffsets } from '../core/local-day.ts';
import { startOfLocalDay } from '../core/local-day.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import { startOfQuarter } from './series-store.ts';
import type { Series } from './series-tables.ts';
import { quarterHour, seriesQuarters, seriesSamples } from './series-tables.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Durations of buckets in ms; those of days differ where clocks change. */
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
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** Maximum duration of a statement's span in ms: the database of this process answers one after the other. */
const maxSegment = 60 * day;
/** The same where samples are read, of which there may be many. */
const maxSampleSegment = 2 * hour;

/** Divides a span where the offset changes, at a full quarter of an hour, and where it is too long. */
export function segmentsOf(from: number, to: number, offsets: ZoneOffsets, maxLength = maxSegment): Segment[] {
  const segments: Segment[] = [];
  for (let start = from; start < to; ) {
    const offset = offsets.at(start);
    let end = Math.min(to, start + maxLength);
    // Steps of a week find each change; halving finds its quarter of an hour.
    for (let at = start; at < end; at = Math.min(end, at + 7 * day)) {
      const next = Math.min(end, at + 7 * day) - 1;
      if (offsets.at(next) === offset) continue;
      let [before, after] = [startOfQuarter(at), startOfQuarter(next) + quarterHour];
      while (after - before > quarterHour) {
        const middle = before + Math.floor((after - before) / (2 * quarterHour)) * quarterHour;
        if (offsets.at(middle) === offset) before = middle;
        else after = middle;
      }
      end = Math.min(end, after);
    }
    segments.push({ from: start, to: end, offset });
    start = end;
  }
  return segments;
}

/** Returns the start of the bucket of a time. */
export function startOfBucket(at: number, name: BucketName, offsets: ZoneOffsets): number {
  if (name === '1d') return startOfLocalDay(offsets.zone, at);
  const offset = offsets.at(at);
  return Math.floor((at + offset) / bucketDurations[name]) * bucketDurations[name] - offset;
}

/** Returns the start of the first bucket that begins at this time or later. */
export function endOfBucket(at: number, name: BucketName, offsets: ZoneOffsets): number {
  const start = startOfBucket(at, name, offsets);
  if (start === at) return at;
  // A day has up to 25 hours, and the one after it begins within another.
  return name === '1d' ? startOfBucket(start + 26 * hour, name, offsets) : start + bucketDurations[name];
}

const bucketsOf = (name: BucketName, offset: number, columns: readonly string[]): Selection<Bucket> => ({
  key: `${name} ${offset} ${columns.join()}`,
  expressions: [`(at + ${offset}) / ${bucketDurations[name]}`, ...columns],
  groupBy: '1',
  read: ([index, minimum, maximum, total, readings]) => ({
    at: Number(index) * bucketDurations[name],
    ...{ minimum: Number(minimum), maximum: Number(maximum), total: Number(total), readings: Number(readings) },
  }),
});

const quarterColumns = ['min(minimum)', 'max(maximum)', 'sum(total)', 'sum(readings)'];
const sampleColumns = ['min(value)', 'max(value)', 'sum(value)', 'count(*)'];

/** Returns the buckets of a span that have values. `from` and `to` are starts of buckets. */
export async function readBuckets(
  scope: DeviceScope,
  { id, compacted_until }: Series,
  span: { readonly from: number; readonly to: number; readonly name: BucketName },
  offsets: ZoneOffsets,
): Promise<Bucket[]> {
  const { from, to, name } = span;
  const buckets = new Map<number, Bucket>();
  const add = async (segment: Segment, ofSamples: boolean): Promise<void> => {
    const where = { series_id: id, at: { gte: segment.from, lt: segment.to } };
    const found = ofSamples
      ? await scope.select(seriesSamples, bucketsOf(name, segment.offset, sampleColumns), { where })
      : await scope.select(seriesQuarters, bucketsOf(name, segment.offset, quarterColumns), { where });
    for (const bucket of found) {
      // The key of a day is its date, because both segments of a day with a change belong to it.
      const key = name === '1d' ? bucket.at : bucket.at - segment.offset;
      const known = buckets.get(key);
      buckets.set(key, known ? merged(known, bucket) : { ...bucket, at: key });
    }
    await setImmediate();
  };
  // Sums of quarters are exact for all but minutes.
  const samplesFrom = name === '1m' ? Math.min(Math.max(from, compacted_until), to) : to;
  for (const segment of segmentsOf(from, samplesFrom, offsets)) await add(segment, false);
  for (const segment of segmentsOf(samplesFrom, to, offsets, maxSampleSegment)) await add(segment, true);
  const all = [...buckets.values()].sort((a, b) => a.at - b.at);
  if (name !== '1d') return all;
  return all.map((bucket) => ({
    ...bucket,
    at: startOfBucket(bucket.at + 12 * hour - offsets.at(bucket.at), name, offsets),
  }));
}

const merged = (one: Bucket, other: Bucket): Bucket => ({
  at: one.at,
  minimum: Math.min(one.minimum, other.minimum),
  maximum: Math.max(one.maximum, other.maximum),
  total: one.total + other.total,
  readings: one.readings + other.readings,
});
