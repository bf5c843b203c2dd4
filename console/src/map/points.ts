import { isSoilHeight as isHeight } from '../../../src/core/soil-height.ts';
import type { RecordOf } from '../data/collections.ts';

export type Point = RecordOf<'points'>;
export type Plant = Extract<Point, { pointer_type: 'Plant' }>;

export const isPlant = (point: Point): point is Plant => point.pointer_type === 'Plant';

/** A measured height of the soil, which the soil's layer shows instead of a point. */
export const isSoilHeight = (point: Point): boolean => point.pointer_type === 'GenericPointer' && isHeight(point);

/** A weed that was pulled out, and is kept. */
export const isRemovedWeed = (point: Point): boolean =>
  point.pointer_type === 'Weed' && point.plant_stage === 'removed';

/** The smallest radius of a shown and clickable point, in mm. */
const minRadius = { Plant: 40, Weed: 25, GenericPointer: 20, ToolSlot: 35 } as const;

/** The size of a shown point, in mm. */
export const markRadius = (point: Point): number =>
  Math.max(minRadius[point.pointer_type], 'radius' in point ? Math.min(point.radius, 200) : 0);

/** The name of the tool in a slot; undefined for other points and empty slots. */
export const toolNameOf = (point: Point, toolNames: ReadonlyMap<number, string>): string | undefined =>
  point.pointer_type === 'ToolSlot' && point.tool_id !== null ? toolNames.get(point.tool_id) : undefined;

/** The name of a point; the name of a slot with a tool begins with the tool's. */
export const pointName = ({ name }: Point, toolName: string | undefined): string =>
  toolName ? `${toolName} (${name})` : name;

/** Words between others that say little, and the elided articles before them. */
const smallWords =
  /^(?:an?|and|at|for|in|of|on|the|to|with|à|au|aux|avec|d|de|des|du|en|et|l|la|le|les|ou|par|pour|sans|sur|un|une)$/u;

/** The first letters of the first two words of a name that say something: `Semoir à graines` is SG. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}\p{Extended_Pictographic}]+/gu) ?? [];
  const telling = words.filter((word) => !smallWords.test(word));
  return (telling.length > 0 ? telling : words)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('');
}

type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

export const isDirection = (key: string): key is Direction => /^Arrow(?:Left|Right|Up|Down)$/.test(key);

/** Returns the point next to a place on the screen in a direction: the nearest within 45° of it. */
export function neighbor<T extends { readonly left: number; readonly top: number }>(
  from: { readonly left: number; readonly top: number },
  direction: Direction,
  others: readonly T[],
): T | undefined {
  let [nearest, least]: [T | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const other of others) {
    const [across, down] = [other.left - from.left, other.top - from.top];
    const ahead = { ArrowLeft: -across, ArrowRight: across, ArrowUp: -down, ArrowDown: down }[direction];
    const aside = Math.abs(direction === 'ArrowLeft' || direction === 'ArrowRight' ? down : across);
    const distance = Math.hypot(across, down);
    if (ahead > 0 && aside <= ahead && distance < least) [nearest, least] = [other, distance];
  }
  return nearest;
}
