import type { DeviceScope } from '../db/scope.ts';
import type { Table } from '../db/table.ts';

/** Delay of a trim, in ms: a burst of inserts is trimmed once. */
const delay = 500;

/** The rows that a trim keeps: the newest `maxRows` rows, unless they are older than this time. */
export interface Retention {
  readonly maxRows: number;
  readonly olderThan?: string;
}

const pending = new Set<string>();

/**
 * Schedules a trim after the commit, which deletes all but the newest rows, unannounced. Lists are limited independently of
 * it: the trim only bounds the table.
 */
export function scheduleTrim(
  scope: DeviceScope,
  table: Table<unknown, 'device' | 'both'>,
  kept: number | ((scope: DeviceScope) => Promise<Retention>),
): void {
  const key = `${table.name} ${scope.deviceId}`;
  if (pending.has(key)) return;
  scope.afterCommit(() => {
    if (pending.has(key)) return;
    pending.add(key);
    setTimeout(() => void trim(scope, table, kept, key), delay).unref();
  });
}

async function trim(
  scope: DeviceScope,
  table: Table<unknown, 'device' | 'both'>,
  kept: number | ((scope: DeviceScope) => Promise<Retention>),
  key: string,
): Promise<void> {
  pending.delete(key);
  const later = scope.detached();
  try {
    const { maxRows, olderThan } =
      typeof kept === 'number' ? { maxRows: kept, olderThan: undefined } : await kept(later);
    await later.trim(table, maxRows, olderThan);
  } catch (error) {
    scope.log.warn({ table: table.name, reason: String(error) }, 'trimming old rows failed');
  }
}
