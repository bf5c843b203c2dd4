import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import { announcements, changeCursors, recordTrimmed, trimmed } from '../db/change-cursors.ts';
import type { ChangeLog } from '../db/change-log.ts';
import { changeSizes } from '../db/change-rows.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { readByWebhooks } from '../webhooks/change-collection.ts';
import { forEachDevice } from './device-iteration.ts';

const day = 24 * 3600_000;
/** How often devices with new changes are checked, in ms. */
const interval = 5000;
/** Rows and bytes that are deleted in one transaction: a few milliseconds. */
const maxStepRows = 100;
const maxStepBytes = 256 * 1024;
/** Pause after a transaction, in ms: requests come first. */
const pause = 2;
/** Rows kept of a device. */
const defaultMaxRows = 50_000;
/** How long changes are kept for readers that have not read them, in ms, and how many bytes of them. */
const unreadTime = 3 * day;
const maxUnreadBytes = 200 * 1024 * 1024;
/** Rows that are counted at a time: a millisecond. */
const maxCountedRows = 5000;
/** Devices whose totals are remembered. */
const maxTotals = 10_000;

export interface TrimmingOptions {
  readonly server: () => ServerScope;
  readonly changes: ChangeLog;
  readonly quotas: Quotas;
  /** How long changes are kept, in days; 0: until they are read. */
  readonly historyDays: number;
  /** For tests: rows kept of a device. */
  readonly maxRows?: number;
}

/** Rows and bytes of a device's log. */
interface Totals {
  rows: number;
  bytes: number;
  /** The newest row that is counted. */
  last: number;
}

/** Deletes the oldest changes of the log: beyond its age, number of rows or quota, in small steps, once every reader has read them. [ADR 48] */
export class ChangeTrimming {
  readonly #options: TrimmingOptions;
  /** Devices with changes since they were checked. */
  readonly #changed = new Set<number>();
  readonly #totals = new Map<number, Totals>();
  #unsubscribe: (() => void) | null = null;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: TrimmingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#unsubscribe = this.#options.changes.onCommit((deviceId, source) => {
      if (source !== 'other process') this.#changed.add(deviceId);
    });
    this.#timer = setInterval(() => {
      this.#running ??= this.#trimChanged().finally(() => {
        this.#running = null;
      });
    }, interval).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#unsubscribe?.();
    await this.#running;
  }

  /** Trims the logs of all devices, for their age. */
  trimAll(server: ServerScope): Promise<void> {
    return forEachDevice(server, (scope) => this.trim(scope));
  }

  async #trimChanged(): Promise<void> {
    for (const deviceId of [...this.#changed]) {
      if (this.#isStopped) return;
      this.#changed.delete(deviceId);
      const scope = this.#options.server().device(deviceId);
      await this.trim(scope).catch((error: unknown) => {
        this.#changed.add(deviceId);
        scope.log.warn(
          { device: deviceId, reason: String(error) },
          'the change log could not be trimmed; this is retried',
        );
      });
    }
  }

  /** Trims the log of one device. */
  async trim(scope: DeviceScope): Promise<void> {
    const { historyDays, quotas, maxRows = defaultMaxRows } = this.#options;
    const now = confirmedNow(scope.clock);
    const isOld = (at: string) => at < timestamp(now - historyDays * day) || historyDays === 0;
    const [oldest] = await scope.rows(changeSizes, { limit: 1 });
    if (!oldest) return;
    const maxBytes = await quotas.limit(scope, 'history_bytes');
    const isTooLarge = ({ rows, bytes }: Totals) => rows > maxRows || bytes > maxBytes;
    if (!isOld(oldest.created_at) && !isTooLarge(await this.#count(scope))) return;
    // Another process may have deleted rows.
    this.#totals.delete(scope.deviceId);
    const totals = await this.#count(scope);
    const read = await firstCursor(scope);
    const mustStay = ({ id, created_at }: { id: number; created_at: string }) =>
      id > read && created_at > timestamp(now - unreadTime) && totals.bytes <= maxUnreadBytes;
    await deleteOldestChanges(scope, (row) => {
      if (this.#isStopped || !(isOld(row.created_at) || isTooLarge(totals)) || mustStay(row)) return false;
      totals.rows--;
      totals.bytes -= row.byte_size;
      return true;
    });
  }

  /** Returns the totals of a device's log; earlier counts are not repeated. Outside of a transaction. */
  async #count(scope: DeviceScope): Promise<Totals> {
    const totals = { ...(this.#totals.get(scope.deviceId) ?? { rows: 0, bytes: 0, last: 0 }) };
    const [newest] = await scope.rows(changeSizes, { order: [['id', 'desc']], limit: 1 });
    while (newest && totals.last < newest.id) {
      const gt = totals.last;
      const step = { where: { id: { gt, lte: newest.id } }, limit: 1, offset: maxCountedRows - 1 };
      const last = (await scope.rows(changeSizes, step))[0]?.id ?? newest.id;
      const where = { id: { gt, lte: last } };
      totals.rows += await scope.count(changeSizes, { where });
      totals.bytes += await scope.sum(changeSizes, 'byte_size', { where });
      totals.last = last;
      // Requests that have arrived come first.
      await setImmediate();
    }
    totals.last = newest?.id ?? 0;
    if (this.#totals.size >= maxTotals) this.#totals.clear();
    this.#totals.set(scope.deviceId, totals);
    return totals;
  }
}

/** Deletes the oldest changes of a device, in small steps and outside of a transaction, until `takes` returns false; it is asked once for each, in order. */
export async function deleteOldestChanges(
  scope: DeviceScope,
  takes: (row: RowOf<typeof changeSizes>) => boolean,
): Promise<void> {
  while (true) {
    let last = 0;
    let size = 0;
    for (const row of await scope.rows(changeSizes, { limit: maxStepRows })) {
      if (last > 0 && size + row.byte_size > maxStepBytes) break;
      if (!takes(row)) break;
      last = row.id;
      size += row.byte_size;
    }
    if (last === 0) return;
    await scope.transaction(async (inner) => {
      await inner.delete(changeSizes, { where: { id: { lte: last } } });
      await recordTrimmed(inner, last);
    });
    await sleep(pause);
  }
}

/** Returns the position of the reader that is the farthest behind. */
async function firstCursor(scope: DeviceScope): Promise<number> {
  const readers = await scope.rows(changeCursors, { where: { reader: { not: trimmed } } });
  // Without its cursor, the announcements of the device have not begun.
  const announced = readers.some(({ reader }) => reader === announcements) ? [] : [0];
  return Math.min(...announced, ...readers.map(({ position }) => position), await readByWebhooks(scope));
}
