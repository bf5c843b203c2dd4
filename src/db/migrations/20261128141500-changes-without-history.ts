import type { Migration } from '../migrator.ts';

/** Changes of records without a history no longer count in it. [ADR 110] */
export const changesWithoutHistory: Migration = {
  number: 20261128141500,
  name: 'changes without history',
  backfill: {
    table: 'changes',
    set: 'byte_size = 0',
    where: "byte_size > 0 and resource in ('SensorReading', 'Telemetry', 'WebAppConfig', 'User')",
    batchSize: 1000,
  },
};
