import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Adds jobs.again. */
export const marksOfSerialJobs: Migration = {
  number: 20261128114854,
  name: 'marks of serial jobs',
  expand(schema) {
    schema.addColumn('jobs', 'again', column.boolean().nullable());
  },
};
