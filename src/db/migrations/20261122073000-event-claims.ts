import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** The process that delivers an event. */
export const eventClaims: Migration = {
  number: 20261122073000,
  name: 'event claims',
  change(schema) {
    schema.addColumn('events', 'claimed_by', column.text().nullable());
  },
};
