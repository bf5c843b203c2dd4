import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Gardens in Home Assistant. */
export const homeAssistants: Migration = {
  number: 20261122195500,
  name: 'home assistants',
  change(schema) {
    schema.createTable(
      'home_assistants',
      {
        device_id: column.bigint().references('devices'),
        is_on: column.boolean(),
        is_allowed: column.boolean(),
        is_published: column.boolean(),
        lease_by: column.text().nullable(),
        lease_until: column.time().nullable(),
      },
      { unique: [['device_id']] },
    );
  },
};
