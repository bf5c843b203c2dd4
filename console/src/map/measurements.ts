/** A value that was measured at a place, in mm. */
export interface Measurement {
  readonly x: number;
  readonly y: number;
  readonly value: number;
}

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

/** Returns the squares of a bed that are near measurements: the nearer a measurement, the more it counts (inverse squares of distances). `x` and `y` are their middles; the last ones reach beyond the bed. */
export function interpolated(measured: readonly Measurement[], width: number, height: number): readonly Cell[] {
  if (measured.length === 0) return [];
  const size = cellSize(width, height);
  const [least, most] = rangeOf(measured);
  const cells: Cell[] = [];
  for (let x = size / 2; x - size / 2 < width; x += size)
    for (let y = size / 2; y - size / 2 < height; y += size) {
      let [sum, weights, nearest] = [0, 0, Number.POSITIVE_INFINITY];
      for (const each of measured) {
        const square = Math.max(1, (each.x - x) ** 2 + (each.y - y) ** 2);
        sum += each.value / square;
        weights += 1 / square;
        nearest = Math.min(nearest, square);
      }
      if (nearest > reach ** 2) continue;
      const value = sum / weights;
      cells.push({ x, y, value, level: most === least ? 1 : (value - least) / (most - least) });
    }
  return cells;
}
