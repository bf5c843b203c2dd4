import { latestNow } from '../core/confirmed-time.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import type { Series, SeriesQuarter, TelemetryField } from './series-tables.ts';
import {
  quarterHour,
  series,
  seriesQuarters,
  seriesSamples,
  telemetryFields,
  telemetryNumbers,
} from './series-tables.ts';

// The public file of the room: storing and deleting for other rooms. Everything runs in the caller's transaction. [ADR 53]

/** A value of a series. */
interface Sample {
  readonly number: number;
  /** In ms since the epoch. */
  readonly at: number;
  readonly value: number;
  readonly x?: number | null;
  readonly y?: number | null;
  readonly z?: number | null;
  readonly record_id: number;
}

type Sums = Pick<SeriesQuarter, 'at' | 'minimum' | 'maximum' | 'total' | 'readings'>;

/** Maximum number of stored rows of a device: samples and sums. */
const maxSeriesRows = 1_000_000;

/** How far the clock of a robot may be ahead until its values are dropped before older ones, in ms. */
const maxAhead = 86_400_000;

/** A sensor reading, as far as series need it. */
export interface ReadingRow {
  readonly id: number;
  readonly pin: number;
  readonly value: number;
  readonly x: number | null;
  readonly y: number | null;
  readonly z: number | null;
  readonly read_at: string;
}

/** A telemetry, as far as series need it. */
export type TelemetryRow = { readonly id: number; readonly created_at: string } & {
  readonly [Field in TelemetryField]?: number | null;
};

const ofReading = ({ id, pin, value, x, y, z, read_at }: ReadingRow): Sample => ({
  number: pin,
  at: Date.parse(read_at),
  value,
  x,
  y,
  z,
  record_id: id,
});

const ofTelemetry = (row: TelemetryRow): Sample[] =>
  telemetryFields.flatMap((field) => {
    const value = row[field];
    if (value === null || value === undefined) return [];
    return [{ number: telemetryNumbers[field], at: Date.parse(row.created_at), value, record_id: row.id }];
  });

/** Adds sensor readings to their series. */
export const addReadings = (scope: DeviceScope, rows: readonly ReadingRow[]): Promise<void> =>
  addSamples(scope, rows.map(ofReading));

/** Adds telemetry to the series of its fields. */
export const addTelemetries = (scope: DeviceScope, rows: readonly TelemetryRow[]): Promise<void> =>
  addSamples(scope, rows.flatMap(ofTelemetry));

/** Removes deleted sensor readings from their series. */
export const removeReadings = (scope: DeviceScope, rows: readonly ReadingRow[]): Promise<void> =>
  removeSamples(scope, rows.map(ofReading));

/** Removes deleted telemetry from the series of its fields. */
export const removeTelemetries = (scope: DeviceScope, rows: readonly TelemetryRow[]): Promise<void> =>
  removeSamples(scope, rows.flatMap(ofTelemetry));

/** Ends all series of the device. A job deletes their rows in small steps. */
export async function endAllSeries(scope: DeviceScope): Promise<void> {
  await scope.update(series, { number: null, swept_at: 0 }, {});
}

export const startOfQuarter = (at: number): number => Math.floor(at / quarterHour) * quarterHour;

/** Returns sums that a database has computed. */
export const sumsAt = (at: number, ...[minimum, maximum, total, readings]: readonly unknown[]): Sums => ({
  at,
  minimum: Number(minimum),
  maximum: Number(maximum),
  total: Number(total),
  readings: Number(readings),
});

const sumsOf = (at: number, { value }: Sample): Sums => sumsAt(at, value, value, value, 1);

/** Returns two sums of the same start as one. */
export const combined = (one: Sums, other: Sums): Sums => ({
  at: one.at,
  minimum: Math.min(one.minimum, other.minimum),
  maximum: Math.max(one.maximum, other.maximum),
  total: one.total + other.total,
  readings: one.readings + other.readings,
});

function grouped(samples: readonly Sample[]): Map<number, Sample[]> {
  const groups = new Map<number, Sample[]>();
  for (const sample of samples) {
    // Times before 1970 are errors of clocks.
    if (!(sample.at >= 0)) continue;
    const group = groups.get(sample.number);
    if (group) group.push(sample);
    else groups.set(sample.number, [sample]);
  }
  return groups;
}

async function addSamples(scope: DeviceScope, samples: readonly Sample[]): Promise<void> {
  const groups = grouped(samples);
  if (groups.size === 0) return;
  const all = await scope.rows(series);
  let total = all.reduce((sum, { row_count }) => sum + row_count, 0);
  for (const [number, group] of groups) {
    let target = all.find((each) => each.number === number);
    if (!target) {
      const fresh = { number, compacted_until: 0, row_count: 0, swept_at: scope.clock.now() };
      const added = await scope.insert(series, fresh);
      all.push(added);
      target = added;
    }
    total += await addToSeries(scope, target, group);
  }
  if (total > maxSeriesRows) await dropValues(scope, total - maxSeriesRows);
}

/** Returns the number of added rows. */
async function addToSeries(scope: DeviceScope, target: Series, samples: readonly Sample[]): Promise<number> {
  const sums = new Map<number, Sums>();
  for (const sample of samples) {
    const own = sumsOf(startOfQuarter(sample.at), sample);
    const known = sums.get(own.at);
    sums.set(own.at, known ? combined(known, own) : own);
  }
  const query = { where: { series_id: target.id, at: [...sums.keys()] } };
  for (const quarter of await scope.rows(seriesQuarters, query)) {
    const { at, ...values } = combined(quarter, sums.get(quarter.at) ?? quarter);
    await scope.update(seriesQuarters, values, { where: { id: quarter.id } });
    sums.delete(at);
  }
  const fresh = [...sums.values()].map((values) => ({ series_id: target.id, ...values }));
  if (fresh.length > 0) await scope.insertAll(seriesQuarters, fresh);
  // Of times that are compacted already, only the sums change.
  const whole = samples
    .filter(({ at }) => at >= target.compacted_until)
    .map(({ number: _, ...sample }) => ({ series_id: target.id, ...sample }));
  if (whole.length > 0) await scope.insertAll(seriesSamples, whole);
  await changeCount(scope, target.id, fresh.length + whole.length);
  return fresh.length + whole.length;
}

/** Adds to the number of rows of a series. */
export async function changeCount(scope: DeviceScope, id: number, difference: number): Promise<void> {
  const current = await scope.first(series, { where: { id } });
  if (!current || difference === 0) return;
  await scope.update(series, { row_count: Math.max(0, current.row_count + difference) }, { where: { id } });
}

/** Returns the first or the last quarter of an hour of any of these series. */
async function outermostQuarter(scope: DeviceScope, all: readonly Series[], order: 'asc' | 'desc') {
  const found: SeriesQuarter[] = [];
  for (const { id } of all)
    found.push(...(await scope.rows(seriesQuarters, { where: { series_id: id }, order: [['at', order]], limit: 1 })));
  return found.sort((a, b) => (order === 'asc' ? a.at - b.at : b.at - a.at))[0];
}

/**
 * Deletes quarters of an hour of any series until so many rows are deleted: first quarters more than a day ahead, which are errors of
 * clocks, then the oldest ones.
 */
async function dropValues(scope: DeviceScope, excess: number): Promise<void> {
  const all = await scope.rows(series, { where: { number: { not: null } } });
  for (let left = excess; left > 0; ) {
    const last = await outermostQuarter(scope, all, 'desc');
    const isAhead = last && last.at > latestNow(scope.clock) + maxAhead;
    const dropped = isAhead ? last : await outermostQuarter(scope, all, 'asc');
    if (!dropped) return;
    left -= await deleteQuarters(scope, dropped.series_id, dropped.at, dropped.at + quarterHour);
  }
}

/** Deletes a span of a series, from and to full quarters of an hour. Returns the number of deleted rows. */
export async function deleteQuarters(scope: DeviceScope, id: number, from: number, to: number): Promise<number> {
  const query = { where: { series_id: id, at: { gte: from, lt: to } } };
  const samples = await scope.delete(seriesSamples, query);
  const quarters = await scope.delete(seriesQuarters, query);
  await changeCount(scope, id, -samples.length - quarters.length);
  return samples.length + quarters.length;
}

const sampleSums: Selection<Sums> = {
  key: 'sums',
  expressions: ['at / 900000', 'min(value)', 'max(value)', 'sum(value)', 'count(*)'],
  groupBy: '1',
  read: ([quarter, ...values]) => sumsAt(Number(quarter) * quarterHour, ...values),
};

async function removeSamples(scope: DeviceScope, samples: readonly Sample[]): Promise<void> {
  const groups = grouped(samples);
  if (groups.size === 0) return;
  for (const target of await scope.rows(series)) {
    const group = target.number === null ? undefined : groups.get(target.number);
    if (group) await removeFromSeries(scope, target, group);
  }
}

/** Deletes samples, and calculates the sums of their quarters again. */
async function removeFromSeries(scope: DeviceScope, target: Series, samples: readonly Sample[]): Promise<void> {
  const series_id = target.id;
  const compacted = samples.filter(({ at }) => at < target.compacted_until);
  for (const sample of compacted) await subtract(scope, series_id, sample);
  const whole = samples.filter(({ at }) => at >= target.compacted_until);
  if (whole.length === 0) return;
  const starts = [...new Set(whole.map(({ at }) => startOfQuarter(at)))];
  const span = { gte: Math.min(...starts), lt: Math.max(...starts) + quarterHour };
  const ids = whole.map(({ record_id }) => record_id);
  const deleted = await scope.delete(seriesSamples, { where: { series_id, at: span, record_id: ids } });
  const sums = await scope.select(seriesSamples, sampleSums, { where: { series_id, at: span } });
  const before = await scope.delete(seriesQuarters, { where: { series_id, at: starts } });
  const affected = new Set(before.map(({ at }) => at));
  const after = sums.filter(({ at }) => affected.has(at)).map((values) => ({ series_id, ...values }));
  if (after.length > 0) await scope.insertAll(seriesQuarters, after);
  await changeCount(scope, series_id, after.length - before.length - deleted.length);
}

/** Takes a value out of the sums of its quarter; minimum and maximum stay, because the other values are not known. */
async function subtract(scope: DeviceScope, series_id: number, { at, value }: Sample): Promise<void> {
  const quarter = await scope.first(seriesQuarters, { where: { series_id, at: startOfQuarter(at) } });
  if (!quarter) return;
  const where = { id: quarter.id };
  if (quarter.readings > 1) {
    const changes = { total: quarter.total - value, readings: quarter.readings - 1 };
    await scope.update(seriesQuarters, changes, { where });
    return;
  }
  await scope.delete(seriesQuarters, { where });
  await changeCount(scope, series_id, -1);
}
