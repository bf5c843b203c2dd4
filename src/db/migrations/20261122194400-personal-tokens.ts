import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Tokens with a name and scopes, for scripts. */
export const personalTokens: Migration = {
  number: 20261122194400,
  name: 'personal tokens',
  change(schema) {
    schema.createTable(
      'personal_tokens',
      {
        device_id: column.bigint().references('devices'),
        user_id: column.bigint().references('users'),
        name: column.text(),
        token_hash: column.text(),
        scopes: column.json(),
        expires_at: column.time().nullable(),
        last_used_at: column.time().nullable(),
      },
      { unique: [['token_hash']], indexes: [['device_id'], ['user_id']] },
    );
  },
};
