import type { DeviceScope } from '../db/scope.ts';
import type { Table } from '../db/table.ts';

/** Delay of a trim, in ms: a burst of inserts is trimmed once. */
const delay = 500;

/** Deletes the surplus rows of a device, outside of a transaction. */
type Trim = (scope: DeviceScope) => Promise<void>;

const pending = new Set<string>();

/**
 * Schedules a trim of a table after the commit, which deletes the rows that are not kept, unannounced. Lists are limited independently
 * of it: the trim only bounds the table.
 */
export function scheduleTrim(scope: DeviceScope, table: Table<unknown, 'device' | 'both'>, trim: Trim): void {
  const key = `${table.name} ${scope.deviceId}`;
  if (pending.has(key)) return;
  scope.afterCommit(() => {
    if (pending.has(key)) return;
    pending.add(key);
    setTimeout(() => void run(scope, table, trim, key), delay).unref();
  });
}

async function run(
  scope: DeviceScope,
  table: Table<unknown, 'device' | 'both'>,
  trim: Trim,
  key: string,
): Promise<void> {
  pending.delete(key);
  try {
    await trim(scope.detached());
  } catch (error) {
    scope.log.warn({ table: table.name, reason: String(error) }, 'trimming old rows failed');
  }
}
