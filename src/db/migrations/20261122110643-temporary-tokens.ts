import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Tokens for a short time, which end with the session that they were issued to. */
export const temporaryTokens: Migration = {
  number: 20261122110643,
  name: 'temporary tokens',
  change(schema) {
    schema.addColumn('token_issuances', 'parent_id', column.bigint().references('token_issuances').nullable());
    schema.createIndex('token_issuances', ['parent_id']);
  },
};
