import type { DemoPast } from './demo-past.ts';

/** Weeds: which, where, how large, and for how many days. Lengths in mm. */
const weeds = [
  ['Dandelion', 250, 980, 34, 19],
  ['Chickweed', 960, 1010, 22, 12],
  ['Chickweed', 1450, 470, 18, 9],
  ['Dandelion', 1790, 990, 28, 15],
  ['Chickweed', 2060, 200, 14, 6],
  ['Bindweed', 2550, 480, 24, 11],
] as const;

/** Notes on the map: what, where, and for how many days. */
const notes = [
  ['Slugs here: look in the evening', 1380, 240, 60, 8],
  ['Shade of the fence from 4 p.m.', 2650, 940, 150, 26],
] as const;

/** A point that is neither planted nor measured: its body, and since when it is there, in ms. */
interface FoundPoint {
  readonly since: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns the weeds of a garden with a past. */
export const demoWeeds = (past: DemoPast): FoundPoint[] =>
  weeds.map(([name, x, y, radius, daysAgo]) => ({
    since: past.at(daysAgo, 18),
    body: {
      pointer_type: 'Weed',
      name,
      x,
      y,
      z: 0,
      radius,
      plant_stage: 'active',
      meta: { color: 'red', created_by: 'plant-detection' },
    },
  }));

/** Returns the notes on the map of a garden with a past. */
export const demoNotes = (past: DemoPast): FoundPoint[] =>
  notes.map(([name, x, y, radius, daysAgo]) => ({
    since: past.at(daysAgo, 20),
    body: { pointer_type: 'GenericPointer', name, x, y, z: 0, radius, meta: { color: 'orange' } },
  }));
