import { Readable } from 'node:stream';
import { timestamp } from '../core/clock.ts';
import type { ZoneOffsets } from '../core/local-day.ts';
import type { DeviceScope } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import { seriesQuarters, seriesSamples, series as seriesTable } from './series-tables.ts';

/** Rows that are read at a time, and held in memory. */
const pageSize = 1000;

/** The first line. */
export const csvHead = 'at,local,resolution,value,min,max,sum,count,x,y,z\n';

type Cell = string | number | null;

const line = (cells: readonly Cell[]): string => `${cells.map((cell) => cell ?? '').join(',')}\n`;

/** Returns the rows of a series as lines of text, the oldest first. `resolution` says which are sums of a quarter of an hour. Times in ms. */
export const csvStream = (scope: DeviceScope, id: number | null, from: number, to: number, offsets: ZoneOffsets) =>
  Readable.from(pages(scope, id, from, to, offsets), { objectMode: false });

async function* pages(
  scope: DeviceScope,
  id: number | null,
  from: number,
  to: number,
  offsets: ZoneOffsets,
): AsyncGenerator<string> {
  yield csvHead;
  // A row of both tables has no id below 1.
  let cursor = { at: from, id: 0 };
  while (id !== null && cursor.at < to) {
    // Read again for each page: the compaction may have advanced.
    const current = await scope.first(seriesTable, { where: { id } });
    if (!current) return;
    const isCompacted = cursor.at < current.compacted_until;
    const end = isCompacted ? Math.min(to, current.compacted_until) : to;
    const query = {
      where: { series_id: id, at: { gte: cursor.at, lt: end } },
      and: sql`(at > ${cursor.at} or id > ${cursor.id})`,
      order: [
        ['at', 'asc'],
        ['id', 'asc'],
      ],
      limit: pageSize,
    } as const;
    const times = (at: number): Cell[] => [timestamp(at), offsets.format(at)];
    const rows = isCompacted
      ? (await scope.rows(seriesQuarters, query)).map(({ at, id, minimum, maximum, total, readings }) => {
          const values = [total / readings, minimum, maximum, total, readings, null, null, null];
          return { at, id, text: line([...times(at), 'quarter_hour', ...values]) };
        })
      : (await scope.rows(seriesSamples, query)).map(({ at, id, value, x, y, z }) => {
          const values = [value, value, value, value, 1, x, y, z];
          return { at, id, text: line([...times(at), 'whole', ...values]) };
        });
    if (rows.length > 0) yield rows.map(({ text }) => text).join('');
    const last = rows.at(-1);
    cursor = rows.length === pageSize && last ? { at: last.at, id: last.id } : { at: end, id: 0 };
  }
}
