import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../src/core/clock.ts';
import type { Logger } from '../src/core/logger.ts';
import type { ColumnType } from '../src/db/columns.ts';
import { migrations } from '../src/db/migrations/list.ts';
import { migrate } from '../src/db/migrator.ts';
import { openPostgres } from '../src/db/postgres.ts';
import type { Database } from '../src/db/session.ts';
import { openSqlite } from '../src/db/sqlite.ts';
import type { Table } from '../src/db/table.ts';
import { tables } from '../src/resources.ts';
import { createDatabase, dropDatabase } from './support/databases.ts';
import { describeEngines } from './support/engines.ts';

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A table's schema, read from a database. */
interface RealTable {
  columns: Record<string, { type: string; nullable: boolean }>;
  foreignKeys: string[];
  /** `key a,b` for unique indexes, `index a,b` for others; without the primary key. */
  indexes: string[];
}

const names: Record<'sqlite' | 'postgres', Record<ColumnType, string>> = {
  sqlite: {
    text: 'TEXT',
    integer: 'INTEGER',
    bigint: 'INTEGER',
    float: 'REAL',
    boolean: 'INTEGER',
    time: 'TEXT',
    json: 'TEXT',
  },
  postgres: {
    text: 'text',
    integer: 'integer',
    bigint: 'bigint',
    float: 'double precision',
    boolean: 'boolean',
    time: 'timestamp(3) with time zone',
    json: 'json',
  },
};

function declared(table: Table, engine: 'sqlite' | 'postgres'): RealTable {
  const columns: RealTable['columns'] = {};
  for (const [name, { type, isNullable }] of Object.entries(table.columns))
    columns[name] = { type: names[engine][type], nullable: isNullable };
  return {
    columns,
    foreignKeys: Object.entries(table.columns)
      .flatMap(([name, { foreignKey }]) => (foreignKey ? [`${name} → ${foreignKey.table} ${foreignKey.onDelete}`] : []))
      .sort(),
    indexes: [
      ...table.unique.map((columns) => `key ${columns.join()}`),
      ...table.indexes.map((columns) => `index ${columns.join()}`),
    ].sort(),
  };
}

async function sqliteTable(database: Database, name: string): Promise<RealTable> {
  const rows = async (sql: string) => database.reader.query(sql, []);
  const columns: RealTable['columns'] = {};
  for (const [, column, type, notNull, , key] of await rows(`pragma table_info(${name})`))
    columns[String(column)] = { type: String(type).toUpperCase(), nullable: notNull === 0 && key === 0 };
  const foreignKeys = (await rows(`pragma foreign_key_list(${name})`)).map(
    ([, , target, from, , , onDelete]) => `${from} → ${target} ${String(onDelete).toLowerCase()}`,
  );
  const indexes: string[] = [];
  for (const [, index, unique] of await rows(`pragma index_list(${name})`)) {
    const parts = (await rows(`pragma index_info(${index})`)).map(([, , column]) => column);
    indexes.push(`${unique === 1 ? 'key' : 'index'} ${parts.join()}`);
  }
  return { columns, foreignKeys: foreignKeys.sort(), indexes: indexes.sort() };
}

async function postgresTable(database: Database, name: string): Promise<RealTable> {
  const rows = async (sql: string) => database.reader.query(sql, [name]);
  const columns: RealTable['columns'] = {};
  for (const [column, type, notNull] of await rows(
    'select attname, format_type(atttypid, atttypmod), attnotnull from pg_attribute where attrelid = $1::regclass and attnum > 0 order by attnum',
  ))
    columns[String(column)] = { type: String(type), nullable: !notNull };
  const actions: Record<string, string> = { a: 'no action', c: 'cascade', n: 'set null' };
  const foreignKeys = (
    await rows(
      'select a.attname, c.confrelid::regclass::text, c.confdeltype from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1] where c.contype = $$f$$ and c.conrelid = $1::regclass',
    )
  ).map(([from, target, action]) => `${from} → ${target} ${actions[String(action)]}`);
  const indexes = (
    await rows(
      'select i.indisunique, (select string_agg(a.attname, $$,$$ order by k.place) from unnest(i.indkey::int[]) with ordinality k(number, place) join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number) from pg_index i where i.indrelid = $1::regclass and not i.indisprimary',
    )
  ).map(([unique, parts]) => `${unique ? 'key' : 'index'} ${parts}`);
  return { columns, foreignKeys: foreignKeys.sort(), indexes: indexes.sort() };
}

describeEngines('the migrated schema', (engine) => {
  let folder: string;
  let url: string;
  let database: Database;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'potager-schema-'));
    if (engine === 'postgres') url = await createDatabase();
    database = engine === 'sqlite' ? openSqlite(join(folder, 'potager.sqlite')) : openPostgres(url, () => undefined);
    await migrate(database, migrations, { clock: systemClock, log: silent, copies: join(folder, 'copies') });
  });

  afterAll(async () => {
    await database.close();
    if (url) await dropDatabase(url);
    rmSync(folder, { recursive: true });
  });

  it.each(tables.map((table) => [table.name, table] as const))('%s matches its declaration', async (name, table) => {
    const real = await (engine === 'sqlite' ? sqliteTable : postgresTable)(database, name);
    expect(real).toEqual(declared(table, engine));
  });

  it('has only declared tables', async () => {
    const sql =
      engine === 'sqlite'
        ? "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name"
        : "select table_name from information_schema.tables where table_schema = 'public' order by table_name";
    const found = (await database.reader.query(sql, [])).map(([name]) => name);
    expect(found).toEqual([...tables.map(({ name }) => name), 'schema_migrations'].sort());
  });

  it('has no index that is a prefix of another', () => {
    for (const { name, unique, indexes } of tables) {
      const all = [...unique, ...indexes].map((columns) => `${columns.join()},`);
      for (const one of all)
        expect(
          all.filter((other) => other !== one && other.startsWith(one)),
          `${name} ${one}`,
        ).toEqual([]);
    }
  });
});
