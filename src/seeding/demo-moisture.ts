import { timestamp } from '../core/clock.ts';
import { curveValue } from '../core/growth.ts';
import type { DeviceScope } from '../db/scope.ts';
import { announceChanged, updateRecord } from '../engine/records.ts';
import { sensorReadings } from '../garden/sensor-readings.ts';
import { sensors } from '../garden/sensors.ts';
import { SoilMoisture } from '../robot/soil-moisture.ts';
import { addReadings } from '../series/series-store.ts';
import { flowRate } from './demo-garden.ts';
import type { DemoPast } from './demo-past.ts';
import { day, madeAt, plantingHour } from './demo-past.ts';
import { measuredPlants, measuring, pastRuns, watering } from './demo-schedule.ts';
import { soilSensor } from './programs/measuring.ts';

/** The height of the sensor when it measures, in mm. */
const soilHeight = -500;
/** The time from one plant to the next, in ms. */
const walk = 15_000;

const pinOf = ({ product }: DemoPast): number | undefined =>
  product?.frame.sensors.find(({ label }) => label === soilSensor)?.pin;

/** Returns the readings of the past: of simulated soil, which the waterings of the schedule raise. */
export function moistureReadings(past: DemoPast) {
  const pin = pinOf(past);
  const plants = measuredPlants(past);
  if (pin === undefined) return [];
  const soil = new SoilMoisture();
  const steps = [
    ...pastRuns(past, watering).map((time) => ({ time, isWatering: true })),
    ...pastRuns(past, measuring).map((time) => ({ time, isWatering: false })),
  ].toSorted((a, b) => a.time - b.time);
  return steps.flatMap(({ time, isWatering }) =>
    plants.flatMap(({ x, y, crop, age }, index) => {
      const at = time + index * walk;
      const days = (at - past.at(age ?? 0, plantingHour)) / day;
      if (isWatering) {
        const milliliters = curveValue(crop.water ?? {}, Math.ceil(days)) ?? 0;
        soil.water({ x, y, z: 0 }, (1000 * milliliters) / flowRate, at);
        return [];
      }
      if (at > past.now) return [];
      const value = soil.valueAt({ x, y, z: 0 }, at);
      return [{ pin, mode: 1 as const, value, x, y, z: soilHeight, read_at: timestamp(at), ...madeAt(at) }];
    }),
  );
}

/** Readings of simulated soil that is dry, and that is soaked. */
const calibration = { dry_reading: 250, wet_reading: 850 } as const;

/** Stores the readings of the past, announces them, and calibrates the sensor unless it is. */
export async function seedMoisture(scope: DeviceScope, past: DemoPast): Promise<void> {
  const pin = pinOf(past);
  const sensor = pin === undefined ? undefined : await scope.first(sensors, { where: { pin, dry_reading: null } });
  if (sensor) await updateRecord(scope, sensors, sensor, calibration);
  const rows = await scope.insertAll(sensorReadings, moistureReadings(past));
  await addReadings(scope, rows);
  for (const { id } of rows) announceChanged(scope, sensorReadings, id);
}
