import type { RecordOf } from './collections.ts';

/** THE list of the kinds of points; kinds that people look for often are first. */
export const pointKinds = [
  'Plant',
  'Weed',
  'GenericPointer',
  'ToolSlot',
] as const satisfies readonly RecordOf<'points'>['pointer_type'][];
export type PointKind = (typeof pointKinds)[number];
