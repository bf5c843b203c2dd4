import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Webhooks and their deliveries. */
export const webhooks: Migration = {
  number: 20261122191500,
  name: 'webhooks',
  change(schema) {
    schema.createTable(
      'webhooks',
      {
        device_id: column.bigint().references('devices'),
        url: column.text(),
        resources: column.json().nullable(),
        robot_events: column.json(),
        active: column.boolean(),
        description: column.text().nullable(),
        failing_since: column.time().nullable(),
        disabled_at: column.time().nullable(),
        user_id: column.bigint(),
        secret: column.text(),
        previous_secret: column.text().nullable(),
        previous_secret_until: column.time().nullable(),
        cursor: column.bigint(),
        attempts: column.integer(),
        next_attempt_at: column.time().nullable(),
        lease: column.text().nullable(),
        lease_until: column.time().nullable(),
      },
      { indexes: [['device_id']] },
    );
    schema.createTable(
      'webhook_deliveries',
      {
        device_id: column.bigint().references('devices'),
        webhook_id: column.bigint().references('webhooks'),
        message_id: column.text(),
        type: column.text(),
        change_id: column.bigint().nullable(),
        content: column.text().nullable(),
        status: column.text(),
        attempts: column.integer(),
        attempted_at: column.time().nullable(),
        duration: column.integer().nullable(),
        response_status: column.integer().nullable(),
        response_body: column.text().nullable(),
        error: column.text().nullable(),
      },
      { indexes: [['webhook_id', 'status', 'id']] },
    );
  },
};
