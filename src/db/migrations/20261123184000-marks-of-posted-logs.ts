import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Which logs did not come from the broker. [ADR 88] */
export const marksOfPostedLogs: Migration = {
  number: 20261123184000,
  name: 'marks of posted logs',
  expand(schema) {
    schema.addColumn('logs', 'posted', column.boolean().nullable());
  },
};
