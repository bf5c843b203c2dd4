import { useMemo } from 'react';
import { type Measurement, minSoilHeights, soilHeights } from '../../../src/core/soil-height.ts';
import { useRecords } from '../data/collections.ts';
import { percentOf } from '../data/sensor-values.ts';
import type { Point } from './points.ts';

/** Returns the heights of the soil among the points, in mm. */
export const useSoilHeights = (points: readonly Point[]): readonly Measurement[] =>
  useMemo(() => soilHeights(points), [points]);

/** Returns the heights of the soil among the points between which a robot interpolates: none if they are too few. */
export function useInterpolatedHeights(points: readonly Point[]): readonly Measurement[] {
  const heights = useSoilHeights(points);
  return useMemo(() => (heights.length < minSoilHeights ? [] : heights), [heights]);
}

/** A reading at a place. */
export interface Reading extends Measurement {
  readonly id: number;
  readonly pin: number;
  readonly mode: number;
  readonly read_at: string;
  /** Null: its sensor is not calibrated. */
  readonly percent: number | null;
}

/** Returns the newest reading with a place, of each place and pin. Suspends. */
export function useReadings(): readonly Reading[] {
  const readings = useRecords('sensor_readings');
  const sensors = useRecords('sensors');
  return useMemo(() => {
    const percents = new Map(sensors.map((sensor) => [sensor.pin, percentOf(sensor)]));
    const newest = new Map<string, Reading>();
    // By their receipt: the clock of the robot may be wrong.
    for (const { id, x, y, value, mode, pin, read_at } of [...readings].sort((a, b) => a.id - b.id)) {
      const percent = mode === 1 ? (percents.get(pin)?.(value) ?? null) : null;
      if (x !== null && y !== null) newest.set(`${x} ${y} ${pin}`, { id, x, y, value, pin, mode, read_at, percent });
    }
    return [...newest.values()];
  }, [readings, sensors]);
}

/** Values of analog sensors, all in the same unit. */
export interface Moisture {
  readonly values: readonly Measurement[];
  /** Whether they are percentages: those of calibrated sensors, if there are any; others are from 0 to 1023. */
  readonly isPercent: boolean;
}

/** Returns the readings of analog sensors. Suspends. */
export function useMoisture(): Moisture {
  const readings = useReadings();
  return useMemo(() => {
    const percentages = readings.flatMap(({ x, y, percent }) => (percent === null ? [] : [{ x, y, value: percent }]));
    const isPercent = percentages.length > 0;
    return { values: isPercent ? percentages : readings.filter(({ mode }) => mode === 1), isPercent };
  }, [readings]);
}

/** The distance within which a reading is that of a plant, in mm. */
const reach = 300;

/** Returns the newest reading of an analog sensor near a place; undefined if there is none. Suspends. */
export function useMoistureNear(x: number, y: number): Reading | undefined {
  const readings = useReadings();
  return readings
    .filter((each) => each.mode === 1 && Math.hypot(each.x - x, each.y - y) <= reach)
    .reduce<Reading | undefined>((last, each) => (last && last.id > each.id ? last : each), undefined);
}
