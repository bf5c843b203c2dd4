import { csvOf } from '../../core/csv-text.ts';
import { list } from '../../engine/records.ts';
import type { DeviceRoute } from '../../engine/route.ts';
import { Reply } from '../../engine/route.ts';
import { notArchived, points } from '../../garden/points.ts';
import { pointReferences, tableOf } from './point-table.ts';

/** `GET /api/points/table`: the inverse of the import of a table. */
export const pointTableRoute: DeviceRoute = {
  access: 'token',
  tag: points.options.tag,
  method: 'GET',
  path: '/api/points/table',
  addition: true,
  summary: 'Export the points as a table (CSV)',
  description:
    'Returns the plants, weeds, tool slots and other points of the map as CSV, with a column for each field, and the names of curves and tools. `POST /api/import` adds the points of such a table.',
  replies: { 200: 'binary' },
  async handle(scope) {
    const records = await list(scope, points, null, { where: notArchived });
    const csv = csvOf(tableOf(records, await pointReferences(scope)));
    const headers = { 'content-disposition': 'attachment; filename="points.csv"' };
    return new Reply(csv, 'text/csv; charset=utf-8', 200, headers);
  },
};
