import { confirmedNow } from '../core/confirmed-time.ts';
import { pauseForRequests } from '../core/request-pause.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import { acrossDevices, externalTable, only } from '../db/table.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { changeCount, endAllSeries, startOfQuarter } from './series-store.ts';
import type { Series } from './series-tables.ts';
import { series, seriesQuarters, seriesSamples } from './series-tables.ts';

const day = 86_400_000;

/** Age from which samples are kept as sums only, in ms. */
const wholeTime = 30 * day;

/** Interval in which each series is compacted, in ms. */
const sweepInterval = day;

/** Rows that a step deletes: other writers wait for it. */
const stepSize = 200;

/** The lists whose samples stay whole, however old, with the time of their records. */
const readings = externalTable('sensor_readings', { read_at: column.time() });
const telemetries = externalTable('telemetries', {});

const allSeries = acrossDevices(series);

/** Returns the earliest time since the limit of the records that the list still has; in ms. */
async function listedSince(scope: DeviceScope, number: number, limit: number): Promise<number> {
  const since = new Date(limit).toISOString();
  const first =
    number < 1000
      ? (await scope.first(readings, { where: { read_at: { gte: since } }, order: [['read_at', 'asc']] }))?.read_at
      : (await scope.first(telemetries, { where: { created_at: { gte: since } }, order: [['created_at', 'asc']] }))
          ?.created_at;
  return first === undefined ? Number.POSITIVE_INFINITY : Date.parse(first);
}

type SeriesRows = Table<{ id: number; series_id: number; at: number }, 'device'>;

/** The rows without their values, which deleted rows are returned with. */
const sampleRows: SeriesRows = only(seriesSamples, 'series_id', 'at');
const quarterRows: SeriesRows = only(seriesQuarters, 'series_id', 'at');

/** Deletes the rows of a series before a time, in small steps. `to`: in ms; null: all. */
async function deleteBefore(scope: DeviceScope, table: SeriesRows, id: number, to: number): Promise<void> {
  for (let deleted = stepSize; deleted >= stepSize; ) {
    const began = performance.now();
    deleted = await scope.transaction(async (inner) => {
      const before = { where: { series_id: id, at: { lt: to } } };
      const [last] = await inner.rows(table, { ...before, order: [['at', 'asc']], limit: 1, offset: stepSize - 1 });
      // By time, not by id: SQLite would search all rows of the device for the ids.
      const { length } = await inner.delete(table, last ? { where: { series_id: id, at: { lte: last.at } } } : before);
      await changeCount(inner, id, -length);
      return length;
    });
    // Requests wait for a step in each iteration of the event loop that they need.
    await pauseForRequests(began);
  }
}

/** Deletes a series that ended, in small steps. */
async function deleteSeries(scope: DeviceScope, id: number): Promise<void> {
  await deleteBefore(scope, sampleRows, id, Number.MAX_SAFE_INTEGER);
  await deleteBefore(scope, quarterRows, id, Number.MAX_SAFE_INTEGER);
  await scope.delete(series, { where: { id } });
}

/** Deletes all series of a device in small steps, outside of a transaction. */
export async function deleteAllSeries(scope: DeviceScope): Promise<void> {
  await endAllSeries(scope);
  for (const { id } of await scope.rows(series, { where: { number: null } })) await deleteSeries(scope, id);
}

/** Deletes samples older than `keptTime` (ms), and keeps only sums of samples older than 30 days, except for the content of the lists. */
async function compact(scope: DeviceScope, { id, number, compacted_until }: Series, keptTime: number): Promise<void> {
  if (number === null) return deleteSeries(scope, id);
  const now = confirmedNow(scope.clock);
  const expired = Math.max(0, startOfQuarter(now - keptTime));
  const listed = await listedSince(scope, number, expired);
  const until = Math.max(compacted_until, expired, Math.min(startOfQuarter(listed), startOfQuarter(now - wholeTime)));
  // From here on, the sums count for earlier samples.
  await scope.update(series, { compacted_until: until, swept_at: now }, { where: { id } });
  await deleteBefore(scope, sampleRows, id, until);
  await deleteBefore(scope, quarterRows, id, expired);
}

/** The job that compacts series, each once a day. `days`: how long values are kept. */
export const seriesCompaction = (days: number): JobDefinition => ({
  kind: 'compact_series',
  interval: 3_600_000,
  concurrency: 1,
  async handle(server: ServerScope) {
    const before = confirmedNow(server.clock) - sweepInterval;
    const query = { where: { swept_at: { lte: before } }, order: [['swept_at', 'asc']], limit: 100 } as const;
    for (let due = await server.rows(allSeries, query); due.length > 0; due = await server.rows(allSeries, query))
      for (const each of due) await compact(server.device(each.device_id), each, days * day);
  },
});
