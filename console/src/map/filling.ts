import type { Crop } from '../data/crops.ts';
import { groupBy } from '../data/groups.ts';

/** A place in the garden, in mm. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A grid of added points: rows and columns from a first place. Lengths in mm. */
export interface Filling extends Place {
  /** Points along x, and along y. */
  readonly columns: number;
  readonly rows: number;
  readonly columnSpacing: number;
  readonly rowSpacing: number;
}

export const maxPlaces = 500;

/** One point at the origin. */
export const oneFilling: Filling = { x: 0, y: 0, columns: 1, rows: 1, columnSpacing: 300, rowSpacing: 300 };

/** Returns a filling with one point, at its first place: rows of one crop are not meant for the next. */
export const singleOf = (filling: Filling): Filling => ({ ...filling, columns: 1, rows: 1 });

/** Returns a filling that begins at a place, if there is one, with one plant of a crop, if there is one, and the crop's distances. */
export const fillingOf = (
  filling: Filling,
  place: readonly [x: number, y: number] | null,
  crop: Pick<Crop, 'plant_spacing' | 'row_spacing'> | undefined,
): Filling => ({
  ...filling,
  ...(crop && { columns: 1, rows: 1, columnSpacing: crop.plant_spacing, rowSpacing: crop.row_spacing }),
  ...(place && { x: place[0], y: place[1] }),
});

/** Problem of a number: `missing` also stands for invalid text, and `tooMany` for more than {@link maxPlaces} places. */
export type FillingProblem = 'missing' | 'tooSmall' | 'notWhole' | 'tooMany';

/** The smallest numbers. */
const minima: Partial<Filling> = { columns: 1, rows: 1, columnSpacing: 1, rowSpacing: 1 };
const fields = Object.keys(oneFilling) as readonly (keyof Filling)[];

/** Returns the problems of the numbers of a filling, by name. */
export function problemsOf(filling: Filling): Partial<Record<keyof Filling, FillingProblem>> {
  const problemOf = (field: keyof Filling): FillingProblem | null => {
    const value = filling[field];
    if (!Number.isFinite(value)) return 'missing';
    if (value < (minima[field] ?? -Infinity)) return 'tooSmall';
    if (field !== 'columns' && field !== 'rows') return null;
    if (!Number.isInteger(value)) return 'notWhole';
    const isTooMany =
      value > maxPlaces || (field === 'rows' && filling.columns <= maxPlaces && filling.columns * value > maxPlaces);
    return isTooMany ? 'tooMany' : null;
  };
  return Object.fromEntries(
    fields.flatMap((field) => {
      const problem = problemOf(field);
      return problem ? [[field, problem]] : [];
    }),
  );
}

/** Returns the places of a filling; none while one of its numbers is wrong. */
export function placesOf(filling: Filling): readonly Place[] {
  if (Object.keys(problemsOf(filling)).length > 0) return [];
  const { columns, rows } = filling;
  return Array.from({ length: columns * rows }, (_, i) => ({
    x: Math.round(filling.x + (i % columns) * filling.columnSpacing),
    y: Math.round(filling.y + Math.floor(i / columns) * filling.rowSpacing),
  }));
}

/** Returns a filling with as many rows and columns as there is room for, up to the end of the bed. */
export function filledBed(filling: Filling, maxX: number, maxY: number): Filling {
  const fitting = (from: number, to: number, spacing: number): number =>
    spacing > 0 && to >= from ? Math.floor((to - from) / spacing) + 1 : 1;
  const columns = Math.min(maxPlaces, fitting(filling.x, maxX, filling.columnSpacing));
  const rows = fitting(filling.y, maxY, filling.rowSpacing);
  return { ...filling, columns, rows: Math.min(Math.floor(maxPlaces / columns), rows) };
}

/** An object nearer than this to a place occupies it, in mm. */
const samePlace = 10;

/** Returns the places where nothing of `standing` is, within half the distances of the filling. */
export function freeOf(
  places: readonly Place[],
  standing: readonly Place[],
  { columnSpacing, rowSpacing }: Filling,
): readonly Place[] {
  const reach = Math.min(samePlace, columnSpacing / 2, rowSpacing / 2);
  const taken = obstaclesAt(
    places,
    standing.map(({ x, y }) => ({ x, y, reach })),
  );
  return places.filter((place) => !taken.has(place));
}

interface Reaching extends Place {
  /** Places nearer than this are too close, in mm. */
  readonly reach: number;
}

/** Something that plants are kept away from. */
export interface Obstacle extends Reaching {
  readonly name: string;
}

/** Returns the nearest obstacle of each place that is too close to one. */
export function obstaclesAt<T extends Reaching>(
  places: readonly Place[],
  obstacles: readonly T[],
): ReadonlyMap<Place, T> {
  const width = Math.max(1, ...obstacles.map(({ reach }) => reach));
  const stripe = ({ x }: Place): number => Math.floor(x / width);
  const stripes = groupBy(obstacles, stripe);
  const found = new Map<Place, T>();
  for (const place of places) {
    const at = stripe(place);
    let least = Number.POSITIVE_INFINITY;
    for (const obstacle of [at - 1, at, at + 1].flatMap((each) => stripes.get(each) ?? [])) {
      const distance = Math.hypot(obstacle.x - place.x, obstacle.y - place.y);
      if (distance >= obstacle.reach || distance >= least) continue;
      least = distance;
      found.set(place, obstacle);
    }
  }
  return found;
}

/** How many places are too close to obstacles of one name. */
export interface TooClose {
  readonly name: string;
  readonly count: number;
}

/** Returns the counts of places by the names of their obstacles, the highest first. */
export const tooCloseOf = (obstacles: Iterable<Obstacle>): readonly TooClose[] =>
  [...groupBy(obstacles, ({ name }) => name)]
    .map(([name, all]) => ({ name, count: all.length }))
    .sort((one, other) => other.count - one.count);
