import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Virtual robots that the server runs. */
export const virtualRobots: Migration = {
  number: 20261122194100,
  name: 'virtual robots',
  change(schema) {
    schema.createTable(
      'virtual_robots',
      {
        device_id: column.bigint().references('devices'),
        user_id: column.bigint().references('users'),
        is_running: column.boolean(),
        is_demo: column.boolean(),
        started_at: column.time(),
        ended_at: column.time().nullable(),
        ended_because: column.text().nullable(),
        jti: column.text().nullable(),
        x: column.float(),
        y: column.float(),
        z: column.float(),
        lease_by: column.text().nullable(),
        lease_until: column.time().nullable(),
      },
      { unique: [['device_id']], indexes: [['is_running'], ['user_id']] },
    );
  },
};
