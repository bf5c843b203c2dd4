import type { Dialect, DialectName } from './dialect.ts';
import { migrationLock, postgresDialect } from './dialect.ts';
import type { RawRow, Reader } from './session.ts';
import { quoteName } from './sql.ts';
import type { Table } from './table.ts';

/** The transaction in which one of the two databases is read or written. */
export interface CopyEnd {
  readonly session: Reader;
  readonly dialect: Dialect;
}

/** Rows that are read at a time: some hold JSON of many kB. */
const batchSize = 500;

type CopiedTable = Pick<Table, 'name' | 'columns'>;
type Query = (sql: string, parameters?: readonly unknown[]) => RawRow[] | Promise<RawRow[]>;

/** The statements of one engine. */
interface CopyEngine {
  /** The statement that lists all tables. */
  readonly tableNames: string;
  /** Returns how many other connections its user has to the database. */
  readonly otherConnections: (query: Query) => Promise<number>;
  /** Keeps other processes from writing to the tables, and servers from starting, until the transaction ends. */
  readonly holdBackWriters: (query: Query, tables: readonly CopiedTable[]) => Promise<void>;
  /** Keeps other processes from using the tables, and removes what depends on the order of their rows. Returns the statements that restore it. */
  readonly openForRows: (query: Query, tables: readonly CopiedTable[]) => Promise<readonly string[]>;
  readonly insert: (query: Query, table: CopiedTable, rows: readonly RawRow[]) => Promise<void>;
  /** Returns the highest id that a table ever had. Ids of deleted rows are not used again. [decision 53] */
  readonly lastId: (query: Query, table: CopiedTable) => Promise<number>;
  readonly setLastId: (query: Query, table: CopiedTable, id: number) => Promise<void>;
}

const namesOf = (tables: readonly CopiedTable[]): string => tables.map(({ name }) => quoteName(name)).join(', ');

const columnList = ({ columns }: CopiedTable): string => Object.keys(columns).map(quoteName).join(', ');

/** Returns the name of the sequence of a table's ids, quoted. */
async function sequenceOf(query: Query, { name }: CopiedTable): Promise<string> {
  const [[sequence] = []] = await query(`select pg_get_serial_sequence($1, 'id')`, [quoteName(name)]);
  return String(sequence);
}

const asText = (value: unknown): string | null => (value === null ? null : String(value));

const engines: Readonly<Record<DialectName, CopyEngine>> = {
  sqlite: {
    tableNames: "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    // The lock of the data folder shows other processes.
    otherConnections: async () => 0,
    // Transactions exclude each other, and foreign keys are off in migrations.
    async holdBackWriters() {},
    openForRows: async () => [],
    async insert(query, table, rows) {
      const marks = Object.keys(table.columns).map(() => '?');
      const statement = `insert into ${quoteName(table.name)} (${columnList(table)}) values (${marks.join(', ')})`;
      for (const row of rows) await query(statement, row.map(comparable));
    },
    async lastId(query, { name }) {
      const [[last] = []] = await query('select seq from sqlite_sequence where name = ?', [name]);
      return Number(last ?? 0);
    },
    async setLastId(query, { name }, id) {
      await query('delete from sqlite_sequence where name = ?', [name]);
      if (id > 0) await query('insert into sqlite_sequence (name, seq) values (?, ?)', [name, id]);
    },
  },
  postgres: {
    tableNames: 'select tablename from pg_tables where schemaname = current_schema()',
    async otherConnections(query) {
      // A transaction sees the connections of its first look.
      await query('select pg_stat_clear_snapshot()');
      const [[count] = []] = await query(
        `select count(*) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      );
      return Number(count);
    },
    async holdBackWriters(query, tables) {
      await query(`select pg_advisory_xact_lock(${migrationLock})`);
      await query(`lock table ${namesOf(tables)} in share mode`);
    },
    async openForRows(query, tables) {
      await query(`lock table ${namesOf(tables)} in access exclusive mode`);
      const keys = await query(
        `select conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
      );
      for (const [table, name] of keys) await query(`alter table ${table} drop constraint ${name}`);
      return keys.map(([table, name, definition]) => `alter table ${table} add constraint ${name} ${definition}`);
    },
    async insert(query, table, rows) {
      const columns = Object.entries(table.columns);
      const values = columns.map(([, { type }], index) => `c${index}::${postgresDialect.columnType(type)}`);
      const lists = columns.map((_, index) => `$${index + 1}::text[]`);
      const names = columns.map((_, index) => `c${index}`);
      await query(
        `insert into ${quoteName(table.name)} (${columnList(table)}) select ${values.join(', ')} from unnest(${lists.join(', ')}) as rows(${names.join(', ')})`,
        columns.map((_, index) => rows.map((row) => asText(row[index]))),
      );
    },
    async lastId(query, table) {
      const [[last] = []] = await query(
        `select case when is_called then last_value else 0 end from ${await sequenceOf(query, table)}`,
      );
      return Number(last);
    },
    async setLastId(query, table, id) {
      await query('select setval($1::regclass, $2, $3)', [await sequenceOf(query, table), Math.max(id, 1), id > 0]);
    },
  },
};

/** Returns a value in the form in which both engines are compared: SQLite has no booleans. */
const comparable = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value);

const queryOf =
  ({ session }: CopyEnd): Query =>
  (sql, parameters = []) =>
    session.query(sql, parameters);

/** Lifts the time limits of a transaction that copies, and keeps other processes from writing to its tables. */
export async function prepareSource(end: CopyEnd, tables: readonly CopiedTable[]): Promise<void> {
  for (const statement of end.dialect.withoutTimeouts) await end.session.query(statement, [], false);
  await engines[end.dialect.name].holdBackWriters(queryOf(end), tables);
}

/** Reads the rows of a table in the order of their ids. */
async function* batches(end: CopyEnd, table: CopiedTable): AsyncGenerator<RawRow[]> {
  const parameter = end.dialect.name === 'sqlite' ? '?' : '$1';
  const id = Object.keys(table.columns).indexOf('id');
  const statement = `select ${columnList(table)} from ${quoteName(table.name)} where id > ${parameter} order by id limit ${batchSize}`;
  for (let after = 0; ; ) {
    const rows = await end.session.query(statement, [after]);
    if (rows.length > 0) yield rows;
    if (rows.length < batchSize) return;
    after = Number(rows.at(-1)?.[id]);
  }
}

/** Returns the names of all tables of a database. */
export const tableNames = async ({ session, dialect }: CopyEnd): Promise<readonly string[]> =>
  (await session.query(engines[dialect.name].tableNames, [])).map(([name]) => String(name));

/** Returns how many rows the tables have together. */
export async function countRows(end: CopyEnd, tables: readonly CopiedTable[]): Promise<number> {
  let count = 0;
  for (const { name } of tables) {
    const [[rows] = []] = await end.session.query(`select count(*) from ${quoteName(name)}`, []);
    count += Number(rows);
  }
  return count;
}

/** Returns how many other connections there are to a database, which may be those of a server. */
export const otherConnections = (end: CopyEnd): Promise<number> =>
  engines[end.dialect.name].otherConnections(queryOf(end));

/** Locks tables for {@link copyTables}, in a transaction of {@link Database.migration}. Returns a function that ends it. Throws LockTimeout. */
export async function openTarget(to: CopyEnd, tables: readonly CopiedTable[]): Promise<() => Promise<void>> {
  const statements = await engines[to.dialect.name].openForRows(queryOf(to), tables);
  return async () => {
    for (const statement of statements) await to.session.query(statement, [], false);
  };
}

/** Copies all rows of the tables, and where their ids continue, and deletes the rows that were there. `onRows`: called with each number of copied rows. */
export async function copyTables(
  from: CopyEnd,
  to: CopyEnd,
  tables: readonly CopiedTable[],
  onRows: (count: number) => void,
): Promise<void> {
  const [source, target] = [engines[from.dialect.name], engines[to.dialect.name]];
  for (const table of tables) {
    await to.session.query(`delete from ${quoteName(table.name)}`, []);
    for await (const rows of batches(from, table)) {
      await target.insert(queryOf(to), table, rows);
      onRows(rows.length);
    }
    await target.setLastId(queryOf(to), table, await source.lastId(queryOf(from), table));
  }
}

/** Compares all rows of the tables, value by value, and where their ids continue. Returns the first difference, null if there is none. */
export async function findDifference(
  from: CopyEnd,
  to: CopyEnd,
  tables: readonly CopiedTable[],
  onRows: (count: number) => void = () => undefined,
): Promise<string | null> {
  for (const table of tables) {
    const copied = batches(to, table);
    for await (const rows of batches(from, table)) {
      const { value: others = [] } = await copied.next();
      const place = differentRow(table, rows, others);
      if (place !== null) return place;
      onRows(rows.length);
    }
    const { value: more } = await copied.next();
    if (more !== undefined) return `${table.name} has more rows`;
    const ids = await Promise.all([from, to].map(async (end) => engines[end.dialect.name].lastId(queryOf(end), table)));
    if (ids[0] !== ids[1]) return `the ids of ${table.name} continue elsewhere`;
  }
  return null;
}

function differentRow(table: CopiedTable, rows: readonly RawRow[], others: readonly RawRow[]): string | null {
  const names = Object.keys(table.columns);
  for (let index = 0; index < Math.max(rows.length, others.length); index++) {
    const [row, other] = [rows[index], others[index]];
    const id = (row ?? other)?.[names.indexOf('id')];
    if (!row || !other) return `row ${id} of ${table.name} is only in one of the databases`;
    const different = names.find((_, column) => comparable(row[column]) !== comparable(other[column]));
    if (different !== undefined) return `${different} of row ${id} of ${table.name} differs`;
  }
  return null;
}
