import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Changes of e-mail addresses that can be taken back, and when a session began. Links for changes that are not confirmed yet end. */
export const emailChanges: Migration = {
  number: 20261122074500,
  name: 'changes of e-mail addresses',
  change(schema) {
    schema.createTable(
      'email_changes',
      {
        user_id: column.bigint().references('users'),
        old_email: column.text(),
        new_email: column.text(),
        is_pending: column.boolean(),
      },
      { indexes: [['user_id'], ['old_email']] },
    );
    schema.addColumn('token_issuances', 'signed_in_at', column.time().nullable());
    schema.execute({
      sqlite: 'update users set confirmation_token = lower(hex(randomblob(16))) where unconfirmed_email is not null',
      postgres: 'update users set confirmation_token = gen_random_uuid()::text where unconfirmed_email is not null',
    });
    schema.dropColumn('users', 'unconfirmed_email');
    schema.dropTable('used_reset_tokens');
  },
};
