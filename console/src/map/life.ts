import { harvestOf, plantedOn } from '../../../src/core/garden-time.ts';
import { curveReader } from '../../../src/core/growth.ts';
import { climateOf, monthShift, parseMonths } from '../../../src/core/sowing-months.ts';
import type { Crop } from '../data/crops.ts';
import type { Occurrence } from '../data/occurrences.ts';
import type { Plant } from './points.ts';

/** How near plants are neighbors, in mm from center to center. */
export const neighborReach = 600;

/** A plant nearby, and what its crop is said to be for another. */
export interface Neighbor {
  readonly plant: Plant;
  readonly kind: 'good' | 'bad' | 'neutral';
}

/** Returns the plants near one, of each crop the nearest, those that matter first. */
export function neighborsOf(
  plant: Pick<Plant, 'id' | 'x' | 'y' | 'openfarm_slug'>,
  plants: readonly Plant[],
  crop: Pick<Crop, 'neighbors'> | undefined,
): readonly Neighbor[] {
  const distanceOf = ({ x, y }: Plant): number => Math.hypot(x - plant.x, y - plant.y);
  const nearest = new Map<string, Plant>();
  for (const other of plants) {
    const { id, openfarm_slug: slug } = other;
    if (id === plant.id || slug === plant.openfarm_slug || distanceOf(other) > neighborReach) continue;
    const known = nearest.get(slug);
    if (!known || distanceOf(other) < distanceOf(known)) nearest.set(slug, other);
  }
  const order = ['bad', 'good', 'neutral'];
  return [...nearest.values()]
    .map((other): Neighbor => {
      const is = (kind: 'good' | 'bad'): boolean => crop?.neighbors[kind].includes(other.openfarm_slug) ?? false;
      return { plant: other, kind: is('bad') ? 'bad' : is('good') ? 'good' : 'neutral' };
    })
    .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || distanceOf(a.plant) - distanceOf(b.plant));
}

/** The way of a plant to its harvest. Times in ms since the epoch. */
export interface Progress {
  readonly planted: number;
  /** The first harvest, and its end. */
  readonly from: number;
  readonly to: number;
  /** How far it is, from 0 to 1. */
  readonly share: number;
}

/** Returns how far a plant is on its way to the harvest; null if that is not known. */
export function progressOf(
  plant: Plant,
  crop: Pick<Crop, 'days_to_harvest'> | undefined,
  now: number,
): Progress | null {
  const harvest = harvestOf({ ...plant, planted: plantedOn(plant.planted_at) }, crop);
  if (!harvest || plant.planted_at === null) return null;
  const planted = Date.parse(plant.planted_at);
  return { planted, ...harvest, share: Math.min(1, Math.max(0, (now - planted) / (harvest.from - planted))) };
}

/** The water that a plant got by the schedule. */
export interface Watered {
  /** In ms since the epoch, ascending. */
  readonly times: readonly number[];
  /** By its curve, in ml; null: it has none. */
  readonly milliliters: number | null;
}

/** Returns the water that a plant got from past runs, since it was planted. */
export function wateredBy(
  runs: readonly Pick<Occurrence, 'at'>[],
  { planted_at }: Pick<Plant, 'planted_at'>,
  curve: Readonly<Record<string, number>> | undefined,
): Watered {
  const since = planted_at === null ? Number.NEGATIVE_INFINITY : Date.parse(planted_at);
  const times = runs
    .map(({ at }) => Date.parse(at))
    .filter((at) => at >= since)
    .sort((a, b) => a - b);
  if (!curve || planted_at === null) return { times, milliliters: null };
  const read = curveReader(curve);
  const amounts = times.map((at) => read(Math.ceil((at - since) / 86_400_000)) ?? 0);
  return { times, milliliters: amounts.reduce((sum, each) => sum + each, 0) };
}

/** A time of sowing: months from 0, as in the garden's half of the earth. */
export interface Sowing {
  readonly first: number;
  readonly last: number;
  readonly isIndoors: boolean;
}

/** Returns when a crop is sown in the climate of a latitude; null without one. */
export function sowingAt({ sowing }: Pick<Crop, 'sowing'>, latitude: number | null): readonly Sowing[] | null {
  const climate = climateOf(latitude);
  if (climate === null || latitude === null) return null;
  const shifted = (month: number): number => (month + monthShift(latitude)) % 12;
  return parseMonths(sowing[climate]).map(({ first, last, isIndoors }) => ({
    first: shifted(first),
    last: shifted(last),
    isIndoors,
  }));
}
