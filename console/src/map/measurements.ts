import { interpolated, type Measurement } from '../../../src/core/soil-height.ts';

/** A square of a colored layer; `level` is 0 for the lowest value and 1 for the highest. */
export interface Cell extends Measurement {
  readonly level: number;
}

/** The lowest and the highest of measured values, one or more. */
export function rangeOf(measured: readonly Pick<Measurement, 'value'>[]): readonly [least: number, most: number] {
  const values = measured.map(({ value }) => value);
  return [Math.min(...values), Math.max(...values)];
}

/** Squares of a layer. */
const maxCells = 1200;
/** The range of a measurement, in mm. */
const reach = 600;

/** Returns the size of the squares, in mm, with which a bed has at most {@link maxCells} of them. */
export const cellSize = (width: number, height: number): number =>
  Math.max(50, Math.ceil(Math.sqrt((width * height) / maxCells) / 10) * 10);

/** Returns the squares of a bed that are near measurements, with the value that a robot takes there. `x` and `y` are their middles; the last ones reach beyond the bed. */
export function coloredCells(measured: readonly Measurement[], width: number, height: number): readonly Cell[] {
  if (measured.length === 0) return [];
  const size = cellSize(width, height);
  const [least, most] = rangeOf(measured);
  const cells: Cell[] = [];
  for (let x = size / 2; x - size / 2 < width; x += size)
    for (let y = size / 2; y - size / 2 < height; y += size) {
      if (!measured.some((each) => (each.x - x) ** 2 + (each.y - y) ** 2 <= reach ** 2)) continue;
      const value = interpolated(measured, x, y);
      cells.push({ x, y, value, level: most === least ? 1 : (value - least) / (most - least) });
    }
  return cells;
}
