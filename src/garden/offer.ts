import type { peripherals } from './peripherals.ts';
import type { points } from './points.ts';
import type { lastAnalogReadings } from './sensor-readings.ts';
import type { sensors } from './sensors.ts';
import type { tools } from './tools.ts';

/** The offer of the garden to other rooms. [ADR 100] */
export interface GardenOffer {
  readonly peripherals: typeof peripherals;
  readonly points: typeof points;
  readonly sensors: typeof sensors;
  readonly lastAnalogReadings: typeof lastAnalogReadings;
  readonly tools: typeof tools;
}
