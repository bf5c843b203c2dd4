import Sqlite from 'better-sqlite3';
import { serverKeys } from '../../src/accounts/key-pair.ts';
import type { Column, ColumnType } from '../../src/db/columns.ts';
import { databasePath } from '../../src/db/open.ts';
import { tables } from '../../src/resources.ts';

/** Ids of the rows of each table; those in between were deleted. */
const ids = [1, 5, 9];
/** The id that a table gives next is above this one. */
export const lastId = 20;

/** Values at the limits of what each type stores, other ones for each row. */
const values: Readonly<Record<ColumnType, (id: number) => unknown>> = {
  text: (id) => `O'Reilly "\\{},\n\t NULL é 🌱 ${id}`,
  integer: (id) => 2_147_483_647 - id,
  bigint: (id) => Number.MAX_SAFE_INTEGER - id,
  float: (id) => ({ 1: 0.1 + 0.2, 5: -1.5e-7, 9: 1e21 })[id],
  boolean: (id) => (id === 5 ? 1 : 0),
  time: (id) => `2026-02-28T23:59:59.00${id}Z`,
  json: (id) => `{"z": 1.0, "a":[null,true,"\\u00e9 \\\\ ${id}"],"z2":{}}`,
};

/** A reference to the row before it, so that rows refer to later ones. */
const referred = (id: number): number => ids[(ids.indexOf(id) + 2) % ids.length] ?? 1;

function sampleOf({ type, isNullable, foreignKey }: Column, id: number): unknown {
  if (foreignKey) return referred(id);
  return isNullable && id === 9 ? null : values[type](id);
}

/** Fills every table of a migrated SQLite database with three rows. */
export function fillTables(folder: string): void {
  const database = new Sqlite(databasePath(folder));
  database.pragma('foreign_keys = off');
  for (const { name, columns } of tables) {
    if (name === serverKeys.name) continue;
    database.exec(`delete from ${name}`);
    const names = Object.keys(columns);
    const insert = database.prepare(
      `insert into ${name} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
    );
    for (const id of ids) insert.run(names.map((each) => (each === 'id' ? id : sampleOf(columns[each] as Column, id))));
    database.prepare('update sqlite_sequence set seq = ? where name = ?').run(lastId, name);
  }
  database.close();
}

/** Returns all rows of an SQLite database and where its ids continue, by table, as the driver reads them. */
export function allRows(folder: string): Record<string, unknown> {
  const database = new Sqlite(databasePath(folder), { readonly: true });
  const names = database
    .prepare("select name from sqlite_schema where type = 'table' and name <> 'schema_migrations' order by name")
    .pluck()
    .all() as string[];
  const rows = Object.fromEntries(
    names.map((name) => [name, database.prepare(`select * from ${name} order by 1, 2`).raw().all()]),
  );
  database.close();
  return rows;
}
