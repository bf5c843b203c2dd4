import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { ColumnType } from '../../src/db/columns.ts';
import { migrations } from '../../src/db/migrations/list.ts';
import { migrate } from '../../src/db/migrator.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import type { Database } from '../../src/db/session.ts';
import { openSqlite } from '../../src/db/sqlite.ts';
import type { Table } from '../../src/db/table.ts';
import { tables } from '../../src/resources.ts';
import type { RealTable } from '../support/database-schema.ts';
import { dumpSchema, readTable } from '../support/database-schema.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';
import { describeEngines } from '../support/engines.ts';

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

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
    expect(await readTable(database, name), 'npm run migration -- NAME writes the migration').toEqual(
      declared(table, engine),
    );
  });

  it('is the one in docs/reference/schema, which `npx vitest run test/api/schema.test.ts -u` updates', async () => {
    await expect(await dumpSchema(database)).toMatchFileSnapshot(`../../docs/reference/schema/${engine}.sql`);
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
