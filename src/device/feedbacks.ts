import { column } from '../db/columns.ts';
import { table } from '../db/table.ts';

/** Messages of users to the operator, kept until they are removed. [ADR 34] */
export const feedbacks = table(
  'feedbacks',
  {
    device_id: column.bigint().references('devices'),
    user_id: column.bigint().references('users'),
    message: column.text(),
    slug: column.text().nullable(),
  },
  { reach: 'device', indexes: [['device_id', 'created_at']] },
);
