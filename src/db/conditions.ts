import type { Dialect } from './dialect.ts';
import { type Sql, sql } from './sql.ts';

/** One condition of `where`, from which both the text and the values of a statement follow. */
export interface Criterion {
  readonly column: string;
  readonly operator: keyof typeof operators;
  /** Encoded for the driver; undefined if the operator takes no value. */
  readonly value: unknown;
}

/** The SQL of each operator. */
export const operators = {
  'is null': (column: Sql) => sql`${column} is null`,
  'is not null': (column: Sql) => sql`${column} is not null`,
  in: (column: Sql, value: unknown, dialect: Dialect) => dialect.isOneOf(column, value),
  '=': (column: Sql, value: unknown) => sql`${column} = ${value}`,
  // SQLite uses no index for the column then.
  '= unindexed': (column: Sql, value: unknown) => sql`+${column} = ${value}`,
  // A null differs from every value.
  '<>': (column: Sql, value: unknown) => sql`(${column} is null or ${column} <> ${value})`,
  '<': (column: Sql, value: unknown) => sql`${column} < ${value}`,
  'null or <': (column: Sql, value: unknown) => sql`(${column} is null or ${column} < ${value})`,
  '<=': (column: Sql, value: unknown) => sql`${column} <= ${value}`,
  '>': (column: Sql, value: unknown) => sql`${column} > ${value}`,
  '>=': (column: Sql, value: unknown) => sql`${column} >= ${value}`,
} as const;

/** The operators of comparisons in `where`. */
export const comparisons: Readonly<Record<string, Criterion['operator']>> = {
  not: '<>',
  lt: '<',
  nullOrLt: 'null or <',
  lte: '<=',
  gt: '>',
  gte: '>=',
};
