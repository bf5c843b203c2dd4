import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import {
  announcements,
  changeCursors,
  recordTrimmed,
  robotReader,
  trimMarks,
  trimmed,
  trimmedDeliveries,
} from '../db/change-cursors.ts';
import type { ChangeLog } from '../db/change-log.ts';
import { changeSizes, emptyRowSize, logTotals, unshownChanges } from '../db/change-rows.ts';
import type { Condition, DeviceScope, ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { readByWebhooks } from '../webhooks/change-collection.ts';
import { forEachDevice } from './device-iteration.ts';

const hour = 3600_000;
const day = 24 * hour;
/** How often devices with new changes are checked, in ms. */
const interval = 5000;
/** Rows and bytes that are deleted in one transaction: a few milliseconds. */
const maxStepRows = 100;
const maxStepBytes = 256 * 1024;
/** Pause after a transaction, in ms: requests come first. */
const pause = 2;
/** Rows kept of a device: shown by the history, and others that no reader has read. */
const defaultMaxRows = 50_000;
/** The time for which read rows that no history shows are kept for event streams that resume, in ms, and their maximum number. */
const resumeTime = hour;
const defaultMaxResumed = 1000;
/** The time for which changes are kept for readers that have not read them, in ms, and their maximum bytes. */
const unreadTime = 3 * day;
const maxUnreadBytes = 200 * 1024 * 1024;
/** Rows that are counted at a time: a millisecond. */
const maxCountedRows = 2000;
/** Devices whose totals are remembered. */
const maxTotals = 10_000;

type SizeRow = RowOf<typeof changeSizes>;

export interface TrimmingOptions {
  readonly server: () => ServerScope;
  readonly changes: ChangeLog;
  readonly quotas: Quotas;
  /** How long changes are kept, in days; 0: until they are read. */
  readonly historyDays: number;
  /** For tests: rows kept of a device. */
  readonly maxRows?: number;
  readonly maxResumed?: number;
}

/** Rows of a device's log: shown by the history, with their bytes, and the others. */
interface Totals {
  rows: number;
  bytes: number;
  unshown: number;
  /** The newest row that is counted. */
  last: number;
}

/**
 * Deletes changes of the log in small steps, once every reader has read them: the oldest ones beyond its age, number of rows or quota,
 * and, soon, changes that no history shows. [ADR 48, ADR 110]
 */
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
    return forEachDevice(server, async (scope) => {
      await this.trim(scope);
      await this.#trimUnshown(scope);
    });
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
    const { historyDays, quotas, maxRows = defaultMaxRows, maxResumed = defaultMaxResumed } = this.#options;
    if ((await this.#count(scope)).unshown > maxResumed) await this.#trimUnshown(scope);
    const now = confirmedNow(scope.clock);
    const isOld = (at: string) => at < timestamp(now - historyDays * day) || historyDays === 0;
    const [oldest] = await scope.rows(changeSizes, { limit: 1 });
    if (!oldest) return;
    const maxBytes = await quotas.limit(scope, 'history_bytes');
    const isTooLarge = ({ rows, bytes }: Totals) => rows > maxRows || bytes > maxBytes;
    if (!isOld(oldest.created_at) && !isTooLarge(await this.#count(scope))) return;
    const totals = await this.#recount(scope);
    const { read } = await readPositions(scope);
    const mustStay = ({ id, created_at }: SizeRow) =>
      id > read && created_at > timestamp(now - unreadTime) && totals.bytes <= maxUnreadBytes;
    await deleteOldestChanges(scope, (row) => {
      if (this.#isStopped || !(isOld(row.created_at) || isTooLarge(totals)) || mustStay(row)) return false;
      subtract(totals, row);
      return true;
    });
  }

  /** Deletes the rows that no history shows, except the newest ones of the last hour, and unread ones. */
  async #trimUnshown(scope: DeviceScope): Promise<void> {
    const { changes, maxRows = defaultMaxRows, maxResumed = defaultMaxResumed } = this.#options;
    const now = confirmedNow(scope.clock);
    const totals = await this.#recount(scope);
    const isPast = ({ created_at }: SizeRow, time: number) => created_at <= timestamp(now - time);
    const { read, deleted } = await readPositions(scope);
    // All up to there are deleted.
    const where = { ...unshownChanges, id: { gt: deleted } };
    if (totals.unshown <= maxResumed) {
      const [oldest] = await scope.rows(changeSizes, { where, limit: 1 });
      if (!oldest || !isPast(oldest, resumeTime)) return;
    }
    /** Returns the id of the newest row beyond as many; 0 if there are no more. */
    const beyond = async (count: number): Promise<number> => {
      if (totals.unshown <= count) return 0;
      const query = { where: unshownChanges, order: [['id', 'desc']], limit: 1, offset: count } as const;
      return (await scope.rows(changeSizes, query))[0]?.id ?? 0;
    };
    const [surplus, unreadSurplus] = [await beyond(maxResumed), await beyond(maxRows)];
    await deleteOldestChanges(
      scope,
      (row) => {
        const isSurplus = row.id <= surplus || isPast(row, resumeTime);
        const isRead = row.id <= read || row.id <= unreadSurplus || isPast(row, unreadTime);
        if (this.#isStopped || !isSurplus || !isRead) return false;
        subtract(totals, row);
        return true;
      },
      {
        where,
        markOf: (rows) =>
          rows.every(({ resource }) => changes.deliveredOnly.includes(resource)) ? trimmedDeliveries : trimmed,
      },
    );
  }

  /** Counts again: another process may have deleted rows. */
  #recount(scope: DeviceScope): Promise<Totals> {
    this.#totals.delete(scope.deviceId);
    return this.#count(scope);
  }

  /** Returns the totals of a device's log; earlier counts are not repeated. Outside of a transaction. */
  async #count(scope: DeviceScope): Promise<Totals> {
    const totals = { ...(this.#totals.get(scope.deviceId) ?? { rows: 0, bytes: 0, unshown: 0, last: 0 }) };
    const [newest] = await scope.rows(changeSizes, { order: [['id', 'desc']], limit: 1 });
    while (newest && totals.last < newest.id) {
      const gt = totals.last;
      const step = { where: { id: { gt, lte: newest.id } }, limit: 1, offset: maxCountedRows - 1 };
      const last = (await scope.rows(changeSizes, step))[0]?.id ?? newest.id;
      const [counted] = await scope.select(changeSizes, logTotals, { where: { id: { gt, lte: last } } });
      if (counted) {
        totals.rows += counted.shownRows;
        totals.bytes += counted.shownBytes;
        totals.unshown += counted.rows - counted.shownRows;
      }
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

/** Removes a row that is deleted from the totals. */
function subtract(totals: Totals, { byte_size }: SizeRow): void {
  if (byte_size <= emptyRowSize) totals.unshown--;
  else {
    totals.rows--;
    totals.bytes -= byte_size;
  }
}

/** The changes to delete; all by default. */
interface DeletedPart {
  readonly where: { readonly id: { readonly gt: number }; readonly byte_size?: Condition<number> };
  /** Returns the mark up to which the log was deleted with these rows. */
  readonly markOf: (rows: readonly SizeRow[]) => string;
}

/** Deletes the oldest changes of a device, in small steps and outside of a transaction, until `takes` returns false; it is asked once for each, in order. */
export async function deleteOldestChanges(
  scope: DeviceScope,
  takes: (row: SizeRow) => boolean,
  { where, markOf }: DeletedPart = { where: { id: { gt: 0 } }, markOf: () => trimmed },
): Promise<void> {
  let { gt } = where.id;
  while (true) {
    const taken: SizeRow[] = [];
    let size = 0;
    for (const row of await scope.rows(changeSizes, { where: { ...where, id: { gt } }, limit: maxStepRows })) {
      if (taken.length > 0 && size + row.byte_size > maxStepBytes) break;
      if (!takes(row)) break;
      taken.push(row);
      size += row.byte_size;
    }
    const last = taken.at(-1)?.id;
    if (last === undefined) return;
    await scope.transaction(async (inner) => {
      await inner.delete(changeSizes, { where: { ...where, id: { gt, lte: last } } });
      await recordTrimmed(inner, last, markOf(taken));
    });
    gt = last;
    await sleep(pause);
  }
}

/** Returns the position of the reader that is the farthest behind, and the one up to which the rows that no history shows are deleted. */
async function readPositions(scope: DeviceScope): Promise<{ readonly read: number; readonly deleted: number }> {
  const cursors = await scope.rows(changeCursors, { where: { reader: { not: robotReader } } });
  const [marks, readers] = [true, false].map((isMark) =>
    cursors.filter(({ reader }) => trimMarks.includes(reader) === isMark).map(({ position }) => position),
  );
  // Without its cursor, the announcements of the device have not begun.
  const announced = cursors.some(({ reader }) => reader === announcements) ? [] : [0];
  return {
    read: Math.min(...announced, ...(readers ?? []), await readByWebhooks(scope)),
    deleted: Math.max(0, ...(marks ?? [])),
  };
}
