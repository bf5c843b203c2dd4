import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** One job at a time of each key. [ADR 97] */
export const serialKeysOfJobs: Migration = {
  number: 20261128094800,
  name: 'serial keys of jobs',
  expand(schema) {
    schema.addColumn('jobs', 'serial_key', column.text().nullable());
    schema.createIndex('jobs', ['serial_key'], true);
  },
};
