import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Limits of single accounts, and the sizes of photos and uploads. Older ones have no size, and count as empty. */
export const quotas: Migration = {
  number: 20261122085700,
  name: 'quotas',
  change(schema) {
    schema.createTable(
      'account_quotas',
      {
        device_id: column.bigint().references('devices'),
        quota: column.text(),
        value: column.bigint(),
      },
      { unique: [['device_id', 'quota']] },
    );
    schema.addColumn('images', 'byte_size', column.bigint().nullable());
    schema.addColumn('uploads', 'byte_size', column.bigint().nullable());
    schema.addColumn('devices', 'photos_full_notified_at', column.time().nullable());
  },
};
