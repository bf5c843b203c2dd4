import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Adds sensors.dry_reading and sensors.wet_reading. */
export const sensorCalibration: Migration = {
  number: 20261129005224,
  name: 'sensor calibration',
  expand(schema) {
    schema.addColumn('sensors', 'dry_reading', column.integer().nullable());
    schema.addColumn('sensors', 'wet_reading', column.integer().nullable());
  },
};
