import type { FollowedSettings } from './followed-settings.ts';

/** The position of the bed on the screen. Lengths are in mm. */
export interface Bed {
  readonly width: number;
  readonly height: number;
  /** Returns the place on the screen, in mm from the left upper corner, of a place in the garden. */
  toScreen(x: number, y: number): readonly [number, number];
  /** The inverse of {@link Bed.toScreen}. */
  toGarden(left: number, top: number): readonly [number, number];
}

type BedConfig = Pick<FollowedSettings, 'map_size_x' | 'map_size_y' | 'bot_origin_quadrant' | 'xy_swap'>;

/** The bed by the settings of the map: its size, the corner of its origin (quadrant 2: left upper), and whether its axes are swapped. */
export function bedOf({ map_size_x, map_size_y, bot_origin_quadrant, xy_swap }: BedConfig): Bed {
  const [width, height] = xy_swap ? [map_size_y, map_size_x] : [map_size_x, map_size_y];
  const isRight = bot_origin_quadrant === 1 || bot_origin_quadrant === 4;
  const isLow = bot_origin_quadrant === 3 || bot_origin_quadrant === 4;
  const mirrored = (across: number, down: number): readonly [number, number] => [
    isRight ? width - across : across,
    isLow ? height - down : down,
  ];
  return {
    width,
    height,
    toScreen: (x, y) => (xy_swap ? mirrored(y, x) : mirrored(x, y)),
    toGarden(left, top) {
      const [across, down] = mirrored(left, top);
      return xy_swap ? [down, across] : [across, down];
    },
  };
}

/** Returns a bed that is turned counterclockwise by a quarter. */
export const turned = (bed: Bed): Bed => ({
  width: bed.height,
  height: bed.width,
  toScreen(x, y) {
    const [left, top] = bed.toScreen(x, y);
    return [top, bed.width - left];
  },
  toGarden: (left, top) => bed.toGarden(bed.width - top, left),
});

/** A rectangle on the screen, in mm. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the rectangle on the screen between two corners in the garden. */
export function areaOf(bed: Bed, from: readonly [number, number], to: readonly [number, number]): Area {
  const [a, b] = [bed.toScreen(...from), bed.toScreen(...to)];
  return {
    x: Math.min(a[0], b[0]),
    y: Math.min(a[1], b[1]),
    width: Math.abs(a[0] - b[0]),
    height: Math.abs(a[1] - b[1]),
  };
}
