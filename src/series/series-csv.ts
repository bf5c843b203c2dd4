import { Readable } from 'node:stream';
import type { ZoneOffsets } from '../core/local-day.ts';
import { TimeFormat } from '../core/local-day.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { PagePosition } from './series-query.ts';
import { readPage } from './series-query.ts';
import { seriesQuarters, seriesSamples, series as seriesTable } from './series-tables.ts';

/** The first line. */
export const csvHead = 'at,local,resolution,value,min,max,sum,count,x,y,z\n';

/** Returns the rows of a series as lines of text, the oldest first. `resolution` marks the sums of a quarter of an hour. Times in ms. */
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
  const utc = new TimeFormat();
  const times = (at: number): string => `${utc.timestamp(at)},${offsets.format(at)}`;
  for (let position: PagePosition = { at: from }; id !== null && position.at < to; ) {
    // Read again for each page: the compaction may have advanced.
    const current = await scope.first(seriesTable, { where: { id } });
    if (!current) return;
    const isCompacted = position.at < current.compacted_until;
    const span = { id, from: position, to: isCompacted ? Math.min(to, current.compacted_until) : to };
    let text = '';
    const columns = isCompacted ? ['minimum', 'maximum', 'total', 'readings'] : ['value', 'x', 'y', 'z'];
    const { at, values, next } = await readPage(scope, isCompacted ? seriesQuarters : seriesSamples, columns, span);
    for (const [row, time] of at.entries()) {
      const [first, second, third, fourth] = values.map((column) => column[row] ?? '');
      text += isCompacted
        ? `${times(Number(time))},quarter_hour,${Number(third) / Number(fourth)},${first},${second},${third},${fourth},,,\n`
        : `${times(Number(time))},whole,${first},${first},${first},${first},1,${second},${third},${fourth}\n`;
    }
    if (text !== '') yield text;
    position = next ?? { at: span.to };
  }
}
