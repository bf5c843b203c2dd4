import type { Timestamp } from '../core/clock.ts';
import type { Column } from './columns.ts';
import { column } from './columns.ts';

/** The scopes that can access a table: device scopes, the server scope, or both (device scopes then see their own rows only). */
export type Reach = 'device' | 'server' | 'both';

export type Columns = Readonly<Record<string, Column>>;

/** The type of rows with these columns. */
export type Values<C extends Columns> = { -readonly [K in keyof C]: C[K]['value'] };

/** Columns of every table. */
export interface StandardColumns {
  id: number;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** The maximum number of rows of a table for a device, and the key of the 422 beyond it. */
export interface Maximum {
  readonly rows: number;
  readonly key: string;
}

/** The declaration of a table. Migrations create it; a test compares both on each engine. */
export interface Table<Row = unknown, R extends Reach = Reach> {
  readonly name: string;
  readonly reach: R;
  /** The column with the owning device's id: `device_id`, `id` for devices themselves, null for tables without a device. */
  readonly owner: 'device_id' | 'id' | null;
  /** All columns, standardColumns columns first. */
  readonly columns: Columns;
  /** Columns of the unique indexes. */
  readonly unique: readonly (readonly string[])[];
  /** Columns of the other indexes, including foreign keys'. */
  readonly indexes: readonly (readonly string[])[];
  /** Other processes are notified of commits to the table, except updates of these columns only, which change no {@link ServerScope.version}. Null: of none. */
  readonly unwatched: ReadonlySet<string> | null;
  /** Checked by the scope of a device with every insert; null: not limited. [ADR 91] */
  readonly maximum: Maximum | null;
  /** Phantom property: carries the type only. */
  readonly row?: Row;
}

/** The type of a table's rows. */
export type RowOf<T> = T extends Table<infer Row> ? Row : never;

export interface TableOptions<R extends Reach> {
  reach: R;
  owner?: 'id' | 'device_id' | null;
  unique?: readonly (readonly string[])[];
  indexes?: readonly (readonly string[])[];
  maximum?: Maximum;
  /** Set for tables whose rows all processes remember: the columns that they do not remember. */
  unwatched?: readonly string[];
}

const standardColumns = { id: column.bigint(), created_at: column.time(), updated_at: column.time() };

/** Declares a table. With a `device_id` column, its rows belong to devices. */
export function table<C extends Columns, R extends Reach>(
  name: string,
  columns: C,
  options: TableOptions<R>,
): Table<StandardColumns & Values<C>, R> {
  const owner = options.owner === undefined ? ('device_id' in columns ? 'device_id' : null) : options.owner;
  return {
    name,
    reach: options.reach,
    owner,
    columns: { ...standardColumns, ...columns },
    unique: options.unique ?? [],
    indexes: [...(options.indexes ?? []), ...foreignKeyIndexes(columns, options)],
    unwatched: options.unwatched ? new Set(options.unwatched) : null,
    maximum: options.maximum ?? null,
  };
}

/** Returns an index for each foreign key column that no other index starts with: without one, deleting a target would scan the table. */
function foreignKeyIndexes(
  { device_id: _owner, ...columns }: Columns,
  { unique = [], indexes = [] }: Partial<TableOptions<Reach>>,
) {
  const indexed = new Set([...unique, ...indexes].map(([first]) => first));
  return Object.keys(columns)
    .filter((name) => columns[name]?.foreignKey && !indexed.has(name))
    .map((name) => [name]);
}

/** Views are tables of their own: statements are cached by table object, not by name. */
const viewOf = <R extends Reach>(
  { name, owner, unwatched, maximum }: Table,
  reach: R,
  columns: Columns,
): Table<never, R> => ({
  name,
  reach,
  owner,
  columns,
  unwatched,
  maximum,
  unique: [],
  indexes: [],
});

/** Returns a view of a table with only these columns and the standard ones. */
export function only<Row extends StandardColumns, R extends Reach, K extends keyof Row & string>(
  base: Table<Row, R>,
  ...names: readonly K[]
): Table<Pick<Row, K | keyof StandardColumns>, R> {
  const kept = new Set<string>([...Object.keys(standardColumns), ...names]);
  const columns = Object.entries(base.columns).filter(([name]) => kept.has(name));
  return viewOf(base, base.reach, Object.fromEntries(columns));
}

/** Returns a view of a table whose JSON columns hold their JSON text, which is neither parsed nor serialized. */
export function withJsonText<Row, R extends Reach, K extends keyof Row & string>(
  base: Table<Row, R>,
  ...names: readonly K[]
): Table<Omit<Row, K> & Record<K, string>, R> {
  const texts = Object.fromEntries(names.map((name) => [name, column.text()]));
  return viewOf(base, base.reach, { ...base.columns, ...texts });
}

/** Returns a view through which the server scope accesses the rows of all devices, for operators' commands. */
export const acrossDevices = <Row>(base: Table<Row, 'device'>): Table<Row, 'server'> =>
  viewOf(base, 'server', base.columns);

/** Declares columns of a device table whose own declaration the module may not import. */
export const externalTable = <C extends Columns>(
  name: string,
  columns: C,
): Table<StandardColumns & Values<C>, 'device'> => table(name, columns, { reach: 'device', owner: 'device_id' });
