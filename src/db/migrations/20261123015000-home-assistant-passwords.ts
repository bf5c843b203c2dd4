import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Passwords of gardens' Home Assistants for the built-in broker. */
export const homeAssistantPasswords: Migration = {
  number: 20261123015000,
  name: 'home assistant passwords',
  change(schema) {
    schema.addColumn('home_assistants', 'password_hash', column.text().nullable());
    schema.addColumn('home_assistants', 'password_by', column.bigint().nullable());
  },
};
