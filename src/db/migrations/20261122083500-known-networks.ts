import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Networks from which users have signed in. */
export const knownNetworks: Migration = {
  number: 20261122083500,
  name: 'known networks',
  change(schema) {
    schema.createTable(
      'known_networks',
      { user_id: column.bigint().references('users'), network: column.text() },
      { unique: [['user_id', 'network']] },
    );
  },
};
