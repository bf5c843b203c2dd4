import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { encode, rowDecoder } from './codec.ts';
import type { Column } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { Slot } from './dialect.ts';
import type { JsonExpressions, Listing, Query, Selection } from './scope.ts';
import type { Table } from './table.ts';

/** A statement ready to run: text and bound values. `prepared` false for text that is not worth keeping. */
export interface Bound {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly prepared: boolean;
}

interface Template {
  readonly sql: string;
  /** The value itself, or the index of the call's value. */
  readonly parameters: readonly unknown[];
}

/** Shapes kept at most; a shape is a statement less its values. */
const shapes = 2000;

/** Columns in the conditions and changes of a statement that is worth preparing. */
const usualWidth = 6;

/** From so many bytes on SQLite gives a list as bytes: a short text is cheaper as a string, which goes out together with the head. */
const longList = 65_536;

type AnyTable = Table<unknown>;
type AnyQuery = Query<Record<string, unknown>>;

const comparisons: Readonly<Record<string, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** The whole row, decoded. Compiled once per table. */
const wholeRows = new WeakMap<AnyTable, Selection<Record<string, unknown>>>();
export function wholeRow(table: AnyTable): Selection<Record<string, unknown>> {
  let selection = wholeRows.get(table);
  if (!selection) {
    const columns = Object.entries(table.columns);
    selection = { key: '*', expressions: columns.map(([name]) => `"${name}"`), read: rowDecoder(columns) };
    wholeRows.set(table, selection);
  }
  return selection;
}

const wholeColumns = (table: AnyTable): string =>
  Object.keys(table.columns)
    .map((name) => `"${name}"`)
    .join(', ');

/** Builds the statements of table access: one text per shape, made once, values bound per call. */
export class Statements {
  readonly #dialect: Dialect;
  readonly #templates = new LRUCache<string, Template>({ max: shapes });
  readonly #lists = new WeakMap<readonly Listing[], Template>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  select(table: AnyTable, owner: number | null, query: AnyQuery, selection: Selection<unknown>): Bound {
    return this.#bind(
      `select ${selection.key}`,
      table,
      owner,
      query,
      (conditions, tail) =>
        sql`select ${sql.raw(this.#expressions(selection))} from ${sql.table(table.name)}${conditions}${tail}`,
    );
  }

  jsonList(table: AnyTable, owner: number | null, query: AnyQuery, json: JsonExpressions): Bound {
    return this.#bind(`list ${json.key}`, table, owner, query, (conditions, tail) => {
      const array = this.#array(table, json, conditions, tail);
      if (this.#dialect.name !== 'sqlite') return sql`select ${array}`;
      return sql`select case when octet_length(list.json) < ${sql.lit(longList)} then list.json else cast(list.json as blob) end from (select ${array} as json) as list`;
    });
  }

  /** The arrays of several listings as one row. The text is made once for each array of listings. */
  jsonLists(listings: readonly Listing[], owner: number): Bound {
    let template = this.#lists.get(listings);
    if (!template) {
      const arrays = listings.map(({ table, json, where = {} }) =>
        this.#array(table, json, this.#conditions(table, owner, { where }, 0), this.#tail({}, 0)),
      );
      template = this.#dialect.compile(sql`select ${sql.join(arrays)}`);
      this.#lists.set(listings, template);
    }
    return { sql: template.sql, parameters: bound(template, [owner]), prepared: true };
  }

  /** The JSON array of a table's rows, as an SQL expression. Aggregates take the rows of a sorted subquery in its order, on both engines. */
  #array(
    table: AnyTable,
    json: JsonExpressions,
    conditions: RawBuilder<unknown>,
    tail: RawBuilder<unknown>,
  ): RawBuilder<unknown> {
    const rows = sql`select ${sql.raw(json[this.#dialect.name])} as json from ${sql.table(table.name)}${conditions}${tail}`;
    return sql`(select '[' || coalesce(string_agg(listed.json, ','), '') || ']' from (${rows}) as listed)`;
  }

  count(table: AnyTable, owner: number | null, query: AnyQuery): Bound {
    return this.#bind(
      'count',
      table,
      owner,
      query,
      (conditions) => sql`select count(*) from ${sql.table(table.name)}${conditions}`,
    );
  }

  remove(table: AnyTable, owner: number | null, query: AnyQuery): Bound {
    return this.#bind(
      'remove',
      table,
      owner,
      query,
      (conditions) => sql`delete from ${sql.table(table.name)}${conditions} returning ${sql.raw(wholeColumns(table))}`,
    );
  }

  update(table: AnyTable, owner: number | null, changes: Record<string, unknown>, query: AnyQuery): Bound {
    const names = Object.keys(changes);
    const values = names.map((name) => this.#encoded(table, name, changes[name]));
    return this.#bind(
      `update ${names.join()}`,
      table,
      owner,
      query,
      (conditions) =>
        sql`update ${sql.table(table.name)} set ${sql.join(
          names.map((name, index) => sql`${sql.ref(name)} = ${new Slot(index)}`),
        )}${conditions} returning ${sql.raw(wholeColumns(table))}`,
      values,
    );
  }

  insert(table: AnyTable, rows: readonly Record<string, unknown>[]): Bound {
    const names = Object.keys(table.columns).filter((name) => name !== 'id' || rows[0]?.id !== undefined);
    const values = rows.flatMap((row) => names.map((name) => this.#encoded(table, name, row[name])));
    const key = `insert ${table.name} ${rows.length} ${names[0]}`;
    let template = this.#templates.get(key);
    if (!template) {
      const tuples = rows.map(
        (_, row) => sql`(${sql.join(names.map((_name, index) => sql`${new Slot(row * names.length + index)}`))})`,
      );
      template = this.#dialect.compile(
        sql`insert into ${sql.table(table.name)} (${sql.join(names.map((name) => sql.ref(name)))}) values ${sql.join(
          tuples,
        )} returning ${sql.raw(wholeColumns(table))}`,
      );
      this.#templates.set(key, template);
    }
    return { sql: template.sql, parameters: bound(template, values), prepared: true };
  }

  trim(table: AnyTable, owner: number | null, keep: number, olderThan: string | undefined): Bound {
    const values = [owner, keep, olderThan ?? null];
    const key = `trim ${table.name} ${olderThan === undefined}`;
    let template = this.#templates.get(key);
    if (!template) {
      const mine = sql`${sql.ref(table.owner ?? 'id')} = ${new Slot(0)}`;
      const surplus = sql`id in (select id from ${sql.table(table.name)} where ${mine} order by created_at desc, id desc ${this.#dialect.page(null, new Slot(1))})`;
      const old = olderThan === undefined ? sql`` : sql` or created_at < ${new Slot(2)}`;
      template = this.#dialect.compile(sql`delete from ${sql.table(table.name)} where ${mine} and (${surplus}${old})`);
      this.#templates.set(key, template);
    }
    return { sql: template.sql, parameters: bound(template, values), prepared: true };
  }

  #expressions({ expressions }: Selection<unknown>): string {
    const own = 'sqlite' in expressions ? expressions[this.#dialect.name] : expressions;
    return own.join(', ');
  }

  #encoded(table: AnyTable, name: string, value: unknown): unknown {
    const column: Column | undefined = table.columns[name];
    if (!column) throw new Error(`${table.name} has no column ${name}`);
    return encode(column.type, value, this.#dialect.name);
  }

  /** Finds or makes the template of this shape and binds the call's values: first those of `leading`, then those of the conditions. */
  #bind(
    action: string,
    table: AnyTable,
    owner: number | null,
    query: AnyQuery,
    build: (conditions: RawBuilder<unknown>, tail: RawBuilder<unknown>) => RawBuilder<unknown>,
    leading: readonly unknown[] = [],
  ): Bound {
    const values: unknown[] = [...leading];
    let shape = `${action} ${table.name}${owner === null ? '' : ' own'}`;
    if (owner !== null) values.push(owner);
    const { where } = query;
    if (where) {
      for (const name in where) {
        const condition = where[name];
        if (condition === undefined) throw new Error(`${table.name}: the condition on ${name} is undefined`);
        if (condition === null) shape += ` ${name}?`;
        else if (Array.isArray(condition)) {
          shape += ` ${name}[]`;
          values.push(this.#dialect.encodeList(condition));
        } else if (typeof condition === 'object') {
          for (const [operator, value] of Object.entries(condition)) {
            shape += ` ${name}${operator}${value === null ? '?' : ''}`;
            if (value !== null) values.push(this.#encoded(table, name, value));
          }
        } else {
          shape += ` ${name}`;
          values.push(this.#encoded(table, name, condition));
        }
      }
    }
    if (query.order) for (const [name, direction] of query.order) shape += ` by ${name} ${direction}`;
    const paged = query.limit !== undefined || query.offset !== undefined;
    if (paged) {
      shape += query.limit === undefined ? ' from' : ' page';
      if (query.limit !== undefined) values.push(query.limit);
      values.push(query.offset ?? 0);
    }
    if (query.and) {
      const compiled = this.#dialect.compile(
        build(this.#conditions(table, owner, query, leading.length), this.#tail(query, values.length)),
      );
      return { sql: compiled.sql, parameters: bound(compiled, values), prepared: false };
    }
    let template = this.#templates.get(shape);
    if (!template) {
      template = this.#dialect.compile(
        build(this.#conditions(table, owner, query, leading.length), this.#tail(query, values.length)),
      );
      this.#templates.set(shape, template);
    }
    // Wide shapes come in too many kinds to keep each prepared on every connection.
    const prepared = leading.length + Object.keys(where ?? {}).length <= usualWidth;
    return { sql: template.sql, parameters: bound(template, values), prepared };
  }

  #conditions(table: AnyTable, owner: number | null, query: AnyQuery, from: number): RawBuilder<unknown> {
    const all: RawBuilder<unknown>[] = [];
    let next = from;
    if (owner !== null) all.push(sql`${sql.ref(ownerColumn(table))} = ${new Slot(next++)}`);
    for (const [name, condition] of Object.entries(query.where ?? {})) {
      if (!(name in table.columns)) throw new Error(`${table.name} has no column ${name}`);
      const reference = sql.ref(name);
      if (condition === null) all.push(sql`${reference} is null`);
      else if (Array.isArray(condition)) all.push(this.#dialect.isOneOf(sql`${reference}`, new Slot(next++)));
      else if (typeof condition === 'object') {
        for (const [operator, value] of Object.entries(condition)) {
          if (operator === 'not' && value === null) all.push(sql`${reference} is not null`);
          // Rows without a value differ from every value.
          else if (operator === 'not') all.push(sql`(${reference} is null or ${reference} <> ${new Slot(next++)})`);
          else {
            const sign = comparisons[operator];
            if (!sign) throw new Error(`${table.name}: no comparison ${operator}`);
            all.push(sql`${reference} ${sql.raw(sign)} ${new Slot(next++)}`);
          }
        }
      } else all.push(sql`${reference} = ${new Slot(next++)}`);
    }
    if (query.and) all.push(query.and);
    return all.length === 0 ? sql`` : sql` where ${sql.join(all, sql` and `)}`;
  }

  #tail(query: AnyQuery, valueCount: number): RawBuilder<unknown> {
    const order = query.order ?? [['id', 'asc'] as const];
    const by = sql` order by ${sql.join(order.map(([name, direction]) => sql`${sql.ref(name)} ${sql.raw(direction)}`))}`;
    if (query.limit === undefined && query.offset === undefined) return by;
    const offset = new Slot(valueCount - 1);
    const limit = query.limit === undefined ? null : new Slot(valueCount - 2);
    return sql`${by} ${this.#dialect.page(limit, offset)}`;
  }
}

function ownerColumn(table: AnyTable): string {
  if (table.owner === null) throw new Error(`${table.name} belongs to no device`);
  return table.owner;
}

function bound(template: Template, values: readonly unknown[]): unknown[] {
  return template.parameters.map((parameter) => (parameter instanceof Slot ? values[parameter.index] : parameter));
}
