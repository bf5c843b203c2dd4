import { aboutWater } from '../../../src/core/about-water.ts';
import { ageInDays, curveValue } from '../../../src/core/growth.ts';
import type { RecordOf } from '../data/collections.ts';
import type { RobotProgram } from '../data/commands.ts';
import { parametersOf } from '../data/parameters.ts';
import type { RunStep } from '../data/runs.ts';
import { compareNames } from '../ui/natural-order.ts';
import type { Plant } from './points.ts';

type Sequence = RecordOf<'sequences'>;
type Tool = RecordOf<'tools'>;

/** A method of watering a plant: running a program of the garden that takes a place, or opening a peripheral above it. */
export type WateringMethod =
  | {
      readonly kind: 'sequence';
      readonly id: number;
      readonly name: string;
      readonly variable: string;
      /** How long it opens something, in ms; null: it is not known. */
      readonly openTime: number | null;
      /** It gives what the curve of the plant says. */
      readonly isByCurve: boolean;
    }
  | { readonly kind: 'peripheral'; readonly id: number; readonly name: string };

/** How long a peripheral is open for a plant without a water curve, in ms. */
export const openTime = 2000;
/** Maximum time of a step that waits, in ms. */
const maxWait = 180_000;
/** Maximum amount for a plant, in ml, which is that of the robot's own function. */
const maxWater = 10_000;

/** Matches Lua that waters plants by their curves. */
export const callsWater = /\bwater\s*\(/;

const locations: readonly string[] = ['coordinate', 'point', 'tool', 'location_placeholder'];

/** Returns the time between the steps of a program that open and close something, in ms; null unless it does so once, without other steps in between. */
function openTimeOf({ body }: Pick<Sequence, 'body'>): number | null {
  const isWrite = (value: number) => (step: Sequence['body'][number]) =>
    step.kind === 'write_pin' && step.args.pin_value === value;
  const [open, close] = [body.findIndex(isWrite(1)), body.findIndex(isWrite(0))];
  const between = body.slice(open + 1, close);
  const times = between.map((step) => (step.kind === 'wait' ? step.args.milliseconds : Number.NaN));
  const time = times.reduce((sum, each) => sum + each, 0);
  return open >= 0 && time > 0 && body.filter(isWrite(1)).length === 1 ? time : null;
}

/** Returns the methods of watering plants of a garden: programs that are named for it and take one place, then peripherals that are named for it. */
export function wateringMethods(
  sequences: readonly Pick<Sequence, 'id' | 'name' | 'args' | 'body'>[],
  peripherals: readonly Pick<RecordOf<'peripherals'>, 'id' | 'label'>[],
): readonly WateringMethod[] {
  const programs = sequences.flatMap((sequence): WateringMethod[] => {
    const [only, ...others] = parametersOf(sequence);
    const { id, name, body } = sequence;
    if (!only || others.length > 0 || !aboutWater.test(name) || !locations.includes(only.args.default_value.kind))
      return [];
    const isByCurve = body.some((step) => step.kind === 'lua' && callsWater.test(step.args.lua));
    return [{ kind: 'sequence', id, name, variable: only.args.label, openTime: openTimeOf(sequence), isByCurve }];
  });
  const valves = peripherals.filter(({ label }) => aboutWater.test(label));
  return [...programs, ...valves.map(({ id, label }): WateringMethod => ({ kind: 'peripheral', id, name: label }))];
}

/** The water of a plant. */
export interface Dose {
  readonly plant: Plant;
  /** In ml; null: it is not known. */
  readonly milliliters: number | null;
  /** How long the water flows, in ms; null: it is not known. */
  readonly time: number | null;
  /** Its age in days, if its curve and its age say how much it gets. */
  readonly age: number | null;
}

/** What decides on the water of plants. */
export interface WaterSource {
  readonly curves: readonly Pick<RecordOf<'curves'>, 'id' | 'data'>[];
  readonly tools: readonly Pick<Tool, 'name' | 'type' | 'flow_rate_ml_per_s'>[];
  /** In ms since the epoch. */
  readonly now: number;
}

/** Returns the nozzle for water whose flow is known. */
export const nozzleOf = <T extends Pick<Tool, 'type' | 'flow_rate_ml_per_s'>>(tools: readonly T[]): T | undefined =>
  tools.find(({ type, flow_rate_ml_per_s }) => type === 'watering_nozzle' && flow_rate_ml_per_s > 0);

/** Returns the amount that the water curve of a plant says for its age; null without either. */
function curveDose({ water_curve_id, planted_at }: Plant, { curves, now }: WaterSource) {
  const data = curves.find(({ id }) => id === water_curve_id)?.data;
  const age = ageInDays(planted_at, now);
  const milliliters = data && age !== null ? curveValue(data, age) : undefined;
  return milliliters === undefined || age === null ? null : { milliliters: Math.min(milliliters, maxWater), age };
}

/** Returns how much water each plant gets by a method. */
export function dosesOf(plants: readonly Plant[], method: WateringMethod, source: WaterSource): Dose[] {
  const rate = nozzleOf(source.tools)?.flow_rate_ml_per_s ?? null;
  const isByCurve = method.kind === 'peripheral' ? rate !== null : method.isByCurve;
  const usual = method.kind === 'peripheral' ? openTime : method.openTime;
  return plants.map((plant): Dose => {
    const curve = isByCurve ? curveDose(plant, source) : null;
    if (curve && rate !== null) return { plant, ...curve, time: Math.round((curve.milliliters / rate) * 1000) };
    // The robot's function for curves gives nothing to others.
    if (method.kind === 'sequence' && isByCurve) return { plant, milliliters: 0, time: 0, age: null };
    const milliliters = rate === null || usual === null ? null : (usual / 1000) * rate;
    return { plant, milliliters, time: usual, age: null };
  });
}

/** Returns the method to begin with: a peripheral, if the curve of one of the plants says how long it opens; else the first one. */
export function usualMethod(
  methods: readonly WateringMethod[],
  plants: readonly Plant[],
  source: WaterSource,
): WateringMethod | undefined {
  const byCurve = methods.find((method) => dosesOf(plants, method, source).some(({ age }) => age !== null));
  return byCurve ?? methods[0];
}

/** Returns the program that waters one plant, wherever it stands then. */
function wateringProgram(method: WateringMethod, { plant, time }: Dose, nozzle: Tool | undefined): RobotProgram {
  const place = { kind: 'point', args: { pointer_type: 'Plant', pointer_id: plant.id } } as const;
  if (method.kind === 'sequence') return { sequence_id: method.id, parameters: { [method.variable]: place } };
  const pin_number = { kind: 'named_pin', args: { pin_type: 'Peripheral', pin_id: method.id } } as const;
  const write = (pin_value: 0 | 1) => ({ kind: 'write_pin', args: { pin_number, pin_mode: 0, pin_value } }) as const;
  const waits = Array.from({ length: Math.ceil((time ?? 0) / maxWait) }, (_, index) => ({
    kind: 'wait' as const,
    args: { milliseconds: Math.min(maxWait, (time ?? 0) - index * maxWait) },
  }));
  /** The tip of the nozzle is over the plant. */
  const along = (axis: 'x' | 'y') => {
    const number = 0 - (nozzle?.[`effector_offset_${axis}`] ?? 0);
    const operand = { kind: 'numeric', args: { number } } as const;
    return [
      { kind: 'axis_overwrite', args: { axis, axis_operand: place } },
      { kind: 'axis_addition', args: { axis, axis_operand: operand } },
    ] as const;
  };
  return {
    kind: 'rpc_request',
    args: { label: 'watering', priority: 500 },
    body: [
      { kind: 'move', args: {}, body: [...along('x'), ...along('y'), { kind: 'safe_z', args: {} }] },
      ...(waits.length > 0 ? [write(1), ...waits, write(0)] : []),
    ],
  };
}

/** Returns the steps of a run that waters plants, in the order of their rows. */
export const wateringSteps = (method: WateringMethod, doses: readonly Dose[], nozzle: Tool | undefined): RunStep[] =>
  [...doses]
    .sort(({ plant: one }, { plant: other }) => one.x - other.x || one.y - other.y)
    .map((dose) => ({ point_id: dose.plant.id, program: wateringProgram(method, dose, nozzle) }));

/** Plants of one name that get the same. */
export interface DoseGroup extends Dose {
  readonly count: number;
}

/** Returns the doses with those that are alike together, in the order of their names. */
export function groupedDoses(doses: readonly Dose[]): DoseGroup[] {
  const groups = new Map<string, DoseGroup>();
  for (const dose of doses) {
    const key = JSON.stringify([dose.plant.name, dose.milliliters, dose.time, dose.age]);
    groups.set(key, { ...dose, count: (groups.get(key)?.count ?? 0) + 1 });
  }
  return [...groups.values()].sort((one, other) => compareNames(one.plant.name, other.plant.name));
}
