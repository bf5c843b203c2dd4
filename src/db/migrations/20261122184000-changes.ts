import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** The change log. */
export const changes: Migration = {
  number: 20261122184000,
  name: 'changes',
  change(schema) {
    schema.createTable(
      'changes',
      {
        device_id: column.bigint().references('devices'),
        request: column.text(),
        actor_kind: column.text(),
        actor_user_id: column.bigint().nullable(),
        actor_name: column.text().nullable(),
        actor_via: column.text().nullable(),
        resource: column.text(),
        record_id: column.bigint(),
        action: column.text(),
        byte_size: column.integer(),
        before: column.text().nullable(),
        after: column.text().nullable(),
        label: column.text(),
        origin: column.text(),
      },
      { indexes: [['device_id', 'id', 'byte_size']] },
    );
  },
};
