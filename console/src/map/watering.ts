import type { RecordOf } from '../data/collections.ts';
import type { RobotProgram } from '../data/commands.ts';
import { parametersOf } from '../data/parameters.ts';
import { errorMessage } from '../ui/error-message.ts';
import { Store, useStore } from '../ui/store.ts';
import type { Plant } from './points.ts';
import { moveTo, runAt } from './robot-commands.ts';

/** A method of watering a plant: running a program of the garden that takes a place, or opening a peripheral above it. */
export type WateringMethod =
  | { readonly kind: 'sequence'; readonly id: number; readonly name: string; readonly variable: string }
  | { readonly kind: 'peripheral'; readonly id: number; readonly name: string };

/** How long a peripheral is open, in ms. */
export const openTime = 2000;

/** Names of programs and peripherals for water. */
export const aboutWater = /water|arros|irrig|bewässer|gießen|\beau\b/i;
const locations: readonly string[] = ['coordinate', 'point', 'tool', 'location_placeholder'];

/** Returns the methods of watering plants of a garden: programs that are named for it and take one place, then peripherals that are named for it. The first is the usual one. */
export function wateringMethods(
  sequences: readonly Pick<RecordOf<'sequences'>, 'id' | 'name' | 'args'>[],
  peripherals: readonly Pick<RecordOf<'peripherals'>, 'id' | 'label'>[],
): readonly WateringMethod[] {
  const programs = sequences.flatMap((sequence): WateringMethod[] => {
    const [only, ...others] = parametersOf(sequence);
    return only &&
      others.length === 0 &&
      aboutWater.test(sequence.name) &&
      locations.includes(only.args.default_value.kind)
      ? [{ kind: 'sequence', id: sequence.id, name: sequence.name, variable: only.args.label }]
      : [];
  });
  const valves = peripherals.filter(({ label }) => aboutWater.test(label));
  return [...programs, ...valves.map(({ id, label }): WateringMethod => ({ kind: 'peripheral', id, name: label }))];
}

/** Returns the program that waters one plant. */
function wateringProgram(method: WateringMethod, { id, x, y }: Pick<Plant, 'id' | 'x' | 'y'>): RobotProgram {
  if (method.kind === 'sequence')
    return {
      kind: 'execute',
      args: { sequence_id: method.id },
      body: [
        {
          kind: 'parameter_application',
          args: {
            label: method.variable,
            data_value: { kind: 'point', args: { pointer_type: 'Plant', pointer_id: id } },
          },
        },
      ],
    };
  const pin_number = { kind: 'named_pin', args: { pin_type: 'Peripheral', pin_id: method.id } } as const;
  return {
    kind: 'rpc_request',
    args: { label: 'watering', priority: 500 },
    body: [
      moveTo({ x, y }),
      { kind: 'write_pin', args: { pin_number, pin_mode: 0, pin_value: 1 } },
      { kind: 'wait', args: { milliseconds: openTime } },
      { kind: 'write_pin', args: { pin_number, pin_mode: 0, pin_value: 0 } },
    ],
  };
}

/** The progress of watering. */
export interface Watering {
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  readonly total: number;
  readonly watered: number;
  /** The name of the plant that is being watered, or at which it ended. */
  readonly plant: string;
  /** The reason why it failed. */
  readonly problem: string | null;
  readonly isStopping: boolean;
}

const watering = new Store<Watering | null>(null);

/** Returns the progress of watering; null if none was started, or its result was dismissed. It continues when another page is opened. */
export const useWatering = (): Watering | null => useStore(watering);

/** Ends watering after the current plant, or removes its result. */
export function endWatering(): void {
  const now = watering.get();
  watering.set(now?.state === 'running' ? { ...now, isStopping: true } : null);
}

/** Waters plants one after the other, in the order of their rows. Ends at the first failure. Does nothing while it runs. */
export async function startWatering(plants: readonly Plant[], method: WateringMethod): Promise<void> {
  if (watering.get()?.state === 'running') return;
  const ordered = [...plants].sort((a, b) => a.x - b.x || a.y - b.y);
  let now: Watering = {
    state: 'running',
    total: ordered.length,
    watered: 0,
    plant: ordered[0]?.name ?? '',
    problem: null,
    isStopping: false,
  };
  for (const plant of ordered) {
    if (now.isStopping) return watering.set({ ...now, state: 'stopped' });
    now = { ...now, plant: plant.name };
    watering.set(now);
    try {
      await runAt(plant.x, plant.y, wateringProgram(method, plant));
    } catch (error) {
      return watering.set({ ...now, state: 'failed', problem: errorMessage(error) });
    }
    now = { ...now, watered: now.watered + 1, isStopping: watering.get()?.isStopping ?? false };
  }
  watering.set({ ...now, state: 'done' });
}
