import type { peripherals } from './peripherals.ts';
import type { sensors } from './sensors.ts';
import type { tools } from './tools.ts';

/** What the garden offers to other rooms. [ADR 100] */
export interface GardenOffer {
  readonly peripherals: typeof peripherals;
  readonly sensors: typeof sensors;
  readonly tools: typeof tools;
}
