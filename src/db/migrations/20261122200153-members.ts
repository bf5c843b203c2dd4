import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** People in gardens other than their own, invitations, and passwords of the robots of further gardens. */
export const members: Migration = {
  number: 20261122200153,
  name: 'members',
  change(schema) {
    const device_id = column.bigint().references('devices');
    schema.createTable(
      'members',
      { device_id, user_id: column.bigint().references('users'), role: column.text() },
      { unique: [['device_id', 'user_id']], indexes: [['user_id']] },
    );
    schema.createTable(
      'invitations',
      {
        device_id,
        email: column.text(),
        role: column.text().nullable(),
        invited_by: column.bigint().references('users'),
        token_hash: column.text().nullable(),
        is_mailed: column.boolean(),
        expires_at: column.time(),
      },
      { unique: [['token_hash']], indexes: [['device_id'], ['expires_at'], ['invited_by']] },
    );
    schema.createTable('garden_passwords', { device_id, hash: column.text() }, { unique: [['device_id'], ['hash']] });
  },
};
