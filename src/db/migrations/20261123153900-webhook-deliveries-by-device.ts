import type { Migration } from '../migrator.ts';

/** Deliveries of a device are found without other devices': its limit counts them, and its end deletes them. */
export const webhookDeliveriesByDevice: Migration = {
  number: 20261123153900,
  name: 'webhook deliveries by device',
  expand(schema) {
    schema.createIndex('webhook_deliveries', ['device_id', 'webhook_id', 'status', 'id']);
  },
};
