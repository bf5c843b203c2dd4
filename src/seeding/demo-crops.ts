import type { Frame } from './product-lines.ts';

/** Milliliters of water by age in days. */
type Water = Readonly<Record<string, number>>;

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
  readonly water: Water | null;
  /** In gardens with a past. [ADR 133] */
  readonly past: {
    /** How many days ago each column was planted; a negative number: in how many days it is to be. */
    readonly ages: readonly number[];
    /** The water of a crop that has none in other gardens. */
    readonly water?: Water;
  };
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
    past: { ages: [42, 17, 28, 10] },
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
    past: { ages: [60, 48, 35] },
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
    past: { ages: [30, -3], water: { 1: 100, 20: 250, 60: 300 } },
  },
];

/** Crops that are ripe or grow between the others, in gardens with a past only. [ADR 133] */
const furtherCrops: readonly DemoCrop[] = [
  {
    name: 'Lettuce',
    slug: 'lettuce',
    isPlanted: true,
    firstX: 300,
    stepX: 600,
    columns: [560, 1460, 2060],
    size: { standard: [5, 1], express_xl: [10, 2], genesis_xl: [10, 3] },
    water: { 1: 150, 30: 300, 60: 350 },
    past: { ages: [58, 40, 22] },
  },
  {
    name: 'Basil',
    slug: 'basil',
    isPlanted: true,
    firstX: 300,
    stepX: 600,
    columns: [860, 1760, 2360],
    size: { standard: [5, 1], express_xl: [10, 2], genesis_xl: [10, 3] },
    water: { 1: 80, 30: 200, 60: 250 },
    past: { ages: [38, 26, 14] },
  },
  {
    name: 'Radish',
    slug: 'radish',
    isPlanted: true,
    firstX: 500,
    stepX: 200,
    columns: [420],
    size: { standard: [12, 1], express_xl: [27, 1], genesis_xl: [27, 1] },
    water: { 1: 50, 20: 100 },
    past: { ages: [20] },
  },
];

/** Returns the crops of a demo garden. */
export const cropsOf = (hasPast: boolean): readonly DemoCrop[] =>
  hasPast
    ? [...crops.map((crop) => ({ ...crop, water: crop.water ?? crop.past.water ?? null })), ...furtherCrops]
    : crops;

/** Returns the positions of a crop's plants, row by row, with the number of their column. */
export function cropPositions(
  { firstX, stepX, columns, size }: DemoCrop,
  bed: Frame['bed'],
): { x: number; y: number; column: number }[] {
  const [rows, count] = size[bed];
  return Array.from({ length: rows }, (_, row) => firstX + stepX * row).flatMap((x) =>
    columns.slice(0, count).map((y, column) => ({ x, y, column })),
  );
}
