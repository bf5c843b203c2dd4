import type { DeviceScope } from '../db/scope.ts';
import type { Table } from '../db/table.ts';

/** How long trims of one table and device gather, in ms: a burst of readings is trimmed once. */
const delay = 500;

/** What a trim leaves: so many of the newest rows, and none older than this time. */
export interface Retention {
  readonly maxRows: number;
  readonly olderThan?: string;
}

const pending = new Set<string>();

/**
 * After the commit, deletes all but the rows to keep, unannounced. What is to be kept may be worked out then.
 * Lists are limited anyway; this only keeps the tables small.
 */
export function scheduleTrim(
  scope: DeviceScope,
  table: Table<unknown, 'device'>,
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
  table: Table<unknown, 'device'>,
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
    scope.log.warn({ table: table.name, reason: String(error) }, 'old rows could not be trimmed');
  }
}
