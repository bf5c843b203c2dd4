import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Which sign-in a token belongs to, and its last use. */
export const sessions: Migration = {
  number: 20261122191300,
  name: 'sessions',
  change(schema) {
    schema.addColumn('token_issuances', 'session_id', column.bigint().nullable());
    schema.addColumn('token_issuances', 'last_used_at', column.time().nullable());
    schema.addColumn('token_issuances', 'address', column.text().nullable());
    schema.addColumn('token_issuances', 'user_agent', column.text().nullable());
  },
};
