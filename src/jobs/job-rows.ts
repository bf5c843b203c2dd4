import { column } from '../db/columns.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';

/** Arguments of a job, without secrets. */
export type JobPayload = Readonly<Record<string, unknown>>;

/**
 * Background jobs, each run at least once. The row is deleted when the job is done; a job that failed permanently is kept
 * with `failed_at` set. `device_id` has no foreign key, since the job that deletes a device outlives it.
 */
export const jobs = table(
  'jobs',
  {
    kind: column.text(),
    payload: column.json<JobPayload>(),
    run_at: column.time(),
    attempts: column.integer(),
    max_attempts: column.integer(),
    locked_until: column.time().nullable(),
    locked_by: column.text().nullable(),
    last_error: column.text().nullable(),
    failed_at: column.time().nullable(),
    device_id: column.bigint().nullable(),
    /** The person whose jobs take turns with other persons'; null: the job waits for no turn. */
    turn_of: column.bigint().nullable(),
    /** One job at a time runs of each key: there is one row for each. Null: the job waits for no other. */
    serial_key: column.text().nullable(),
    /** True: a job with a serial key was enqueued while it runs, so it runs again afterwards. */
    again: column.boolean().nullable(),
    /** The time since which it has waited for a part of this installation that is unavailable. */
    paused_since: column.time().nullable(),
  },
  { reach: 'server', owner: null, unique: [['serial_key']], indexes: [['run_at'], ['device_id']] },
);

export type JobRow = RowOf<typeof jobs>;

/** The last error of a job whose process ended at its last attempt. */
export const abandoned = 'abandoned';

/** The JSON of a job in the response to `DELETE /api/users`, without personal data. [decision 22] */
export function jobRecord(row: JobRow) {
  return {
    id: row.id,
    priority: 0,
    attempts: row.attempts,
    handler: row.kind,
    last_error: row.last_error,
    run_at: row.run_at,
    locked_at: null,
    failed_at: row.failed_at,
    locked_by: row.locked_by,
    queue: null,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
