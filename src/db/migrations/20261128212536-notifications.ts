import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Adds notifications and notification_rules. */
export const notifications: Migration = {
  number: 20261128212536,
  name: 'notifications',
  expand(schema) {
    schema.createTable(
      'notifications',
      {
        device_id: column.bigint().references('devices'),
        kind: column.text(),
        message: column.text(),
        at: column.time(),
      },
      { indexes: [['device_id']] },
    );
    schema.createTable(
      'notification_rules',
      {
        device_id: column.bigint().references('devices'),
        user_id: column.bigint().references('users'),
        way: column.text(),
        kinds: column.json(),
        address: column.text().nullable(),
        push_keys: column.json().nullable(),
        secret: column.text().nullable(),
        description: column.text().nullable(),
        quiet_from: column.text().nullable(),
        quiet_to: column.text().nullable(),
        active: column.boolean(),
        last_error: column.text().nullable(),
        read_id: column.bigint(),
      },
      { indexes: [['device_id'], ['user_id']] },
    );
  },
};
