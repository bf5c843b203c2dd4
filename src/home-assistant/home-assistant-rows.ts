import { column } from '../db/columns.ts';
import { leaseColumns } from '../db/lease.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';

/** The gardens that are, or were, shown in Home Assistant, or that an administrator allowed to be. */
export const homeAssistants = table(
  'home_assistants',
  {
    device_id: column.bigint().references('devices'),
    /** Switched on by an owner. */
    is_on: column.boolean(),
    /** Allowed by an administrator of the server. */
    is_allowed: column.boolean(),
    /** Its discovery is retained on Home Assistant's broker. */
    is_published: column.boolean(),
    ...leaseColumns,
    /** Of the password for the built-in broker; null: none. */
    password_hash: column.text().nullable(),
    /** The user who created the password. */
    password_by: column.bigint().nullable(),
  },
  { reach: 'both', unique: [['device_id']] },
);

export type HomeAssistantRow = RowOf<typeof homeAssistants>;
