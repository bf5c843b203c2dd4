import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Adds runs and run_places. */
export const runs: Migration = {
  number: 20261128205520,
  name: 'runs',
  expand(schema) {
    schema.createTable(
      'runs',
      {
        device_id: column.bigint().references('devices'),
        name: column.text(),
        state: column.text(),
        total: column.integer(),
        done: column.integer(),
        skipped: column.integer(),
        point_id: column.bigint().nullable(),
        place: column.text().nullable(),
        problem: column.text().nullable(),
        ended_at: column.time().nullable(),
        user_id: column.bigint(),
        is_sent: column.boolean(),
      },
      { indexes: [['device_id']] },
    );
    schema.createTable(
      'run_places',
      {
        device_id: column.bigint().references('devices'),
        run_id: column.bigint().references('runs'),
        number: column.integer(),
        point_id: column.bigint(),
        name: column.text(),
        program: column.json(),
      },
      { unique: [['run_id', 'number']], indexes: [['device_id']] },
    );
  },
};
