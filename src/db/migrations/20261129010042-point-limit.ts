import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Adds devices.max_point_count. */
export const pointLimit: Migration = {
  number: 20261129010042,
  name: 'point limit',
  expand(schema) {
    schema.addColumn('devices', 'max_point_count', column.integer().nullable());
  },
};
