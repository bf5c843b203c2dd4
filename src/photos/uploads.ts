import { column } from '../db/columns.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';

/** The keys for uploads that this server gave out. Whoever knows one may upload with it, and read what was uploaded; so it is random. [decision 18] */
export const uploads = table(
  'uploads',
  {
    device_id: column.bigint().references('devices'),
    /** A UUID. */
    key: column.text(),
    /** What a client sends back to prove that the key was given to it. */
    signature: column.text(),
    expires_at: column.time(),
    /** Null while nothing was uploaded. */
    uploaded_at: column.time().nullable(),
  },
  { reach: 'both', unique: [['key']], indexes: [['device_id', 'expires_at'], ['created_at']] },
);

export type UploadRow = RowOf<typeof uploads>;
