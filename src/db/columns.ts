import type { Timestamp } from '../core/clock.ts';

/** Column types, the same on both engines. `integer` has 32 bits, `bigint` is read as a safe JavaScript integer, `json` keeps the order of keys. */
export type ColumnType = 'text' | 'integer' | 'bigint' | 'float' | 'boolean' | 'time' | 'json';

/** A foreign key to the `id` of a table. */
export interface ForeignKey {
  readonly table: string;
  readonly onDelete: 'cascade' | 'no action' | 'set null';
}

/** A column whose values have the type `T` in rows. Immutable: each method returns a new column. */
export class Column<T = unknown> {
  readonly type: ColumnType;
  readonly isNullable: boolean;
  readonly foreignKey: ForeignKey | null;
  /** The value for existing rows when a migration adds the column; undefined: null. */
  readonly initial: unknown;
  /** Phantom property: carries the type only. */
  declare readonly value: T;

  constructor(type: ColumnType, isNullable = false, foreignKey: ForeignKey | null = null, initial?: unknown) {
    this.type = type;
    this.isNullable = isNullable;
    this.foreignKey = foreignKey;
    this.initial = initial;
  }

  nullable(): Column<T | null> {
    return new Column(this.type, true, this.foreignKey, this.initial);
  }

  references(table: string, onDelete: ForeignKey['onDelete'] = 'cascade'): Column<T> {
    return new Column(this.type, this.isNullable, { table, onDelete }, this.initial);
  }

  default(initial: T): Column<T> {
    return new Column(this.type, this.isNullable, this.foreignKey, initial);
  }
}

/** Column builders. */
export const column = {
  text: () => new Column<string>('text'),
  integer: () => new Column<number>('integer'),
  bigint: () => new Column<number>('bigint'),
  float: () => new Column<number>('float'),
  boolean: () => new Column<boolean>('boolean'),
  time: () => new Column<Timestamp>('time'),
  json: <T>() => new Column<T>('json'),
};
