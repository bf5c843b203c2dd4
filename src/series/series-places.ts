import type { ZoneOffsets } from '../core/local-day.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Bucket, PagePosition, Span } from './series-query.ts';
import { bucketStarts, merged, readPage, readQuarters, segmentsOf } from './series-query.ts';
import type { Series } from './series-tables.ts';
import { seriesSamples } from './series-tables.ts';

/** Maximum number of places of a response. */
export const maxPlaces = 200;

/** The values of a place. */
export interface SeriesPlace {
  /** Where its first value was measured, in mm; null: values of which no place is kept. */
  readonly x: number | null;
  readonly y: number | null;
  readonly buckets: readonly Bucket[];
}

/** A place while its values are read. */
interface Collected {
  readonly x: number | null;
  readonly y: number | null;
  /** By the start. */
  readonly buckets: Map<number, Bucket>;
}

/** Thrown when there are more places than {@link maxPlaces}. */
export class TooManyPlaces extends Error {}

/** Finds the places of values: a value belongs to the nearest place within the radius, or begins one. */
class Places {
  readonly #radius: number;
  readonly #known: Collected[] = [];
  readonly #unknown: Collected = { x: null, y: null, buckets: new Map() };

  /** `radius`: in mm. */
  constructor(radius: number) {
    this.#radius = radius;
  }

  /** Adds a bucket to the place of its values. Throws {@link TooManyPlaces}. */
  add(x: number | null, y: number | null, bucket: Bucket): void {
    const { buckets } = x === null || y === null ? this.#unknown : this.#placeAt(x, y);
    const before = buckets.get(bucket.at);
    buckets.set(bucket.at, before ? merged(before, bucket) : bucket);
  }

  #placeAt(x: number, y: number): Collected {
    let nearest: Collected | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const place of this.#known) {
      const distance = Math.hypot(Number(place.x) - x, Number(place.y) - y);
      if (distance < least) [nearest, least] = [place, distance];
    }
    if (nearest !== null && least <= this.#radius) return nearest;
    if (this.#known.length === maxPlaces) throw new TooManyPlaces();
    const added = { x, y, buckets: new Map() };
    this.#known.push(added);
    return added;
  }

  /** Returns the places by x and y, the values without a place last. */
  get sorted(): SeriesPlace[] {
    const places = this.#known.toSorted(
      (one, other) => Number(one.x) - Number(other.x) || Number(one.y) - Number(other.y),
    );
    if (this.#unknown.buckets.size > 0) places.push(this.#unknown);
    return places.map((place) => ({ ...place, buckets: [...place.buckets.values()].sort((a, b) => a.at - b.at) }));
  }
}

/** Returns the values of a span by place. `radius`: in mm. Sums of quarters of an hour have no places. Throws {@link TooManyPlaces}. */
export async function readPlaces(
  scope: DeviceScope,
  { id, compacted_until }: Series,
  { from, to, name }: Span,
  offsets: ZoneOffsets,
  radius: number,
): Promise<SeriesPlace[]> {
  const places = new Places(radius);
  const samplesFrom = Math.min(Math.max(from, compacted_until), to);
  for (const bucket of await readQuarters(scope, id, { from, to: samplesFrom, name }, offsets))
    places.add(null, null, bucket);
  for (const segment of segmentsOf(samplesFrom, to, offsets, to - samplesFrom)) {
    const startOf = bucketStarts(name, segment, offsets);
    for (let position: PagePosition | null = { at: segment.from }; position; ) {
      const span = { id, from: position, to: segment.to };
      const page = await readPage(scope, seriesSamples, ['value', 'x', 'y'], span);
      const [values = [], xs = [], ys = []] = page.values;
      for (const [row, time] of page.at.entries()) {
        const value = Number(values[row]);
        const bucket = { at: startOf(Number(time)), minimum: value, maximum: value, total: value, readings: 1 };
        places.add(xs[row] ?? null, ys[row] ?? null, bucket);
      }
      position = page.next;
    }
  }
  return places.sorted;
}
