import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, useSyncExternalStore } from 'react';
import { type Bed, turned } from '../data/bed.ts';
import { listQuery } from '../data/collections.ts';
import { useCrops } from '../data/crops.ts';
import { type Layer, layers } from '../data/followed-settings.ts';
import { useBed } from '../data/singles.ts';
import type { LayerSwitches } from './layer-switches.ts';
import { isRemovedWeed, isSoilHeight, type Point } from './points.ts';
import type { GrowthSource } from './spread.ts';

const layersOfKinds = {
  Plant: 'show_plants',
  Weed: 'show_weeds',
  GenericPointer: 'show_points',
  ToolSlot: 'show_farmbot',
} as const satisfies Record<Point['pointer_type'], Layer>;

/** Returns the layer of a point: the layer of its kind, and another one for removed weeds. */
export const layerOf = (point: Point): Layer =>
  isRemovedWeed(point) ? 'show_historic_points' : layersOfKinds[point.pointer_type];

/** Returns the points of shown layers, and all selected ones: actions on them are visible. */
export function useShownPoints(
  points: readonly Point[],
  { shown }: LayerSwitches,
  selected: ReadonlySet<number>,
): readonly Point[] {
  const hidden = layers.filter((layer) => !shown(layer)).join(' ');
  // The layers that are drawn from the points are drawn again only if a selection shows more of them.
  const [visible, others] = useMemo(() => {
    const hiddenLayers = hidden.split(' ');
    const isHidden = (point: Point): boolean => hiddenLayers.includes(layerOf(point)) || isSoilHeight(point);
    return [points.filter((point) => !isHidden(point)), points.filter(isHidden)];
  }, [points, hidden]);
  return useMemo(() => {
    const added = others.filter(({ id }) => selected.has(id));
    return added.length === 0 ? visible : [...visible, ...added];
  }, [visible, others, selected]);
}

/** The names of tools by ids; empty until they were read, because the first picture does not wait for them. */
export function useToolNames(): ReadonlyMap<number, string> {
  const { data } = useQuery(listQuery('tools'));
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
}

/** Screens that are higher than wide, and have the panel below the map. The person who prints chooses the direction of the paper. */
const upright = matchMedia('screen and (max-width: 1000px) and (orientation: portrait), screen and (max-width: 500px)');

const onTurn = (listener: () => void): (() => void) => {
  upright.addEventListener('change', listener);
  return () => upright.removeEventListener('change', listener);
};

/** Returns the bed as the map shows it: a long one is turned on a screen held upright, which it fills. */
export function useShownBed(): Bed {
  const bed = useBed();
  const isUpright = useSyncExternalStore(onTurn, () => upright.matches);
  return useMemo(() => (isUpright && bed.width > bed.height ? turned(bed) : bed), [bed, isUpright]);
}

/** Returns what determines how large plants become. The first picture does not wait for curves. */
export function useGrowthSource(): GrowthSource {
  const crops = useCrops();
  const { data: curves = noCurves } = useQuery(listQuery('curves'));
  const [now] = useState(Date.now);
  return useMemo(() => ({ crops, curves, now }), [crops, curves, now]);
}

const noCurves: GrowthSource['curves'] = [];

/** The maximum distance between a point and a finger that presses it, in pixels. */
export const tapReach = 24;

/** Returns the point that a tap beside all shapes means: the nearest, if it is near. `left` and `top` in mm on the screen. */
export function tappedPoint(
  points: readonly Point[],
  bed: Bed,
  left: number,
  top: number,
  scale: number,
): Point | undefined {
  let [nearest, least]: [Point | undefined, number] = [undefined, tapReach / scale];
  for (const point of points) {
    const [x, y] = bed.toScreen(point.x, point.y);
    const distance = Math.hypot(x - left, y - top);
    if (distance <= least) [nearest, least] = [point, distance];
  }
  return nearest;
}
