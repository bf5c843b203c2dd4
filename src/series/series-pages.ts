import { setImmediate } from 'node:timers/promises';
import type { DialectName } from '../db/dialect.ts';
import type { JsonPart } from '../db/json-expressions.ts';
import { concatenate, jsonParts } from '../db/json-expressions.ts';
import type { DeviceScope, JsonExpressions } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import type { Table } from '../db/table.ts';

/** Rows that a statement reads: the database of this process answers one after the other. */
const pageSize = 2000;

/** A row as an array: its time in ms, its id, and further columns. */
type PackedRow = readonly [at: number, id: number, ...values: unknown[]];

interface Packing<Row extends PackedRow> {
  readonly table: Table<{ id: number; series_id: number; at: number }, 'device'>;
  readonly json: JsonExpressions;
  /** Only its type is used. */
  readonly row?: Row;
}

/** Declares which columns of a table's rows are read besides `at` and `id`. */
export function packing<Row extends PackedRow>(table: Packing<Row>['table'], ...columns: string[]): Packing<Row> {
  const expression = (dialect: DialectName): string => {
    const parts: JsonPart[] = [];
    for (const name of ['at', 'id', ...columns]) {
      const column = table.columns[name];
      if (!column) throw new Error(`${table.name} has no column ${name}`);
      parts.push({ text: parts.length === 0 ? '[' : ',' });
      parts.push(...jsonParts(dialect, column.type, `"${name}"`, column.isNullable));
    }
    return concatenate([...parts, { text: ']' }]);
  };
  return { table, json: { key: columns.join(), sqlite: expression('sqlite'), postgres: expression('postgres') } };
}

/** Where a page begins: at the first row of a time, or after a row of it. */
export interface Position {
  readonly at: number;
  readonly after?: number;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins; null: this is the last one. */
  readonly next: Position | null;
}

/**
 * Reads a page of a series by time, from a position until before `to` (ms). The database writes it as one text: thousands of
 * rows as objects of the driver cost more than reading them.
 */
export async function readPage<Row extends PackedRow>(
  scope: DeviceScope,
  { table, json }: Packing<Row>,
  { id, from, to }: { readonly id: number; readonly from: Position; readonly to: number },
): Promise<Page<Row>> {
  const text = await scope.jsonList(table, json, {
    where: { series_id: id, at: { gte: from.at, lt: to } },
    ...(from.after !== undefined && { and: sql`(at > ${from.at} or id > ${from.after})` }),
    order: [
      ['at', 'asc'],
      ['id', 'asc'],
    ],
    limit: pageSize,
  });
  const rows: Row[] = JSON.parse(text.toString());
  const last = rows.length < pageSize ? undefined : rows.at(-1);
  // Requests that arrived meanwhile come first.
  if (last) await setImmediate();
  return { rows, next: last ? { at: last[0], after: last[1] } : null };
}
