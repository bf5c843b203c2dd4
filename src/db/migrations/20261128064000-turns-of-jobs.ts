import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** The person whose jobs take turns. [ADR 54] */
export const turnsOfJobs: Migration = {
  number: 20261128064000,
  name: 'turns of jobs',
  expand(schema) {
    schema.addColumn('jobs', 'turn_of', column.bigint().nullable());
  },
};
