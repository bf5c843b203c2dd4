import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** How many transactions of each device were committed on PostgreSQL, for the values in memory. */
export const deviceCommits: Migration = {
  number: 20261123121000,
  name: 'device commits',
  change(schema) {
    schema.addColumn('devices', 'commits', column.bigint().nullable());
  },
};
