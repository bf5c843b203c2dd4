import type { ZoneOffsets } from '../core/local-day.ts';
import { Slices, yieldToRequests } from '../core/request-pause.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Bucket, PagePosition, Span } from './series-query.ts';
import { bucketStarts, readPage, readQuarters, segmentsOf } from './series-query.ts';
import { combined } from './series-store.ts';
import type { Series } from './series-tables.ts';
import { seriesSamples } from './series-tables.ts';

/** Maximum numbers of places, and of the buckets of all places, of a response. */
export const maxPlaces = 200;
export const maxPlaceBuckets = 20_000;

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

/** Thrown when there are more places than {@link maxPlaces}, or more buckets than {@link maxPlaceBuckets}. */
export class TooManyPlaces extends Error {
  readonly of: 'places' | 'buckets';
  constructor(of: 'places' | 'buckets') {
    super(`too many ${of}`);
    this.of = of;
  }
}

/** Rows between two looks at the clock. */
const rowsPerLook = 100;

/** Finds the places of values: a value belongs to the nearest place within the radius, or begins one. */
class Places {
  readonly #radius: number;
  readonly #known: Collected[] = [];
  readonly #unknown: Collected = { x: null, y: null, buckets: new Map() };
  #buckets = 0;

  /** `radius`: in mm. */
  constructor(radius: number) {
    this.#radius = radius;
  }

  /** Adds a bucket to the place of its values. Throws {@link TooManyPlaces}. */
  add(x: number | null, y: number | null, bucket: Bucket): void {
    const { buckets } = x === null || y === null ? this.#unknown : this.#placeAt(x, y);
    const before = buckets.get(bucket.at);
    if (!before && ++this.#buckets > maxPlaceBuckets) throw new TooManyPlaces('buckets');
    buckets.set(bucket.at, before ? combined(before, bucket) : bucket);
  }

  #placeAt(x: number, y: number): Collected {
    let nearest: Collected | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const place of this.#known) {
      // Squared: a root for each place takes three times as long.
      const distance = (Number(place.x) - x) ** 2 + (Number(place.y) - y) ** 2;
      if (distance < least) [nearest, least] = [place, distance];
    }
    if (nearest !== null && least <= this.#radius ** 2) return nearest;
    if (this.#known.length === maxPlaces) throw new TooManyPlaces('places');
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
  const slices = new Slices(yieldToRequests);
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
        if (row % rowsPerLook === 0) await slices.pause();
      }
      position = page.next;
    }
  }
  return places.sorted;
}
