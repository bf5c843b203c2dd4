import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Tickets for event streams. */
export const streamTickets: Migration = {
  number: 20261122194317,
  name: 'stream tickets',
  change(schema) {
    schema.createTable(
      'stream_tickets',
      {
        device_id: column.bigint().references('devices'),
        user_id: column.bigint().references('users'),
        jti: column.text(),
        kind: column.text(),
        digest: column.text(),
        expires_at: column.time(),
      },
      { unique: [['digest']], indexes: [['device_id'], ['user_id']] },
    );
  },
};
