import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** From which release on processes may use the database after a migration that they do not know. */
export const compatibleVersions: Migration = {
  number: 20261123121500,
  name: 'compatible versions',
  change(schema) {
    schema.addColumn('schema_migrations', 'compatible_from', column.text().nullable());
  },
};
