import type { Frame } from './product-lines.ts';

/** A crop of a demo garden, in rows along x. Lengths in mm. */
export interface DemoCrop {
  readonly name: string;
  readonly slug: string;
  /** Planted or only planned. */
  readonly isPlanted: boolean;
  readonly firstX: number;
  readonly stepX: number;
  /** The y coordinate of each column; smaller beds use only the first ones. */
  readonly columns: readonly number[];
  /** Rows and columns by bed. */
  readonly size: Readonly<Record<Frame['bed'], readonly [rows: number, columns: number]>>;
  /** Water in ml by age in days. */
  readonly water: Readonly<Record<string, number>> | null;
}

/** The crops of demo gardens. [rule S10] */
export const crops: readonly DemoCrop[] = [
  {
    name: 'Spinach',
    slug: 'spinach',
    isPlanted: true,
    firstX: 400,
    stepX: 200,
    columns: [100, 300, 2600, 2800],
    size: { standard: [13, 2], express_xl: [28, 2], genesis_xl: [28, 4] },
    water: { 1: 200, 30: 500, 40: 500, 45: 300, 60: 300 },
  },
  {
    name: 'Broccoli',
    slug: 'broccoli',
    isPlanted: true,
    firstX: 600,
    stepX: 600,
    columns: [700, 1600, 2200],
    size: { standard: [4, 1], express_xl: [9, 2], genesis_xl: [9, 3] },
    water: { 1: 300, 45: 1200, 60: 1200, 65: 900, 75: 900 },
  },
  {
    name: 'Beet',
    slug: 'beet',
    isPlanted: false,
    firstX: 200,
    stepX: 100,
    columns: [1100, 1200],
    size: { standard: [27, 2], express_xl: [57, 2], genesis_xl: [57, 2] },
    water: null,
  },
];

/** Returns the positions of a crop's plants, row by row. */
export function cropPositions(
  { firstX, stepX, columns, size }: DemoCrop,
  bed: Frame['bed'],
): { x: number; y: number }[] {
  const [rows, count] = size[bed];
  return Array.from({ length: rows }, (_, row) => firstX + stepX * row).flatMap((x) =>
    columns.slice(0, count).map((y) => ({ x, y })),
  );
}
