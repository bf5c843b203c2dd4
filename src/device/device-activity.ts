import { LRUCache } from 'lru-cache';
import type { Clock, Timestamp } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { ServerScope } from '../db/scope.ts';
import { PeriodicFlush } from '../engine/periodic-flush.ts';
import type { Call } from '../engine/route.ts';
import type { DeviceRow } from './devices.ts';
import { devices, updateDeviceSilently, updateHours } from './devices.ts';

/** What requests changed of one device since it was last written. */
interface Visit {
  readonly seenAt: Timestamp;
  /** When it was the first time in this span that somebody synchronised. */
  readonly syncedAt: Timestamp | null;
}

/** How often a row is written at most, in ms. [decision 52] */
const interval = 60_000;
/** How often a device's sign-ins at the broker are noted, in ms: they only matter over months. */
const brokerInterval = 3_600_000;
/** Rows written at once. */
const atOnce = 20;
/** Devices whose version is remembered, so that their requests need not look it up. */
const remembered = 20_000;

/**
 * When devices were last seen, which every request of a robot moves: kept in memory, laid over what is read, and written
 * once a minute and on stop. A crash loses a minute of it. The robot's version is written at once. Nothing of it is
 * announced. [decision 52]
 */
export class DeviceActivity {
  readonly #scope: () => ServerScope;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #visits = new Map<number, Visit>();
  readonly #versions = new LRUCache<number, string>({ max: remembered });
  /** When devices were last noted as seen by the broker, in ms. */
  readonly #connected = new LRUCache<number, number>({ max: remembered });
  readonly #connections = new Map<number, Timestamp>();
  readonly #flush = new PeriodicFlush(() => this.#writeAll(), interval);

  constructor(scope: () => ServerScope, clock: Clock, log: Logger) {
    this.#scope = scope;
    this.#clock = clock;
    this.#log = log;
  }

  /** Notes a request with a token: a robot that says its version was seen. Others leave no trace here. [reference 1.7] */
  recordRequest(scope: ServerScope, call: Pick<Call, 'robotVersion'>, deviceId: number): void | Promise<void> {
    const version = call.robotVersion;
    if (version === null || !isReal(version)) return;
    this.#note(deviceId, false);
    if (this.#versions.get(deviceId) !== version) return this.#writeVersion(scope, deviceId, version);
  }

  /** Notes that somebody, robot or not, asks for the list of what there is. [reference 3.3] */
  recordSync(deviceId: number): void {
    this.#note(deviceId, true);
  }

  /** Notes that somebody signed in at the broker with the device's name; hidden, and at most once an hour. */
  recordConnection(deviceId: number): void {
    const now = this.#clock.now();
    const before = this.#connected.get(deviceId);
    if (before !== undefined && now >= before && now - before < brokerInterval) return;
    this.#connected.set(deviceId, now);
    this.#connections.set(deviceId, currentTimestamp(this.#clock));
  }

  /** The row as it would read if everything were written. */
  overlay<Row extends Pick<DeviceRow, 'id' | 'updated_at' | 'last_saw_api'>>(row: Row): Row {
    const visit = this.#visits.get(row.id);
    return visit
      ? { ...row, last_saw_api: visit.seenAt, updated_at: this.effectiveUpdatedAt(row.id, row.updated_at) }
      : row;
  }

  /** When a request or the broker saw the device last, written or not; null: never. */
  lastSeen(row: Pick<DeviceRow, 'id' | 'last_saw_api' | 'last_saw_broker'>): Timestamp | null {
    const times = [
      row.last_saw_api,
      row.last_saw_broker,
      this.#visits.get(row.id)?.seenAt,
      this.#connections.get(row.id),
    ].filter((time) => time !== null && time !== undefined);
    return times.sort().at(-1) ?? null;
  }

  /** `updated_at` of the row as it would read if everything were written. */
  effectiveUpdatedAt(deviceId: number, updatedAt: Timestamp): Timestamp {
    const visit = this.#visits.get(deviceId);
    return visit && visit.seenAt > updatedAt ? visit.seenAt : updatedAt;
  }

  /** Begins to write once a minute. */
  start(): void {
    this.#flush.start();
  }

  /** Writes what is left and ends. */
  stop(): Promise<void> {
    return this.#flush.stop();
  }

  /** Writes what is in memory. Failures are logged; what was not written stays in memory. */
  flush(): Promise<void> {
    return this.#flush.flush();
  }

  #note(deviceId: number, isSync: boolean): void {
    const seenAt = currentTimestamp(this.#clock);
    this.#visits.set(deviceId, { seenAt, syncedAt: this.#visits.get(deviceId)?.syncedAt ?? (isSync ? seenAt : null) });
  }

  async #writeVersion(scope: ServerScope, deviceId: number, version: string): Promise<void> {
    const row = await scope.first(devices, { where: { id: deviceId } });
    if (!row) return;
    if (row.fbos_version === version) {
      this.#versions.set(deviceId, version);
      return;
    }
    await scope.device(deviceId).transaction(async (inner) => {
      await inner.update(devices, { fbos_version: version }, {});
      inner.afterCommit(() => this.#versions.set(deviceId, version));
    });
  }

  async #writeAll(): Promise<void> {
    await this.#writeEach([...this.#visits], (deviceId, visit) => this.#write(deviceId, visit));
    await this.#writeEach([...this.#connections], (deviceId, seenAt) => this.#writeConnection(deviceId, seenAt));
  }

  async #writeEach<T>(waiting: [number, T][], write: (deviceId: number, what: T) => Promise<void>): Promise<void> {
    while (waiting.length > 0) {
      const some = waiting.splice(0, atOnce);
      const written = await Promise.allSettled(some.map(([deviceId, what]) => write(deviceId, what)));
      for (const outcome of written)
        if (outcome.status === 'rejected')
          this.#log.warn(
            { reason: String(outcome.reason) },
            'when a device was seen could not be written; it is tried again',
          );
    }
  }

  async #write(deviceId: number, visit: Visit): Promise<void> {
    await this.#scope()
      .device(deviceId)
      .transaction(async (scope) => {
        const row = await scope.first(devices);
        if (!row) return;
        const isNewer = visit.seenAt > row.updated_at;
        const changes: Partial<DeviceRow> = {
          last_saw_api: visit.seenAt,
          updated_at: isNewer ? visit.seenAt : row.updated_at,
          first_saw_api: row.first_saw_api ?? visit.syncedAt,
          ...updateHours(row, this.#clock.now()),
        };
        await scope.update(devices, changes, {});
      });
    // Seen again meanwhile: that is still to be written.
    if (this.#visits.get(deviceId) === visit) this.#visits.delete(deviceId);
  }

  async #writeConnection(deviceId: number, seenAt: Timestamp): Promise<void> {
    await this.#scope()
      .device(deviceId)
      .transaction(async (scope) => {
        const row = await scope.first(devices);
        if (row) await updateDeviceSilently(scope, row, { last_saw_broker: seenAt });
      });
    if (this.#connections.get(deviceId) === seenAt) this.#connections.delete(deviceId);
  }
}

/** Development builds call themselves 0.0.0 or 999.999.999: no version to remember. [reference 1.7] */
function isReal(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = (/^v?([\d.]+)/.exec(version)?.[1] ?? '').split('.').map(Number);
  const isNone = major === 0 && minor === 0 && patch === 0;
  const isBeyond = major > 999 || (major === 999 && (minor > 999 || (minor === 999 && patch >= 999)));
  return !isNone && !isBeyond;
}
