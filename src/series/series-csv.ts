import { Readable } from 'node:stream';
import { TimeFormat, type ZoneOffsets } from '../core/local-day.ts';
import type { DeviceScope } from '../db/scope.ts';
import { type Position, packing, readPage } from './series-pages.ts';
import { seriesQuarters, seriesSamples, series as seriesTable } from './series-tables.ts';

/** The first line. */
export const csvHead = 'at,local,resolution,value,min,max,sum,count,x,y,z\n';

type Cell = number | null;

const samples = packing<[at: number, id: number, value: number, x: Cell, y: Cell, z: Cell]>(
  ...([seriesSamples, 'value', 'x', 'y', 'z'] as const),
);
const quarters = packing<[at: number, id: number, minimum: number, maximum: number, total: number, readings: number]>(
  ...([seriesQuarters, 'minimum', 'maximum', 'total', 'readings'] as const),
);

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
  const utc = new TimeFormat();
  const times = (at: number): string => `${utc.timestamp(at)},${offsets.format(at)}`;
  for (let position: Position = { at: from }; id !== null && position.at < to; ) {
    // Read again for each page: the compaction may have advanced.
    const current = await scope.first(seriesTable, { where: { id } });
    if (!current) return;
    const isCompacted = position.at < current.compacted_until;
    const span = { id, from: position, to: isCompacted ? Math.min(to, current.compacted_until) : to };
    let text = '';
    let next: Position | null;
    if (isCompacted) {
      const page = await readPage(scope, quarters, span);
      for (const [at, , minimum, maximum, total, readings] of page.rows)
        text += `${times(at)},quarter_hour,${total / readings},${minimum},${maximum},${total},${readings},,,\n`;
      next = page.next;
    } else {
      const page = await readPage(scope, samples, span);
      for (const [at, , value, x, y, z] of page.rows) {
        const all = `${value}`;
        text += `${times(at)},whole,${all},${all},${all},${all},1,${x ?? ''},${y ?? ''},${z ?? ''}\n`;
      }
      next = page.next;
    }
    if (text !== '') yield text;
    position = next ?? { at: span.to };
  }
}
