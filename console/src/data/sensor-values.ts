import type { RecordOf } from './collections.ts';

type Calibration = Pick<RecordOf<'sensors'>, 'dry_reading' | 'wet_reading'>;

/** Returns a function for the percentages of readings between dry (0) and wet (100); null: the sensor is not calibrated. */
export function percentOf({ dry_reading: dry, wet_reading: wet }: Calibration): ((value: number) => number) | null {
  if (dry === null || wet === null || dry === wet) return null;
  return (value) => Math.min(100, Math.max(0, ((value - dry) / (wet - dry)) * 100));
}

/** The unit behind a percentage. */
export const percentUnit = ' %';
