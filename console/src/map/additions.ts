import { createPoints, createRecord } from '../data/changes.ts';
import type { InputOf } from '../data/collections.ts';
import { type Crop, cropName } from '../data/crops.ts';
import { undoable } from '../data/undo.ts';
import { showProblem } from '../ui/toasts.tsx';
import { type Filling, freeOf, type Place } from './filling.ts';
import type { Point } from './points.ts';
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

/** Stages of plants that have left their place. */
const removedStages: readonly string[] = ['harvested', 'removed'];

/** Returns the places that the same plant or point does not occupy yet. */
export function freePlaces(
  adding: Adding,
  filling: Filling,
  places: readonly Place[],
  points: readonly Point[],
): readonly Place[] {
  const [type, name] = [pointerTypes[adding.kind], addedName(adding)];
  const isSame = (point: Point): boolean =>
    point.pointer_type === 'Plant'
      ? point.openfarm_slug === adding.crop?.slug && !removedStages.includes(point.plant_stage)
      : point.name === name;
  return freeOf(
    places,
    points.filter((point) => point.pointer_type === type && isSame(point)),
    filling,
  );
}

function inputOf(adding: Adding, place: Place): PointInput {
  const { kind, crop } = adding;
  const name = addedName(adding);
  if (kind === 'plant')
    return {
      pointer_type: 'Plant',
      ...place,
      ...(crop && { name, openfarm_slug: crop.slug, depth: crop.sowing_depth }),
      plant_stage: 'planted',
      planted_at: new Date().toISOString(),
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
  const inputs = places.map((place) => inputOf(adding, place));
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
