import { createPoints, createRecord } from '../data/changes.ts';
import type { InputOf } from '../data/collections.ts';
import { type Crop, cropName } from '../data/crops.ts';
import { undoable } from '../data/undo.ts';
import { showProblem } from '../ui/toasts.tsx';
import type { Filling, Place } from './filling.ts';
import { type Choice, chosenPlaces } from './place-choice.ts';
import type { Point } from './points.ts';
import type { GrowthSource } from './spread.ts';
import { mapText } from './text.ts';

export const addedKinds = ['plant', 'weed', 'point', 'slot'] as const;
export type AddedKind = (typeof addedKinds)[number];

export const isAddedKind = (panel: string | undefined): panel is AddedKind => addedKinds.some((kind) => kind === panel);

/** An addition of points. */
export interface Adding {
  readonly kind: AddedKind;
  readonly crop: Crop | undefined;
  /** Of all but plants. */
  readonly name: string;
}

type PointInput = InputOf<'points'>;

const pointerTypes = { plant: 'Plant', weed: 'Weed', point: 'GenericPointer', slot: 'ToolSlot' } as const;
const defaultRadius = 50;

/** The name of the new points. */
export const addedName = ({ kind, crop, name }: Adding): string =>
  kind === 'plant' ? (crop ? cropName(crop) : '') : name.trim() || mapText().newNames[kind];

/** Chooses the places of an addition around what stands. `isOnPurpose`: plants that are too close do not matter. */
export const choosePlaces = (
  adding: Adding,
  filling: Filling,
  places: readonly Place[],
  points: readonly Point[],
  source: GrowthSource,
  isOnPurpose: boolean,
): Choice => {
  const added = { type: pointerTypes[adding.kind], name: addedName(adding), slug: adding.crop?.slug };
  return chosenPlaces(added, filling, places, points, source, isOnPurpose);
};

function inputOf(adding: Adding, place: Place, planted_at: string): PointInput {
  const { kind, crop } = adding;
  const name = addedName(adding);
  if (kind === 'plant')
    return {
      pointer_type: 'Plant',
      ...place,
      ...(crop && { name, openfarm_slug: crop.slug, depth: crop.sowing_depth }),
      plant_stage: 'planted',
      planted_at,
    };
  return {
    pointer_type: pointerTypes[kind],
    ...place,
    name,
    ...(kind !== 'slot' && { radius: defaultRadius }),
  };
}

/** Adds points in one change, which can be undone. Shows the server's refusal. */
export async function addPoints(adding: Adding, places: readonly Place[]): Promise<void> {
  const now = new Date().toISOString();
  const inputs = places.map((place) => inputOf(adding, place, now));
  const [first] = inputs;
  if (!first) return;
  try {
    await undoable<unknown>(mapText().added(inputs.length, first.name ?? ''), (label) =>
      inputs.length === 1
        ? createRecord('points', first, { label, shown: { meta: {}, radius: 25, z: 0 } as object })
        : createPoints(inputs, { label }),
    );
  } catch (error) {
    showProblem(error);
  }
}
