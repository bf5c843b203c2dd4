import { createPoints, createRecord } from '../data/changes.ts';
import type { InputOf } from '../data/collections.ts';
import { type Crop, cropName } from '../data/crops.ts';
import { undoable } from '../data/undo.ts';
import { showProblem } from '../ui/toasts.tsx';
import { mapText } from './text.ts';

export type AddedKind = 'plant' | 'weed' | 'point';

/** What is added where. */
export interface Adding {
  readonly kind: AddedKind;
  readonly crop: Crop | undefined;
  /** Of weeds and points. */
  readonly name: string;
}

type PointInput = InputOf<'points'>;

const defaultRadius = { weed: 50, point: 50 } as const;

function inputOf({ kind, crop, name }: Adding, place: { readonly x: number; readonly y: number }): PointInput {
  const text = mapText();
  if (kind === 'plant')
    return {
      pointer_type: 'Plant',
      ...place,
      ...(crop && { name: cropName(crop), openfarm_slug: crop.slug, depth: crop.sowing_depth }),
      plant_stage: 'planted',
      planted_at: new Date().toISOString(),
    };
  return {
    pointer_type: kind === 'weed' ? 'Weed' : 'GenericPointer',
    ...place,
    name: name.trim() || text.newNames[kind],
    radius: defaultRadius[kind],
  };
}

/** Adds points in one change, which can be undone. Shows what the server refuses. */
export async function addPoints(adding: Adding, places: readonly { x: number; y: number }[]): Promise<void> {
  const inputs = places.map((place) => inputOf(adding, place));
  const [first] = inputs;
  if (!first) return;
  try {
    await undoable(mapText().added(inputs.length, first.name ?? ''), (label) =>
      inputs.length === 1
        ? createRecord('points', first, { label, shown: { meta: {}, radius: 25, z: 0 } as object }).then(
            () => undefined,
          )
        : createPoints(inputs, { label }),
    );
  } catch (error) {
    showProblem(error);
  }
}
