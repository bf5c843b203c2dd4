import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Messages of users to the operator. */
export const feedbacks: Migration = {
  number: 20261122085500,
  name: 'feedbacks',
  change(schema) {
    schema.createTable(
      'feedbacks',
      {
        device_id: column.bigint().references('devices'),
        user_id: column.bigint().references('users'),
        message: column.text(),
        slug: column.text().nullable(),
      },
      { indexes: [['device_id', 'created_at'], ['user_id']] },
    );
  },
};
