import { describe, expect, it } from 'vitest';
import { column } from './columns.ts';
import { postgresDialect, sqliteDialect } from './dialect.ts';
import { sql } from './sql.ts';
import { openConnection } from './sqlite-connection.ts';
import { Statements } from './statements.ts';
import { acrossDevices, externalTable, only, table, withJsonText } from './table.ts';

const pots = table(
  'pots',
  {
    device_id: column.bigint().references('devices'),
    name: column.text(),
    size: column.float().nullable(),
    labels: column.json<string[]>(),
  },
  { reach: 'device', unique: [['device_id', 'name']] },
);
const all = '"id", "created_at", "updated_at", "device_id", "name", "size", "labels"';

describe('statements', () => {
  it('differ between two tables with the same name', () => {
    const statements = new Statements(sqliteDialect);
    const names = only(pots, 'name');
    const text = withJsonText(pots, 'labels');
    const external = externalTable('pots', { size: column.float().nullable() });
    for (let call = 0; call < 2; call++) {
      expect(statements.delete(pots, 7, { where: { id: 1 } }).sql).toBe(
        `delete from "pots" where "device_id" = ? and "id" = ? returning ${all}`,
      );
      expect(statements.delete(names, 7, { where: { id: 1 } }).sql).toBe(
        'delete from "pots" where "device_id" = ? and "id" = ? returning "id", "created_at", "updated_at", "name"',
      );
      expect(statements.delete(external, 7, { where: { id: 1 } }).sql).toBe(
        'delete from "pots" where "device_id" = ? and "id" = ? returning "id", "created_at", "updated_at", "size"',
      );
      expect(statements.update(pots, 7, { labels: ['a'] }, {}).parameters).toEqual(['["a"]', 7]);
      expect(statements.update(text, 7, { labels: '["a"]' }, {}).parameters).toEqual(['["a"]', 7]);
    }
    expect([acrossDevices(names).reach, Object.keys(acrossDevices(names).columns)]).toEqual([
      'server',
      ['id', 'created_at', 'updated_at', 'name'],
    ]);
  });

  it('are planned for each call if they read many rows', () => {
    const selection = { key: 'sizes', expressions: ['sum("size")'], read: String };
    const isPrepared = (isLarge?: true) =>
      new Statements(postgresDialect).select(pots, 7, {}, { ...selection, ...(isLarge && { isLarge }) }).prepared;
    expect([isPrepared(), isPrepared(true)]).toEqual([true, false]);
  });

  it.each([
    [{ name: 'a' }, '"name" = $2', ['a']],
    [{ size: null }, '"size" is null', []],
    [{ name: ['a', 'b'] }, '"name" = any($2)', [['a', 'b']]],
    [{ size: { gt: 1, lte: 2 } }, '"size" > $2 and "size" <= $3', [1, 2]],
    [{ size: { gte: 1, lt: 2 } }, '"size" >= $2 and "size" < $3', [1, 2]],
    [{ size: { not: 3 } }, '("size" is null or "size" <> $2)', [3]],
    [{ size: { not: null }, id: 5 }, '"size" is not null and "id" = $2', [5]],
  ])('%j has this text and these values, first built and then cached', (where, text, values) => {
    const statements = new Statements(postgresDialect);
    for (let call = 0; call < 2; call++) {
      const statement = statements.count(pots, 7, { where });
      expect(statement.sql).toBe(`select count(*) from "pots" where "device_id" = $1 and ${text}`);
      expect(statements.sum(pots, 7, 'size', { where }).sql).toBe(
        `select coalesce(sum("size"), 0) from "pots" where "device_id" = $1 and ${text}`,
      );
      expect(statement.parameters).toEqual([7, ...values]);
    }
  });

  it('search lists of ids by id, not in all rows of the owner', async () => {
    const connection = openConnection(':memory:', {});
    connection.exec(
      'create table "pots" (id integer primary key, created_at text, updated_at text, device_id integer, name text, size real, labels text)',
    );
    connection.exec('create index by_device on pots (device_id, created_at)');
    const statements = new Statements(sqliteDialect);
    const planOf = (statement: { readonly sql: string; readonly parameters: readonly unknown[] }) =>
      (
        connection.prepare(`explain query plan ${statement.sql}`).all(...statement.parameters) as { detail: string }[]
      )[0];
    const query = { where: { id: [1, 2] } };
    const byId = { detail: 'SEARCH pots USING INTEGER PRIMARY KEY (rowid=?)' };
    expect(planOf(statements.delete(pots, 7, query))).toMatchObject(byId);
    expect(planOf(statements.count(pots, 7, query))).toMatchObject(byId);
    expect(planOf(statements.delete(pots, 7, { where: { name: 'a' } }))).toMatchObject({
      detail: 'SEARCH pots USING INDEX by_device (device_id=?)',
    });
    connection.close();
  });

  it('number their values in order: changes, owner, conditions, limits', () => {
    const statements = new Statements(postgresDialect);
    const page = { where: { name: 'a' }, order: [['size', 'desc']], limit: 5, offset: 2 } as const;
    const selection = { key: 'ids', expressions: ['"id"'], read: (raw: readonly unknown[]) => raw };
    for (let call = 0; call < 2; call++) {
      expect(statements.select(pots, 7, page, selection)).toEqual({
        sql: 'select "id" from "pots" where "device_id" = $1 and "name" = $2 order by "size" desc limit $3 offset $4',
        parameters: [7, 'a', 5, 2],
        prepared: true,
      });
      expect(statements.select(pots, 7, { offset: 0 }, selection)).toEqual({
        sql: 'select "id" from "pots" where "device_id" = $1 order by "id" asc limit all offset $2',
        parameters: [7, 0],
        prepared: true,
      });
      expect(statements.select(pots, 7, { and: sql`size + ${1} > ${2}`, limit: 3 }, selection)).toEqual({
        sql: 'select "id" from "pots" where "device_id" = $1 and size + $2 > $3 order by "id" asc limit $4 offset $5',
        parameters: [7, 1, 2, 3, 0],
        prepared: false,
      });
      expect(statements.update(pots, 7, { name: 'b', size: 2 }, { where: { id: 1 } })).toEqual({
        sql: `update "pots" set "name" = $1, "size" = $2 where "device_id" = $3 and "id" = $4 returning ${all}`,
        parameters: ['b', 2, 7, 1],
        prepared: true,
      });
      expect(statements.trim(pots, 7, 3)).toEqual({
        sql: 'delete from "pots" where "device_id" = $1 and id in (select id from "pots" where "device_id" = $2 order by created_at desc, id desc limit all offset $3)',
        parameters: [7, 7, 3],
        prepared: true,
      });
    }
  });

  it('insert any number of rows, with ids or without', () => {
    const statements = new Statements(postgresDialect);
    const names = externalTable('pots', { name: column.text() });
    const insert = (...rows: object[]) =>
      statements.insert(
        names,
        rows.map((values) => ({ updated_at: 'u', name: 'a', ...values })),
        { owner: null, now: 'c' },
      );
    const text = (columns: string, ...tuples: string[]) =>
      `insert into "pots" (${columns}) values ${tuples.join(', ')} returning "id", "created_at", "updated_at", "name"`;
    const withoutId = '"created_at", "updated_at", "name"';
    for (let call = 0; call < 2; call++) {
      expect(insert({})).toEqual({
        sql: text(withoutId, '($1, $2, $3)'),
        parameters: ['c', 'u', 'a'],
        prepared: true,
      });
      expect(insert({}, { name: 'b' })).toEqual({
        sql: text(withoutId, '($1, $2, $3)', '($4, $5, $6)'),
        parameters: ['c', 'u', 'a', 'c', 'u', 'b'],
        prepared: true,
      });
      expect(insert({ id: 4 })).toEqual({
        sql: text(`"id", ${withoutId}`, '($1, $2, $3, $4)'),
        parameters: [4, 'c', 'u', 'a'],
        prepared: true,
      });
    }
  });

  it('are prepared if they insert at most eight rows or a full batch', () => {
    const statements = new Statements(sqliteDialect);
    const isPrepared = (rows: number) =>
      statements.insert(
        pots,
        Array.from({ length: rows }, () => ({ name: 'a', size: 1 })),
        { owner: 7, now: 'c' },
      ).prepared;
    expect([1, 8, 9, 49, 50, 51].map(isPrepared)).toEqual([true, true, false, false, true, false]);
  });

  it('are prepared if they have at most six conditions and changes', () => {
    const statements = new Statements(sqliteDialect);
    const six = { id: 1, name: 'a', size: { gt: 1, lt: 2, not: null, lte: 3 } };
    expect(statements.count(pots, 7, { where: six }).prepared).toBe(true);
    expect(statements.count(pots, 7, { where: { ...six, created_at: 'c' } }).prepared).toBe(false);
    expect(statements.update(pots, 7, { name: 'b' }, { where: six }).prepared).toBe(false);
  });

  it('are cached by direction of the order', () => {
    const statements = new Statements(sqliteDialect);
    const order = (direction: 'asc' | 'desc') =>
      statements.select(pots, 7, { order: [['size', direction]] }, { key: 'ids', expressions: ['"id"'], read: String })
        .sql;
    expect([order('asc'), order('desc')].map((text) => text.split(' order by ')[1])).toEqual([
      '"size" asc',
      '"size" desc',
    ]);
  });

  it('throw for columns, comparisons and values that do not exist', () => {
    const statements = new Statements(sqliteDialect);
    const count = (where: object) => () => statements.count(pots, null, { where: { ...where } });
    expect(count({ nothing: 1 })).toThrow('pots has no column nothing');
    expect(count({ name: undefined })).toThrow('the condition on name is undefined');
    expect(count({ size: {} })).toThrow('the condition on size is empty');
    expect(count({ size: { near: 1 } })).toThrow('there is no comparison near');
    expect(count({ size: { lt: null } })).toThrow('size is compared with null');
    expect(() => statements.count(table('lids', {}, { reach: 'server' }), 7, {})).toThrow('belongs to no device');
    expect(() => statements.count(acrossDevices(only(pots)), null, { where: { name: 'a' } })).toThrow('no column name');
  });
});
