import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Since when a job has waited for an unavailable part of the installation. */
export const pausedJobs: Migration = {
  number: 20261122083000,
  name: 'paused jobs',
  change(schema) {
    schema.addColumn('jobs', 'paused_since', column.time().nullable());
  },
};
