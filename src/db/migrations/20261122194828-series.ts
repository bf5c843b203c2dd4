import { column } from '../columns.ts';
import type { DialectName } from '../dialect.ts';
import type { Migration } from '../migrator.ts';

/** Milliseconds since the epoch of a column with a time. */
const milliseconds: Readonly<Record<DialectName, (column: string) => string>> = {
  sqlite: (name) => `(cast(strftime('%s', ${name}) as integer) * 1000 + cast(substr(${name}, 21, 3) as integer))`,
  postgres: (name) => `cast(floor(extract(epoch from ${name}) * 1000) as bigint)`,
};

const telemetryNumbers = {
  soc_temp: 1000,
  wifi_level_percent: 1001,
  uptime: 1002,
  memory_usage: 1003,
  disk_usage: 1004,
  cpu_usage: 1005,
};

/** The rows of the lists as values of series. */
function listed(dialect: DialectName): string {
  const at = milliseconds[dialect];
  const readings = `select device_id, created_at, pin as number, ${at('read_at')} as at, value, x, y, z, id as record_id from sensor_readings`;
  const telemetries = Object.entries(telemetryNumbers).map(
    ([field, number]) =>
      `select device_id, created_at, ${number}, ${at('created_at')}, ${field}, null, null, null, id from telemetries where ${field} is not null`,
  );
  return `(select * from (${[readings, ...telemetries].join(' union all ')}) as list where at >= 0) as listed`;
}

const forEach = (statement: (dialect: DialectName) => string) => ({
  sqlite: statement('sqlite'),
  postgres: statement('postgres'),
});

/** Sensor readings and telemetry over time, beginning with the content of the lists. */
export const series: Migration = {
  number: 20261122194828,
  name: 'series',
  change(schema) {
    const device_id = column.bigint().references('devices');
    schema.createTable(
      'series',
      {
        device_id,
        number: column.integer().nullable(),
        compacted_until: column.bigint(),
        row_count: column.bigint(),
        swept_at: column.bigint(),
      },
      { unique: [['device_id', 'number']], indexes: [['swept_at']] },
    );
    schema.createTable(
      'series_samples',
      {
        device_id,
        series_id: column.bigint(),
        at: column.bigint(),
        value: column.float(),
        x: column.float().nullable(),
        y: column.float().nullable(),
        z: column.float().nullable(),
        record_id: column.bigint(),
      },
      { indexes: [['device_id', 'series_id', 'at']] },
    );
    schema.createTable(
      'series_quarters',
      {
        device_id,
        series_id: column.bigint(),
        at: column.bigint(),
        minimum: column.float(),
        maximum: column.float(),
        total: column.float(),
        readings: column.bigint(),
      },
      { unique: [['device_id', 'series_id', 'at']] },
    );
    schema.execute(
      forEach(
        (dialect) =>
          `insert into series (created_at, updated_at, device_id, number, compacted_until, row_count, swept_at) select min(created_at), min(created_at), device_id, number, 0, 0, 0 from ${listed(dialect)} group by device_id, number`,
      ),
    );
    schema.execute(
      forEach(
        (dialect) =>
          `insert into series_samples (created_at, updated_at, device_id, series_id, at, value, x, y, z, record_id) select listed.created_at, listed.created_at, listed.device_id, series.id, at, value, x, y, z, record_id from ${listed(dialect)} join series on series.device_id = listed.device_id and series.number = listed.number`,
      ),
    );
    schema.execute(
      'insert into series_quarters (created_at, updated_at, device_id, series_id, at, minimum, maximum, total, readings) select min(created_at), min(created_at), device_id, series_id, at / 900000 * 900000, min(value), max(value), sum(value), count(*) from series_samples group by device_id, series_id, at / 900000',
    );
    schema.execute(
      'update series set row_count = (select count(*) from series_samples where series_id = series.id) + (select count(*) from series_quarters where series_id = series.id)',
    );
  },
};
