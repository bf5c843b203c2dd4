import type { Migration } from '../migrator.ts';

/** Finds the changes of one record. */
export const history: Migration = {
  number: 20261122195000,
  name: 'history',
  change(schema) {
    schema.createIndex('changes', ['device_id', 'resource', 'record_id']);
  },
};
