import { column } from '../db/columns.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';

/** The duration for which old samples are summed up, in ms. [ADR 53] */
export const quarterHour = 900_000;

/** Numbers of the series of telemetry by field; sensor readings use their pins. Stored, so they never change. */
export const telemetryNumbers = {
  soc_temp: 1000,
  wifi_level_percent: 1001,
  uptime: 1002,
  memory_usage: 1003,
  disk_usage: 1004,
  cpu_usage: 1005,
} as const;

export type TelemetryField = keyof typeof telemetryNumbers;

export const telemetryFields = Object.keys(telemetryNumbers) as TelemetryField[];

/** One series of values of a device. */
export const series = table(
  'series',
  {
    device_id: column.bigint().references('devices'),
    /** A pin, or one of {@link telemetryNumbers}; null: the series was deleted, and its rows will be. */
    number: column.integer().nullable(),
    /** The time, in ms since the epoch, before which only sums are kept. */
    compacted_until: column.bigint(),
    /** Samples and sums that are stored, counted on each change. */
    row_count: column.bigint(),
    /** When old samples were last compacted, in ms since the epoch. */
    swept_at: column.bigint(),
  },
  { reach: 'device', unique: [['device_id', 'number']], indexes: [['swept_at']] },
);

export type Series = RowOf<typeof series>;

/** Values as they were measured. */
export const seriesSamples = table(
  'series_samples',
  {
    device_id: column.bigint().references('devices'),
    series_id: column.bigint(),
    /** In ms since the epoch. */
    at: column.bigint(),
    value: column.float(),
    x: column.float().nullable(),
    y: column.float().nullable(),
    z: column.float().nullable(),
    /** The id of the sensor reading or telemetry. */
    record_id: column.bigint(),
  },
  { reach: 'device', indexes: [['device_id', 'series_id', 'at']] },
);

/** Sums of all values of a quarter of an hour, including stored ones. */
export const seriesQuarters = table(
  'series_quarters',
  {
    device_id: column.bigint().references('devices'),
    series_id: column.bigint(),
    /** The start in ms since the epoch: a full quarter of an hour in UTC. */
    at: column.bigint(),
    minimum: column.float(),
    maximum: column.float(),
    total: column.float(),
    readings: column.bigint(),
  },
  { reach: 'device', unique: [['device_id', 'series_id', 'at']] },
);

export type SeriesQuarter = RowOf<typeof seriesQuarters>;
