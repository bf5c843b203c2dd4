import {
  harvestOf,
  type PlantState,
  type PointState,
  plantAt,
  plantedOn,
  stateAt,
} from '../../../src/core/garden-time.ts';
import { type CropGrowth, type CurveReader, curveReader } from '../../../src/core/growth.ts';
import type { RecordOf } from '../data/collections.ts';
import type { components } from '../data/generated/api.ts';

/** The garden in a span, as the server sends it. */
export type GardenSpan = components['schemas']['GardenAtTime'];

type Histories = Extract<GardenSpan['points'][number], { states: unknown }>;
type SentState = Histories['states'][number];

/** A point in one of its states. */
type Members = Omit<SentState, 'since' | 'removed'>;

/** The figures of a plant that its size follows from, and its harvest. */
interface Life {
  readonly radius: number;
  readonly plant_stage: string;
  readonly planted: number | null;
  readonly figures: Parameters<typeof plantAt>[1];
  readonly harvest: ReturnType<typeof harvestOf>;
}

/** A point of the garden in one of its states. Lengths in mm. */
export interface TimePoint {
  readonly id: number;
  readonly kind: NonNullable<Members['pointer_type']>;
  readonly name: string;
  readonly slug: string;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  /** Of a plant. */
  readonly life: Life | null;
}

/** The points of a garden, each with its states in the order of time. */
export type TimeGarden = readonly (readonly PointState<TimePoint>[])[];

/** What determines the sizes of plants. */
export interface GrowthFigures {
  readonly curves: readonly Pick<RecordOf<'curves'>, 'id' | 'data'>[];
  readonly crops: ReadonlyMap<string, CropGrowth>;
}

/** Returns the points of a garden over time from what the server sent: states have only what changed. */
export function timeGarden({ points }: Pick<GardenSpan, 'points'>, { curves, crops }: GrowthFigures): TimeGarden {
  const readers = new Map(curves.map(({ id, data }): [number, CurveReader] => [id, curveReader(data)]));
  const pointOf = (members: Members): TimePoint => {
    const { id = 0, pointer_type: kind = 'GenericPointer', name = '', x = 0, y = 0, radius = 25 } = members;
    const { openfarm_slug: slug = '', plant_stage = '', planted_at = null } = members;
    const point = { id, kind, name, slug, x, y, radius };
    if (kind !== 'Plant') return { ...point, life: null };
    const plant = { radius, plant_stage, planted: plantedOn(planted_at) };
    const figures = {
      spread: readers.get(members.spread_curve_id ?? 0),
      height: readers.get(members.height_curve_id ?? 0),
      crop: crops.get(slug),
    };
    return { ...point, life: { ...plant, figures, harvest: harvestOf(plant, figures.crop) } };
  };
  return points.flatMap((point) => {
    if (!('states' in point)) return [];
    let members: Members = {};
    return [
      point.states.map(({ since, removed, ...changed }) => {
        // One with its kind is whole.
        members = changed.pointer_type ? changed : { ...members, ...changed };
        const isShown = !removed && members.meta?.at_soil_level !== 'true';
        return { since: Date.parse(since), point: isShown ? pointOf(members) : null };
      }),
    ];
  });
}

/** A point at a time. */
export interface PointThen {
  readonly point: TimePoint;
  /** Null: it is no plant. */
  readonly state: PlantState | null;
  /** Its diameter in mm. */
  readonly spread: number;
}

/** Calls `show` for each point that is there at a time. `at`, `now` in ms. */
export function eachPointAt(garden: TimeGarden, at: number, now: number, show: (then: PointThen) => void): void {
  for (const states of garden) {
    const point = stateAt(states, at)?.point;
    if (!point) continue;
    const { life } = point;
    if (!life) {
      show({ point, state: null, spread: 2 * point.radius });
      continue;
    }
    const then = plantAt(life, life.figures, life.harvest, at, now);
    if (then) show({ point, state: then.state, spread: then.spread });
  }
}

/** A tap on the bed: its place in the garden, and how far it may miss a point, in mm. */
export interface Tap {
  readonly x: number;
  readonly y: number;
  readonly reach: number;
}

/** Returns the point that a tap at a time means, the nearest of several; null: none. */
export function tappedAt(garden: TimeGarden, at: number, now: number, { x, y, reach }: Tap): PointThen | null {
  const touched: [distance: number, PointThen][] = [];
  eachPointAt(garden, at, now, (then) => {
    const distance = Math.hypot(then.point.x - x, then.point.y - y);
    if (distance <= Math.max(reach, then.spread / 2)) touched.push([distance, then]);
  });
  return touched.sort(([one], [other]) => one - other)[0]?.[1] ?? null;
}

/** Returns how many plants are in each state at a time. */
export function countsAt(garden: TimeGarden, at: number, now: number): Readonly<Record<PlantState, number>> {
  const counts = { planned: 0, growing: 0, ripe: 0, harvested: 0 };
  eachPointAt(garden, at, now, ({ state }) => {
    if (state) counts[state] += 1;
  });
  return counts;
}

const dayLength = 86_400_000;

/** Returns the end of the slider, in ms: of the next autumn, which is in May south of the equator, at least two months ahead. */
export function endOfNextAutumn(now: number, isSouth: boolean): number {
  const earliest = now + 60 * dayLength;
  const year = new Date(earliest).getUTCFullYear();
  const endIn = (each: number): number => Date.UTC(each, isSouth ? 5 : 11, 1) - 1;
  return endIn(year) >= earliest ? endIn(year) : endIn(year + 1);
}
