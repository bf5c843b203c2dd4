import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Which logs did not come from the broker, for event streams. */
export const postedLogs: Migration = {
  number: 20261123051500,
  name: 'posted logs',
  change(schema) {
    schema.createTable(
      'posted_logs',
      { device_id: column.bigint().references('devices'), log_id: column.bigint() },
      { indexes: [['device_id']] },
    );
  },
};
