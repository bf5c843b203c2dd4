import { setImmediate } from 'node:timers/promises';
import type { DeviceScope, NumberColumn } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import type { Table } from '../db/table.ts';

/** Rows that a statement reads: the database of this process answers one after the other. */
const pageSize = 4000;

/** Where a page begins: at the first row of a time, or after a row of it. */
export interface PagePosition {
  readonly at: number;
  readonly after?: number;
}

/** Rows of a series, by column. */
export interface SeriesPage {
  /** Times in ms. */
  readonly at: NumberColumn;
  readonly values: readonly NumberColumn[];
  /** Where the next page begins; null: this is the last one. */
  readonly next: PagePosition | null;
}

interface PageSpan {
  /** The id of the series. */
  readonly id: number;
  readonly from: PagePosition;
  readonly to: number;
}

/** Reads columns of a page of a series by time, from a position until before `to` (ms). */
export async function readPage(
  scope: DeviceScope,
  table: Table<{ id: number; series_id: number; at: number }, 'device'>,
  columns: readonly string[],
  { id, from, to }: PageSpan,
): Promise<SeriesPage> {
  const [at = [], ids = [], ...values] = await scope.numbers(table, ['at', 'id', ...columns], {
    where: { series_id: id, at: { gte: from.at, lt: to } },
    ...(from.after !== undefined && { and: sql`(at > ${from.at} or id > ${from.after})` }),
    order: [
      ['at', 'asc'],
      ['id', 'asc'],
    ],
    limit: pageSize,
  });
  if (at.length < pageSize) return { at, values, next: null };
  // Requests that have arrived come first.
  await setImmediate();
  return { at, values, next: { at: Number(at.at(-1)), after: Number(ids.at(-1)) } };
}
