import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Secret addresses of calendars. */
export const calendarFeeds: Migration = {
  number: 20261122185804,
  name: 'calendar feeds',
  change(schema) {
    schema.createTable(
      'calendar_feeds',
      {
        device_id: column.bigint().references('devices'),
        user_id: column.bigint().references('users'),
        secret_hash: column.text(),
      },
      { unique: [['device_id', 'user_id'], ['secret_hash']], indexes: [['user_id']] },
    );
  },
};
