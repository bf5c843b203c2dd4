import type { Migration } from '../migrator.ts';

/** Adds an index of token_issuances. */
export const resumeCookies: Migration = {
  number: 20261128234855,
  name: 'resume cookies',
  expand(schema) {
    schema.createIndex('token_issuances', ['resume_cookie_hash']);
  },
};
