import { type Filling, freeOf, type Obstacle, obstaclesAt, type Place, type TooClose, tooCloseOf } from './filling.ts';
import type { Point } from './points.ts';
import { type GrowthSource, plantSpread } from './spread.ts';

/** Stages of plants that have left their place. */
const removedStages: readonly string[] = ['harvested', 'removed'];

/** What is added. */
interface Added {
  readonly type: Point['pointer_type'];
  readonly name: string;
  /** Of the crop of a plant. */
  readonly slug: string | undefined;
}

/** The room that a tool slot needs around it, in mm. */
const slotReach = 50;

/** Returns what plants of an addition are kept away from: the grown circles of plants, and slots. Plants of the same crop stand as close as their distances. */
function obstaclesOf(
  { type, slug }: Added,
  { columnSpacing, rowSpacing }: Filling,
  points: readonly Point[],
  source: GrowthSource,
): readonly Obstacle[] {
  if (type !== 'Plant') return [];
  return points.flatMap((point): Obstacle[] => {
    const { name, x, y } = point;
    if (point.pointer_type === 'ToolSlot') return [{ name, x, y, reach: slotReach }];
    if (point.pointer_type !== 'Plant' || removedStages.includes(point.plant_stage)) return [];
    const spread = plantSpread(point, source);
    const grown = (spread.grown ?? spread.now) / 2;
    // The places of rows are whole numbers.
    const reach = point.openfarm_slug === slug ? Math.min(grown, columnSpacing - 1, rowSpacing - 1) : grown;
    return [{ name, x, y, reach }];
  });
}

/** The places of an addition. */
export interface Choice {
  /** The places where something is added. */
  readonly free: readonly Place[];
  /** Places where the same plant or point stands already. */
  readonly taken: number;
  /** Places that are left out, unless they are chosen on purpose. */
  readonly tooClose: readonly TooClose[];
}

/** Chooses the places of an addition around what stands. `isOnPurpose`: obstacles do not matter. */
export function chosenPlaces(
  added: Added,
  filling: Filling,
  places: readonly Place[],
  points: readonly Point[],
  source: GrowthSource,
  isOnPurpose: boolean,
): Choice {
  const { type, name, slug } = added;
  const isSame = (point: Point): boolean =>
    point.pointer_type === 'Plant'
      ? point.openfarm_slug === slug && !removedStages.includes(point.plant_stage)
      : point.name === name;
  const same = points.filter((point) => point.pointer_type === type && isSame(point));
  const untaken = freeOf(places, same, filling);
  const obstacles = obstaclesAt(untaken, obstaclesOf(added, filling, points, source));
  return {
    free: isOnPurpose ? untaken : untaken.filter((place) => !obstacles.has(place)),
    taken: places.length - untaken.length,
    tooClose: tooCloseOf(obstacles.values()),
  };
}
