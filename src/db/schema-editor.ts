import type { Column } from './columns.ts';
import type { Dialect, DialectName } from './dialect.ts';
import type { TransactionSession } from './session.ts';
import { quoteLiteral, quoteName } from './sql.ts';

/** Splits the column definitions of a `create table` statement; the keys are the columns' names. */
export function columnDefinitions(createTable: string): Map<string, string> {
  const list = createTable.slice(createTable.indexOf('(') + 1, createTable.lastIndexOf(')'));
  const definitions: string[] = [''];
  let depth = 0;
  let quote = '';
  for (const character of list) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '(') depth++;
    else if (character === ')') depth--;
    if (character === ',' && depth === 0 && quote === '') definitions.push('');
    else definitions.push(`${definitions.pop() ?? ''}${character}`);
  }
  return new Map(
    definitions.map((definition) => {
      const text = definition.trim();
      return [/^"?(\w+)"?/.exec(text)?.[1] ?? '', text];
    }),
  );
}

/**
 * Rebuilds a table with changed column definitions, where SQLite's `alter table` cannot: steps 3 to 9 of the procedure
 * in its documentation. The caller turns foreign keys off before the transaction and checks them before the commit. Indexes
 * that contain a dropped column are dropped.
 */
async function rebuildTable(
  session: TransactionSession,
  table: string,
  change: (definitions: Map<string, string>) => void,
): Promise<void> {
  const run = (statement: string, ...parameters: unknown[]) => session.query(statement, parameters, false);
  const [[createTable] = []] = await run(`select sql from sqlite_schema where type = 'table' and name = ?`, table);
  if (typeof createTable !== 'string') throw new Error(`there is no table ${table}`);
  const definitions = columnDefinitions(createTable);
  change(definitions);
  const columns = [...definitions.keys()];
  const indexes = await run(
    `select sql from sqlite_schema i where type = 'index' and tbl_name = ?
       and not exists (select 1 from pragma_index_info(i.name) where name not in (select value from json_each(?)))`,
    table,
    JSON.stringify(columns),
  );
  const rebuilt = `new_${table}`;
  const names = columns.map(quoteName).join(', ');
  await run(`create table ${quoteName(rebuilt)} (${[...definitions.values()].join(', ')}) strict`);
  await run(`insert into ${quoteName(rebuilt)} (${names}) select ${names} from ${quoteName(table)}`);
  // The rebuilt table must not reuse ids of deleted rows. [decision 53]
  await run('delete from sqlite_sequence where name = ?', rebuilt);
  await run(
    'insert into sqlite_sequence (name, seq) select ?, seq from sqlite_sequence where name = ?',
    rebuilt,
    table,
  );
  await run(`drop table ${quoteName(table)}`);
  await run(`alter table ${quoteName(rebuilt)} rename to ${quoteName(table)}`);
  for (const [createIndex] of indexes) await run(String(createIndex));
}

/** SQL for both engines, or one text for each. */
export type DialectSql = string | Readonly<Record<DialectName, string>>;

/** The changes that a migration may make while processes of earlier versions run. [ADR 80] */
export interface SchemaExpansion {
  /** Creates a table with the standard columns and these. */
  createTable(
    name: string,
    columns: Readonly<Record<string, Column>>,
    keys?: { unique?: readonly string[][]; indexes?: readonly string[][] },
  ): void;
  /** Adds a column. In a table with rows it must be nullable or have a default: one that differs by row is filled afterwards. */
  addColumn(table: string, name: string, column: Column): void;
  /** Creates an index; a unique one only of columns that the same migration adds: earlier versions leave them null. */
  createIndex(table: string, columns: readonly string[], unique?: boolean): void;
}

/** The operations of migrations, the same on both engines. They run in the order of the calls. */
export interface SchemaChange extends SchemaExpansion {
  /** Drops a table that no other table refers to. */
  dropTable(name: string): void;
  /** Renames a column and the indexes that contain it. */
  renameColumn(table: string, from: string, to: string): void;
  /** Drops a column and the indexes that contain it. */
  dropColumn(table: string, name: string): void;
  setNullable(table: string, names: string | readonly string[], isNullable: boolean): void;
  dropIndex(table: string, columns: readonly string[], unique?: boolean): void;
  /** Runs a statement. On SQLite, foreign keys do not cascade; they are checked before the commit. */
  execute(statement: DialectSql): void;
}

/** Returns the name of an index: below PostgreSQL's limit of 63 bytes, long names end in a checksum. */
export function indexName(table: string, columns: readonly string[], unique: boolean): string {
  const name = `${table}_${columns.join('_')}_${unique ? 'key' : 'index'}`;
  if (name.length <= 60) return name;
  let checksum = 0;
  for (const character of name) checksum = (checksum * 31 + character.charCodeAt(0)) % 1_000_003;
  return `${name.slice(0, 50)}_${checksum}`;
}

export const forDialect = (text: DialectSql, dialect: DialectName): string =>
  typeof text === 'string' ? text : text[dialect];

interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** Reads the indexes of a table, without the primary key. */
async function readIndexes(session: TransactionSession, dialect: DialectName, table: string): Promise<Index[]> {
  const rows = await session.query(
    dialect === 'sqlite'
      ? 'select l.name, l."unique", (select group_concat(name) from (select name from pragma_index_info(l.name) order by seqno)) from pragma_index_list(?) l'
      : `select c.relname, i.indisunique, (select string_agg(a.attname, ',' order by k.position) from unnest(i.indkey::int[]) with ordinality k(number, position) join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number)
         from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = $1::regclass and not i.indisprimary`,
    [dialect === 'sqlite' ? table : quoteName(table)],
    false,
  );
  return rows.map(([name, unique, columns]) => ({
    name: String(name),
    unique: unique === 1 || unique === true,
    columns: String(columns).split(','),
  }));
}

/** Collects the operations of one migration and runs them. */
export class SchemaEditor implements SchemaChange {
  readonly #dialect: Dialect;
  readonly #steps: ((session: TransactionSession) => Promise<void>)[] = [];

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  async run(session: TransactionSession): Promise<void> {
    for (const step of this.#steps) await step(session);
  }

  createTable: SchemaChange['createTable'] = (name, columns, keys = {}) => {
    const time = this.#dialect.columnType('time');
    const definitions = [
      `id ${this.#dialect.idColumn}`,
      `created_at ${time} not null`,
      `updated_at ${time} not null`,
      ...Object.entries(columns).map(([column, type]) => this.#definition(column, type)),
    ];
    this.execute(`create table ${quoteName(name)} (${definitions.join(', ')})${this.#dialect.tableSuffix}`);
    for (const unique of keys.unique ?? []) this.createIndex(name, unique, true);
    for (const index of keys.indexes ?? []) this.createIndex(name, index);
  };

  dropTable(name: string): void {
    this.#steps.push(async (session) => {
      if (this.#dialect.name === 'sqlite') await assertUnreferenced(session, name);
      await session.query(`drop table ${quoteName(name)}`, [], false);
    });
  }

  addColumn(table: string, name: string, column: Column): void {
    this.execute(`alter table ${quoteName(table)} add column ${this.#definition(name, column)}`);
  }

  renameColumn(table: string, from: string, to: string): void {
    this.execute(`alter table ${quoteName(table)} rename column ${quoteName(from)} to ${quoteName(to)}`);
    this.#steps.push(async (session) => {
      for (const { name, columns, unique } of await readIndexes(session, this.#dialect.name, table)) {
        if (!columns.includes(to)) continue;
        for (const statement of this.#renameIndex(table, name, columns, unique))
          await session.query(statement, [], false);
      }
    });
  }

  dropColumn(table: string, name: string): void {
    if (this.#dialect.name === 'sqlite')
      this.#rebuild(table, (definitions) => {
        if (!definitions.delete(name)) throw new Error(`${table} has no column ${name}`);
      });
    else this.execute(`alter table ${quoteName(table)} drop column ${quoteName(name)}`);
  }

  setNullable(table: string, names: string | readonly string[], isNullable: boolean): void {
    const columns = typeof names === 'string' ? [names] : names;
    if (this.#dialect.name === 'postgres') {
      const action = isNullable ? 'drop' : 'set';
      const actions = columns.map((name) => `alter column ${quoteName(name)} ${action} not null`);
      this.execute(`alter table ${quoteName(table)} ${actions.join(', ')}`);
      return;
    }
    this.#rebuild(table, (definitions) => {
      for (const name of columns) {
        const [, nameAndType, others] = /^(\S+ \w+)(?: not null)?(.*)$/is.exec(definitions.get(name) ?? '') ?? [];
        if (nameAndType === undefined) throw new Error(`${table} has no column ${name}`);
        definitions.set(name, `${nameAndType}${isNullable ? '' : ' not null'}${others}`);
      }
    });
  }

  createIndex(table: string, columns: readonly string[], unique = false): void {
    this.execute(this.#createIndex(table, columns, unique));
  }

  dropIndex(table: string, columns: readonly string[], unique = false): void {
    this.execute(`drop index ${quoteName(indexName(table, columns, unique))}`);
  }

  execute(statement: DialectSql): void {
    this.#steps.push(async (session) => {
      await session.query(forDialect(statement, this.#dialect.name), [], false);
    });
  }

  #rebuild(table: string, change: (definitions: Map<string, string>) => void): void {
    this.#steps.push((session) => rebuildTable(session, table, change));
  }

  #createIndex(table: string, columns: readonly string[], unique: boolean): string {
    const name = quoteName(indexName(table, columns, unique));
    return `create ${unique ? 'unique ' : ''}index ${name} on ${quoteName(table)} (${columns.map(quoteName).join(', ')})`;
  }

  /** SQLite cannot rename an index. */
  #renameIndex(table: string, name: string, columns: readonly string[], unique: boolean): string[] {
    return this.#dialect.name === 'sqlite'
      ? [`drop index ${quoteName(name)}`, this.#createIndex(table, columns, unique)]
      : [`alter index ${quoteName(name)} rename to ${quoteName(indexName(table, columns, unique))}`];
  }

  #definition(name: string, column: Column): string {
    const parts = [quoteName(name), this.#dialect.columnType(column.type)];
    if (!column.isNullable) parts.push('not null');
    if (column.initial !== undefined) parts.push(`default ${this.#literal(column)}`);
    if (column.type === 'boolean' && this.#dialect.name === 'sqlite')
      parts.push(`check (${quoteName(name)} in (0, 1))`);
    const key = column.foreignKey;
    if (key) parts.push(`references ${quoteName(key.table)} (id) on delete ${key.onDelete}`);
    return parts.join(' ');
  }

  #literal({ type, initial }: Column): string {
    const isNumber = type === 'boolean' && this.#dialect.name === 'sqlite';
    const value = type === 'json' ? JSON.stringify(initial) : isNumber ? Number(initial) : initial;
    return typeof value === 'string' ? quoteLiteral(value) : String(value);
  }
}

/** Returns the operations of an expansion. They throw if statements of earlier versions could fail afterwards. */
export function expansionOf(editor: SchemaExpansion): SchemaExpansion {
  const added = new Set<string>();
  const assertTolerated = (table: string, name: string, { foreignKey }: Column) => {
    if (foreignKey?.onDelete === 'no action' && foreignKey.table !== table)
      throw new Error(`${table}.${name} would keep earlier versions from deleting rows of ${foreignKey.table}`);
  };
  return {
    createTable(table, columns, keys) {
      for (const [name, column] of Object.entries(columns)) assertTolerated(table, name, column);
      editor.createTable(table, columns, keys);
    },
    addColumn(table, name, column) {
      assertTolerated(table, name, column);
      if (!column.isNullable && column.initial === undefined)
        throw new Error(`${table}.${name} must be nullable or have a default: earlier versions do not set it`);
      // Rows of earlier versions all have the default.
      if (column.initial === undefined) added.add(`${table}.${name}`);
      editor.addColumn(table, name, column);
    },
    createIndex(table, columns, unique) {
      if (unique && !columns.some((name) => added.has(`${table}.${name}`)))
        throw new Error(`a unique index of ${table} could refuse rows of earlier versions`);
      editor.createIndex(table, columns, unique);
    },
  };
}

/** Throws if another table refers to this one. PostgreSQL checks that itself; SQLite does not while foreign keys are off. */
async function assertUnreferenced(session: TransactionSession, table: string): Promise<void> {
  const [found] = await session.query(
    `select m.name from sqlite_schema m, pragma_foreign_key_list(m.name) f where m.type = 'table' and m.name <> ? and f."table" = ?`,
    [table, table],
    false,
  );
  if (found) throw new Error(`cannot drop table ${table}: table ${found[0]} refers to it`);
}
