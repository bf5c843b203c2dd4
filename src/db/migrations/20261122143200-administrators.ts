import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Users who administer the server. */
export const administrators: Migration = {
  number: 20261122143200,
  name: 'administrators',
  change(schema) {
    schema.addColumn('users', 'admin', column.boolean().nullable());
    schema.execute({ sqlite: 'update users set admin = 0', postgres: 'update users set admin = false' });
    schema.setNullable('users', 'admin', false);
  },
};
