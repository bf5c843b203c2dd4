import { type CropGrowth, type PlantFigures, plantSize } from './growth.ts';
import { maxEpochSeconds } from './time-formats.ts';

const dayLength = 86_400_000;

/** A plant, as far as its life depends on it. */
export interface TimedPlant {
  readonly radius: number;
  readonly plant_stage: string;
  /** In ms since the epoch. */
  readonly planted: number | null;
}

/** Returns a time in ms since the epoch; null: there is none. */
export const plantedOn = (planted_at: string | null): number | null =>
  planted_at === null ? null : Date.parse(planted_at);

/** The state of a point from a time on, in ms since the epoch; null: it was not there. */
export interface PointState<P> {
  readonly since: number;
  readonly point: P | null;
}

/** What a plant is at a time. `planned`: before its date, or without one. `ripe`: in the time of its harvest. */
export const plantStates = ['planned', 'growing', 'ripe', 'harvested'] as const;
export type PlantState = (typeof plantStates)[number];

/** The harvest of a plant, in ms since the epoch. */
export interface Harvest {
  readonly from: number;
  readonly to: number;
}

/** Stages of plants that have been harvested or pulled out. */
const endedStages: readonly string[] = ['harvested', 'removed'];

/** Returns when a plant can be harvested; null if its date or its crop is not known, or it was harvested. */
export function harvestOf(
  { planted, plant_stage }: Pick<TimedPlant, 'planted' | 'plant_stage'>,
  crop: Pick<CropGrowth, 'days_to_harvest'> | undefined,
): Harvest | null {
  if (!crop || planted === null || endedStages.includes(plant_stage)) return null;
  const { min, max } = crop.days_to_harvest;
  const to = planted + max * dayLength;
  // Not of no date, nor after the last one that the API knows.
  return to <= 1000 * maxEpochSeconds ? { from: planted + min * dayLength, to } : null;
}

/** A plant at a time. Lengths in mm. */
export interface PlantAtTime {
  readonly state: PlantState;
  readonly spread: number;
  readonly height: number | null;
}

/**
 * Returns what a plant is and how large at a time; null if it will have left after its harvest. A plant that is kept beyond its harvest
 * already stays: the garden is right, not the figures. `harvest`: as {@link harvestOf} returns it. `at` and `now` in ms since the epoch.
 * [ADR 132]
 */
export function plantAt(
  plant: TimedPlant,
  figures: PlantFigures,
  harvest: Harvest | null,
  at: number,
  now: number,
): PlantAtTime | null {
  const { planted, plant_stage } = plant;
  if (harvest && at >= harvest.to && at > now && harvest.to > now) return null;
  const { spread, height } = plantSize(plant, figures, at);
  return { state: stateOf(planted, plant_stage, harvest, at), spread, height };
}

function stateOf(planted: number | null, stage: string, harvest: Harvest | null, at: number): PlantState {
  if (endedStages.includes(stage)) return 'harvested';
  if (planted === null ? stage === 'planned' : at < planted) return 'planned';
  return harvest && at >= harvest.from ? 'ripe' : 'growing';
}

/** Returns the state of a point at a time; null: it was not there. `states`: in the order of time. */
export function stateAt<S extends PointState<unknown>>(states: readonly S[], at: number): S | null {
  let [low, high] = [0, states.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((states[middle] as S).since <= at) low = middle + 1;
    else high = middle;
  }
  const state = states[low - 1];
  return state && state.point !== null ? state : null;
}
