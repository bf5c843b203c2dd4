import { RecentValues } from '../core/recent-values.ts';
import { encode, rowDecoder } from './codec.ts';
import { type Criterion, comparisons, operators } from './conditions.ts';
import type { CompiledStatement, Dialect } from './dialect.ts';
import type { JsonExpressions, JsonListing, Query, Selection } from './scope.ts';
import { longText } from './session.ts';
import { joinSql, nameSql, rawSql, type Sql, sql } from './sql.ts';
import type { Table } from './table.ts';

/** A statement with its values. `prepared` is false for texts that are not worth a prepared statement. */
export interface BoundStatement extends CompiledStatement {
  readonly prepared: boolean;
}

/** Maximum number of cached texts per table; there is one per shape, that is, per statement without its values. */
const maxShapes = 200;

/** Maximum number of columns in the conditions and changes of a prepared statement: wider shapes are too many to prepare each on every connection. */
const maxPreparedWidth = 6;

/** Maximum number of rows per insert statement: SQLite allows 32,766 parameters, PostgreSQL 65,535. */
export const maxRowsPerInsert = 50;

/** Maximum number of rows of a prepared insert, unless it is a full batch. */
const maxPreparedRows = 8;

type AnyTable = Table<unknown>;
type AnyQuery = Query<Record<string, unknown>>;

const wholeRows = new WeakMap<AnyTable, Selection<Record<string, unknown>>>();

/** Returns the selection of whole rows. */
export function wholeRow(table: AnyTable): Selection<Record<string, unknown>> {
  let selection = wholeRows.get(table);
  if (!selection) {
    const columns = Object.entries(table.columns);
    selection = { key: '*', expressions: columns.map(([name]) => `"${name}"`), read: rowDecoder(columns) };
    wholeRows.set(table, selection);
  }
  return selection;
}

const grouping = (expression: string): Sql => rawSql(` group by ${expression} order by ${expression}`);

/** Whether only the first row is selected. SQLite compiles a statement with a bound limit again for each execution, half a millisecond for a record's JSON. */
const isFirst = ({ limit, offset = 0 }: AnyQuery): boolean => limit === 1 && offset === 0;

/** Builds the statements of table access. The text of each shape is built once per table object. */
export class Statements {
  readonly #dialect: Dialect;
  readonly #texts = new WeakMap<AnyTable, RecentValues<string>>();
  readonly #lists = new WeakMap<readonly JsonListing[], string>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  select(table: AnyTable, owner: number | null, query: AnyQuery, selection: Selection<unknown>): BoundStatement {
    const statement = this.#query(`select ${selection.key}`, table, owner, query, (conditions, tail) => {
      const end = selection.groupBy === undefined ? tail : grouping(selection.groupBy);
      return sql`select ${this.#expressions(selection)} from ${nameSql(table.name)}${conditions}${end}`;
    });
    return selection.isLarge ? { ...statement, prepared: false } : statement;
  }

  /** Selects the JSON arrays of columns of numbers as one row. */
  numbers(table: AnyTable, owner: number | null, query: AnyQuery, names: readonly string[]): BoundStatement {
    return this.#query(`numbers ${names.join()}`, table, owner, query, (conditions, tail) => {
      const columns = names.map((name) => {
        if (!(name in table.columns)) throw new Error(`${table.name} has no column ${name}`);
        return nameSql(name);
      });
      const rows = sql`select ${joinSql(columns)} from ${nameSql(table.name)}${conditions}${tail}`;
      return sql`select ${joinSql(columns.map((column) => this.#dialect.jsonNumbers(column)))} from (${rows}) as listed`;
    });
  }

  jsonList(table: AnyTable, owner: number | null, query: AnyQuery, json: JsonExpressions): BoundStatement {
    return this.#query(`list ${json.key}`, table, owner, query, (conditions, tail) => {
      const array = this.#array(table, json, conditions, tail);
      // The driver reads long texts of this type as bytes.
      if (this.#dialect.name === 'postgres') return sql`select cast(${array} as varchar)`;
      return sql`select case when octet_length(list.json) < ${rawSql(String(longText))} then list.json else cast(list.json as blob) end from (select ${array} as json) as list`;
    });
  }

  /** Selects the arrays of several listings as one row. The text is built once for each array of listings. */
  jsonLists(listings: readonly JsonListing[], owner: number): BoundStatement {
    let text = this.#lists.get(listings);
    if (text === undefined) {
      const arrays = listings.map(({ table, json, where = {} }) =>
        this.#array(table, json, this.#conditions(this.#criteria(table, owner, where)), this.#tail({})),
      );
      text = this.#dialect.compile(sql`select ${joinSql(arrays)}`).sql;
      this.#lists.set(listings, text);
    }
    return { sql: text, parameters: listings.map(() => owner), prepared: true };
  }

  /** Returns the expression of the JSON array of a table's rows. Aggregates keep the order of a sorted subquery on both engines. */
  #array(table: AnyTable, json: JsonExpressions, conditions: Sql, tail: Sql): Sql {
    const rows = sql`select ${rawSql(json[this.#dialect.name])} as json from ${nameSql(table.name)}${conditions}${tail}`;
    return sql`(select '[' || coalesce(string_agg(listed.json, ','), '') || ']' from (${rows}) as listed)`;
  }

  count(table: AnyTable, owner: number | null, query: AnyQuery): BoundStatement {
    const counted = (conditions: Sql): Sql => sql`select count(*) from ${nameSql(table.name)}${conditions}`;
    return this.#query('count', table, owner, query, counted);
  }

  sum(table: AnyTable, owner: number | null, column: string, query: AnyQuery): BoundStatement {
    return this.#query(
      `sum ${column}`,
      table,
      owner,
      query,
      (conditions) => sql`select coalesce(sum(${nameSql(column)}), 0) from ${nameSql(table.name)}${conditions}`,
    );
  }

  delete(table: AnyTable, owner: number | null, query: AnyQuery): BoundStatement {
    return this.#query(
      'delete',
      table,
      owner,
      query,
      (conditions) =>
        sql`delete from ${nameSql(table.name)}${conditions} returning ${this.#expressions(wholeRow(table))}`,
    );
  }

  update(
    table: AnyTable,
    owner: number | null,
    changes: Record<string, unknown>,
    query: AnyQuery,
    returned: Selection<unknown> = wholeRow(table),
  ): BoundStatement {
    const names = Object.keys(changes);
    const values = names.map((name) => this.#encoded(table, name, changes[name]));
    return this.#query(
      `update ${names.join()} ${returned.key}`,
      table,
      owner,
      query,
      (conditions) =>
        sql`update ${nameSql(table.name)} set ${joinSql(
          names.map((name, index) => sql`${nameSql(name)} = ${values[index]}`),
        )}${conditions} returning ${this.#expressions(returned)}`,
      values,
    );
  }

  /** `common`: values of all rows, and defaults of rows without their own. */
  insert(
    table: AnyTable,
    rows: readonly Readonly<Record<string, unknown>>[],
    common: { readonly owner: number | null; readonly now: string },
    returned: Selection<unknown> = wholeRow(table),
  ): BoundStatement {
    const names = Object.keys(table.columns).filter((name) => name !== 'id' || rows[0]?.id !== undefined);
    const values: unknown[] = [];
    // Not by merged copies of the rows, which would cost more than the rest.
    for (const row of rows)
      for (const name of names) {
        const given = name === table.owner ? common.owner : null;
        const now = name === 'created_at' || name === 'updated_at' ? common.now : undefined;
        values.push(this.#encoded(table, name, given ?? row[name] ?? now));
      }
    const build = (): Sql => {
      const tuples = joinSql(rows.map(() => sql`(${joinSql(names.map((name) => sql`${name}`))})`));
      return sql`insert into ${nameSql(table.name)} (${joinSql(names.map(nameSql))}) values ${tuples} returning ${this.#expressions(returned)}`;
    };
    // There is a text for each number of rows. Small numbers and full batches are used often.
    const isPrepared = rows.length <= maxPreparedRows || rows.length === maxRowsPerInsert;
    return this.#statement(table, `insert ${rows.length} ${names[0]} ${returned.key}`, values, build, isPrepared);
  }

  trim(table: AnyTable, owner: number | null, keep: number): BoundStatement {
    const own = sql`${nameSql(table.owner ?? 'id')} = ${owner}`;
    const build = () => {
      const surplus = sql`select id from ${nameSql(table.name)} where ${own} order by created_at desc, id desc ${this.#dialect.page(null, keep)}`;
      return sql`delete from ${nameSql(table.name)} where ${own} and id in (${surplus})`;
    };
    return this.#statement(table, 'trim', [owner, owner, keep], build);
  }

  #expressions({ expressions }: Selection<unknown>): Sql {
    const own = 'sqlite' in expressions ? expressions[this.#dialect.name] : expressions;
    return rawSql(own.join(', '));
  }

  #encoded(table: AnyTable, name: string, value: unknown): unknown {
    const column = table.columns[name];
    if (!column) throw new Error(`${table.name} has no column ${name}`);
    return encode(column.type, value, this.#dialect.name);
  }

  /** Builds a statement with the conditions, order and limits of a query. `leading` are the values before the conditions' values. */
  #query(
    action: string,
    table: AnyTable,
    owner: number | null,
    query: AnyQuery,
    build: (conditions: Sql, tail: Sql) => Sql,
    leading: readonly unknown[] = [],
  ): BoundStatement {
    const { and, order = [], limit, offset } = query;
    const criteria = this.#criteria(table, owner, query.where ?? {});
    if (and) {
      const compiled = this.#dialect.compile(build(this.#conditions(criteria, and), this.#tail(query)));
      return { ...compiled, prepared: false };
    }
    const values = [...leading];
    let shape = action;
    for (const { column, operator, value } of criteria) {
      shape += ` ${column} ${operator}`;
      if (value !== undefined) values.push(value);
    }
    for (const [name, direction] of order) shape += ` by ${name} ${direction}`;
    if (isFirst(query)) shape += ' first';
    else {
      if (limit !== undefined) {
        shape += ' limit';
        values.push(limit);
      }
      if (limit !== undefined || offset !== undefined) {
        shape += ' offset';
        values.push(offset ?? 0);
      }
    }
    const width = leading.length + criteria.length - (owner === null ? 0 : 1);
    return this.#statement(
      table,
      shape,
      values,
      () => build(this.#conditions(criteria), this.#tail(query)),
      width <= maxPreparedWidth,
    );
  }

  /** Returns the cached or newly built text of a shape with these values, which must be in the order of the text. */
  #statement(
    table: AnyTable,
    shape: string,
    values: readonly unknown[],
    build: () => Sql,
    prepared = true,
  ): BoundStatement {
    let texts = this.#texts.get(table);
    if (!texts) {
      texts = new RecentValues(maxShapes);
      this.#texts.set(table, texts);
    }
    let text = texts.get(shape);
    if (text === undefined) {
      text = this.#dialect.compile(build()).sql;
      texts.set(shape, text);
    }
    return { sql: text, parameters: values, prepared };
  }

  /** Reads the owner and the conditions of `where`. Throws for unknown columns and for undefined or empty conditions. */
  #criteria(table: AnyTable, owner: number | null, where: Readonly<Record<string, unknown>>): Criterion[] {
    const criteria: Criterion[] = [];
    if (owner !== null) {
      if (table.owner === null) throw new Error(`${table.name} belongs to no device`);
      // For a list of ids, SQLite would search all rows of the owner by their index.
      const hasIds = this.#dialect.name === 'sqlite' && table.owner !== 'id' && Array.isArray(where.id);
      criteria.push({ column: table.owner, operator: hasIds ? '= unindexed' : '=', value: owner });
    }
    for (const column in where) {
      const condition = where[column];
      if (!(column in table.columns)) throw new Error(`${table.name} has no column ${column}`);
      if (condition === undefined) throw new Error(`${table.name}: the condition on ${column} is undefined`);
      if (condition === null) criteria.push({ column, operator: 'is null', value: undefined });
      else if (Array.isArray(condition))
        criteria.push({ column, operator: 'in', value: this.#dialect.encodeList(condition) });
      else if (typeof condition === 'object') {
        const comparisons = Object.entries(condition);
        if (comparisons.length === 0) throw new Error(`${table.name}: the condition on ${column} is empty`);
        for (const [name, value] of comparisons) criteria.push(this.#comparison(table, column, name, value));
      } else criteria.push({ column, operator: '=', value: this.#encoded(table, column, condition) });
    }
    return criteria;
  }

  #comparison(table: AnyTable, column: string, name: string, value: unknown): Criterion {
    if (name === 'not' && value === null) return { column, operator: 'is not null', value: undefined };
    const operator = comparisons[name];
    if (!operator) throw new Error(`${table.name}: there is no comparison ${name}`);
    if (value === null || value === undefined) throw new Error(`${table.name}: ${column} is compared with ${value}`);
    return { column, operator, value: this.#encoded(table, column, value) };
  }

  #conditions(criteria: readonly Criterion[], and?: Query<never>['and']): Sql {
    const all = criteria.map(({ column, operator, value }) =>
      operators[operator](nameSql(column), value, this.#dialect),
    );
    if (and) all.push(typeof and === 'function' ? and(this.#dialect) : and);
    return all.length === 0 ? sql`` : sql` where ${joinSql(all, ' and ')}`;
  }

  #tail(query: AnyQuery): Sql {
    const { order = [['id', 'asc']], limit, offset } = query;
    const by = sql` order by ${joinSql(order.map(([name, direction]) => sql`${nameSql(name)} ${rawSql(direction)}`))}`;
    if (isFirst(query)) return sql`${by} limit 1`;
    if (limit === undefined && offset === undefined) return by;
    return sql`${by} ${this.#dialect.page(limit ?? null, offset ?? 0)}`;
  }
}
