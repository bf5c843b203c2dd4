import type { Timestamp } from '../core/clock.ts';
import type { Column } from './columns.ts';
import { column } from './columns.ts';

/** From which scope a table can be reached: one device's data, server-wide data, or both (a device then sees its own rows only). */
export type Reach = 'device' | 'server' | 'both';

export type Columns = Readonly<Record<string, Column>>;

/** The values of a row with these columns. */
export type Values<C extends Columns> = { -readonly [K in keyof C]: C[K]['value'] };

/** What every table has. */
export interface StandardColumns {
  id: number;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A table as the program declares it. Migrations make it; a test compares the two on both engines. */
export interface Table<Row = unknown, R extends Reach = Reach> {
  readonly name: string;
  readonly reach: R;
  /** The column that holds the owning device: `device_id`, `id` for devices themselves, null for tables without a device. */
  readonly owner: 'device_id' | 'id' | null;
  /** All columns, the standard ones first. */
  readonly columns: Columns;
  /** Unique sets of columns. */
  readonly unique: readonly (readonly string[])[];
  /** Further indexes, those of foreign keys included. */
  readonly indexes: readonly (readonly string[])[];
  /** Phantom: carries the type of a row. */
  readonly row?: Row;
}

/** The type of a table's rows. */
export type RowOf<T> = T extends Table<infer Row> ? Row : never;

export interface TableOptions<R extends Reach> {
  reach: R;
  owner?: 'id' | 'device_id' | null;
  unique?: readonly (readonly string[])[];
  indexes?: readonly (readonly string[])[];
}

const standard = { id: column.bigint(), created_at: column.time(), updated_at: column.time() };

/** Declares a table that is no resource of its own. Rows that belong to a device have `device_id`. */
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
    columns: { ...standard, ...columns },
    unique: options.unique ?? [],
    indexes: [...(options.indexes ?? []), ...foreignKeyIndexes(columns, options)],
  };
}

/** One index per foreign key that none begins with: else each deletion of a target would read the whole table. */
function foreignKeyIndexes(
  { device_id: _owner, ...columns }: Columns,
  { unique = [], indexes = [] }: Partial<TableOptions<Reach>>,
) {
  const begun = new Set([...unique, ...indexes].map(([first]) => first));
  return Object.keys(columns)
    .filter((name) => columns[name]?.foreignKey && !begun.has(name))
    .map((name) => [name]);
}
