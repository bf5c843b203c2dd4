import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Users of tokens, disabled users, and decisions of administrators. Where there are accounts already, none becomes an administrator by itself. */
export const administration: Migration = {
  number: 20261122183500,
  name: 'administration',
  change(schema) {
    schema.addColumn('users', 'disabled_at', column.time().nullable());
    schema.addColumn('token_issuances', 'user_id', column.bigint().references('users').nullable());
    schema.execute(
      'update token_issuances set user_id = (select min(id) from users where users.device_id = token_issuances.device_id)',
    );
    schema.execute('delete from token_issuances where user_id is null');
    schema.setNullable('token_issuances', 'user_id', false);
    schema.createIndex('token_issuances', ['user_id']);
    schema.createTable('server_settings', { key: column.text(), value: column.text() }, { unique: [['key']] });
    const guests = "email like 'guest|_%@farmbot.guest' escape '|'";
    const firstAccount = `case when exists (select 1 from users where not ${guests}) then 'made' else 'expected' end`;
    const insertSettings = (now: string) =>
      `insert into server_settings (created_at, updated_at, key, value) select ${now}, ${now}, 'first_account', ${firstAccount} union all select ${now}, ${now}, 'sign_up', 'default'`;
    schema.execute({
      sqlite: insertSettings("strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"),
      postgres: insertSettings("date_trunc('milliseconds', now())"),
    });
  },
};
