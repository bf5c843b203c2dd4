import type { Timestamp } from '../core/clock.ts';

/** What a column holds, the same on both engines. `integer` is 32-bit, `bigint` is read as a safe JavaScript integer, `json` keeps key order. */
export type ColumnType = 'text' | 'integer' | 'bigint' | 'float' | 'boolean' | 'time' | 'json';

/** Where a foreign key points and what happens to this row when the target goes. */
export interface ForeignKey {
  readonly table: string;
  readonly onDelete: 'cascade' | 'no action' | 'set null';
}

/** One column of a table; `T` is the type of its value in rows. Immutable: each method gives a new one. */
export class Column<T = unknown> {
  readonly type: ColumnType;
  readonly isNullable: boolean;
  readonly foreignKey: ForeignKey | null;
  /** Phantom: carries the value's type. */
  declare readonly value: T;

  constructor(type: ColumnType, isNullable = false, foreignKey: ForeignKey | null = null) {
    this.type = type;
    this.isNullable = isNullable;
    this.foreignKey = foreignKey;
  }

  nullable(): Column<T | null> {
    return new Column(this.type, true, this.foreignKey);
  }

  references(table: string, onDelete: ForeignKey['onDelete'] = 'cascade'): Column<T> {
    return new Column(this.type, this.isNullable, { table, onDelete });
  }
}

/** The column vocabulary. Timestamps are ISO text in rows on both engines; `json<T>()` values are plain JSON. */
export const column = {
  text: () => new Column<string>('text'),
  integer: () => new Column<number>('integer'),
  bigint: () => new Column<number>('bigint'),
  float: () => new Column<number>('float'),
  boolean: () => new Column<boolean>('boolean'),
  time: () => new Column<Timestamp>('time'),
  json: <T>() => new Column<T>('json'),
};
