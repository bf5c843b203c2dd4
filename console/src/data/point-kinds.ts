import type { RecordOf } from './collections.ts';

/** THE list of the kinds of points, those first that are looked for most. */
export const pointKinds = [
  'Plant',
  'Weed',
  'GenericPointer',
  'ToolSlot',
] as const satisfies readonly RecordOf<'points'>['pointer_type'][];
export type PointKind = (typeof pointKinds)[number];
