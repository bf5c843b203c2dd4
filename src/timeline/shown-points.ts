import { isDeepStrictEqual } from 'node:util';
import type { TimedPlant } from '../core/garden-time.ts';
import { plantedOn } from '../core/garden-time.ts';
import type { CropGrowth } from '../core/growth.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { plantStages, pointerTypes } from '../garden/points.ts';

/** The fields of a point over time, in the order of its JSON. Those that a kind of point does not have, and empty ones of the last, are left out. */
export const shownFields = {
  id: idSchema,
  pointer_type: Type.OneOf(pointerTypes),
  name: Type.String(),
  x: Type.Number(),
  y: Type.Number(),
  z: Type.Number(),
  radius: Type.Optional(Type.Number()),
  openfarm_slug: Type.Optional(Type.String()),
  plant_stage: Type.Optional(Type.OneOf(plantStages)),
  planted_at: Type.Optional(Type.Nullable(timeSchema)),
  spread_curve_id: Type.Optional(idSchema),
  height_curve_id: Type.Optional(idSchema),
  tool_id: Type.Optional(idSchema),
  meta: Type.Optional(
    Type.Object(
      { color: Type.Optional(Type.String()), at_soil_level: Type.Optional(Type.String()) },
      { description: 'Its color, and whether it is a measured height of the soil.' },
    ),
  ),
};

/** The facts of a point that its states are compared and computed with. */
export interface PointFacts {
  readonly x: number;
  readonly y: number;
  /** Of a plant: what its life depends on. */
  readonly plant: PlantFacts | null;
}

export interface PlantFacts extends TimedPlant {
  readonly slug: string;
  readonly spread_curve_id: number | null;
  readonly height_curve_id: number | null;
}

type Shown = Readonly<Record<string, unknown>>;

const names = Object.keys(shownFields);
const omittedNulls = ['spread_curve_id', 'height_curve_id', 'tool_id'];
const shownMeta = ['color', 'at_soil_level'];

/** Parses the JSON of a point, and returns what is shown of it, and when it was created, in ms. */
export function parsePoint(json: string): { readonly shown: Shown; readonly created: number } {
  const record = JSON.parse(json) as Shown;
  const meta = Object.entries(record.meta ?? {}).filter(([key]) => shownMeta.includes(key));
  const shown: Record<string, unknown> = {};
  for (const name of names) {
    const value = record[name];
    if (value !== undefined && name !== 'meta' && (value !== null || !omittedNulls.includes(name))) shown[name] = value;
  }
  if (meta.length > 0) shown.meta = Object.fromEntries(meta);
  return { shown, created: Date.parse(String(record.created_at)) };
}

/** Returns the members of a point that differ from an earlier state of it; null: they can only be said as a whole. */
export function changedMembers(before: Shown, after: Shown): Shown | null {
  if (Object.keys(before).some((name) => !(name in after))) return null;
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(before[name], value)));
}

/** Returns the facts of a shown point. Those of the plant before are shared, if they are the same: most changes move it. */
export function factsOf(shown: Shown, before: PointFacts | null): PointFacts {
  const [x, y] = [Number(shown.x), Number(shown.y)];
  if (shown.pointer_type !== 'Plant') return { x, y, plant: null };
  const plant = {
    radius: Number(shown.radius),
    plant_stage: String(shown.plant_stage),
    planted: plantedOn(shown.planted_at as string | null),
    slug: String(shown.openfarm_slug),
    spread_curve_id: (shown.spread_curve_id ?? null) as number | null,
    height_curve_id: (shown.height_curve_id ?? null) as number | null,
  };
  return { x, y, plant: before?.plant && isDeepStrictEqual(before.plant, plant) ? before.plant : plant };
}

/** Finds the figures of a crop by its slug. */
export type FindCrop = (slug: string) => CropGrowth | undefined;
