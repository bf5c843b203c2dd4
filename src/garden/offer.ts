import type { peripherals } from './peripherals.ts';
import type { sensors } from './sensors.ts';
import type { tools } from './tools.ts';

/** The offer of the garden to other rooms. [ADR 100] */
export interface GardenOffer {
  readonly peripherals: typeof peripherals;
  readonly sensors: typeof sensors;
  readonly tools: typeof tools;
}
