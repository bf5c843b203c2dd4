import { useMemo } from 'react';
import { type Measurement, minSoilHeights, soilHeights } from '../../../src/core/soil-height.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import type { Point } from './points.ts';

/** Returns the heights of the soil among the points, in mm. */
export const useSoilHeights = (points: readonly Point[]): readonly Measurement[] =>
  useMemo(() => soilHeights(points), [points]);

/** Returns the heights of the soil among the points between which a robot interpolates: none if they are too few. */
export function useInterpolatedHeights(points: readonly Point[]): readonly Measurement[] {
  const heights = useSoilHeights(points);
  return useMemo(() => (heights.length < minSoilHeights ? [] : heights), [heights]);
}

/** A sensor reading with its place. */
type PlacedReading = Measurement & Pick<RecordOf<'sensor_readings'>, 'id' | 'mode' | 'pin' | 'read_at'>;

/** Returns the newest reading with a place, of each place and pin. Suspends. */
export function useReadings(): readonly PlacedReading[] {
  const readings = useRecords('sensor_readings');
  return useMemo(() => {
    const newest = new Map<string, PlacedReading>();
    // By their receipt: the clock of the robot may be wrong.
    for (const { id, x, y, value, mode, pin, read_at } of [...readings].sort((a, b) => a.id - b.id))
      if (x !== null && y !== null) newest.set(`${x} ${y} ${pin}`, { id, x, y, value, mode, pin, read_at });
    return [...newest.values()];
  }, [readings]);
}

/** Returns the readings of analog sensors, from 0 to 1023. Suspends. */
export function useMoisture(): readonly Measurement[] {
  const readings = useReadings();
  return useMemo(() => readings.filter(({ mode }) => mode === 1), [readings]);
}
