import type { Migration } from '../migrator.ts';

/**
 * Made a table for logs that did not come from the broker, which a column replaced before a release had it.
 * Databases of that time have this number, and keep the table unused.
 */
export const postedLogs: Migration = {
  number: 20261123051500,
  name: 'posted logs',
  change() {},
};
