import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Adds token_issuances.resume_key_hash, token_issuances.resume_cookie_hash, token_issuances.resume_previous_hash, token_issuances.resume_rotated_at, and a unique index of token_issuances. */
export const resumableSessions: Migration = {
  number: 20261128205338,
  name: 'resumable sessions',
  expand(schema) {
    schema.addColumn('token_issuances', 'resume_key_hash', column.text().nullable());
    schema.addColumn('token_issuances', 'resume_cookie_hash', column.text().nullable());
    schema.addColumn('token_issuances', 'resume_previous_hash', column.text().nullable());
    schema.addColumn('token_issuances', 'resume_rotated_at', column.time().nullable());
    schema.createIndex('token_issuances', ['resume_key_hash'], true);
  },
};
