import type { Migration } from '../migrator.ts';

/** Logs of a garden are read by their ids. [ADR 109] */
export const logsByReceipt: Migration = {
  number: 20261128135117,
  name: 'logs by receipt',
  expand(schema) {
    schema.createIndex('logs', ['device_id', 'id']);
  },
};

/** Earlier versions read logs by the times that robots sent: without the index, they sort a thousand. */
export const endOfLogsBySentTime: Migration = {
  number: 20261128135118,
  name: 'end of logs by sent time',
  compatibleFrom: '0.2.0',
  contract(schema) {
    schema.dropIndex('logs', ['device_id', 'created_at']);
  },
};
