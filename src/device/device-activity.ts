import { LRUCache } from 'lru-cache';
import { maxEntries } from '../core/cache-limits.ts';
import type { Clock, Timestamp } from '../core/clock.ts';
import { currentTimestamp, laterOf } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { RecordReader } from '../db/announced-records.ts';
import { idOf } from '../db/row-ids.ts';
import type { DeviceScope, Selection, ServerScope } from '../db/scope.ts';
import type { Call } from '../engine/route.ts';
import { WriteBehind } from '../engine/write-behind.ts';
import type { DeviceRow } from './devices.ts';
import { deviceJson, devices, updateHours } from './devices.ts';

/** Changes of one device by requests. */
interface Requests {
  readonly lastAt: Timestamp;
  /** The first `device/sync`; null: none. */
  readonly firstSyncAt: Timestamp | null;
}

/** Interval in which one sign-in of a device at the broker is recorded, in ms: they only matter over months. */
const connectionInterval = 3_600_000;
/** Devices in the caches. */
const cacheSize = 20_000;

/** When devices were last seen, and the versions of robots, which are written immediately. Never announced. [rule D6, decision 52, ADR 8] */
export class DeviceActivity {
  #server: (() => ServerScope) | null = null;
  readonly #clock: Clock;
  readonly #requests: WriteBehind<Requests>;
  readonly #connections: WriteBehind<Timestamp>;
  /** Versions that are stored, so that requests need not read them. */
  readonly #versions = new LRUCache<number, string>(maxEntries(cacheSize));
  /** When the last connection was recorded, in ms. */
  readonly #recordedConnections = new LRUCache<number, number>(maxEntries(cacheSize));

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#requests = new WriteBehind<Requests>({
      merge: (earlier, later) => ({ ...later, firstSyncAt: earlier.firstSyncAt ?? later.firstSyncAt }),
      write: (changes) => this.#writeRequests(changes),
      subject: 'when devices were last seen',
      log,
    });
    this.#connections = new WriteBehind<Timestamp>({
      merge: (_earlier, later) => later,
      write: (changes) => this.#writeConnections(changes),
      subject: 'when devices last connected to the broker',
      log,
    });
  }

  /** Records a request with a token, if a robot sent it. */
  recordRequest(scope: ServerScope, call: Pick<Call, 'robotVersion'>, deviceId: number): void | Promise<void> {
    const version = call.robotVersion;
    if (version === null || !isRelease(version)) return;
    this.#requests.add(deviceId, { lastAt: currentTimestamp(this.#clock), firstSyncAt: null });
    if (this.#versions.get(deviceId) !== version) return this.#writeVersion(scope, deviceId, version);
  }

  /** Records a request of any client for `device/sync`. [rule D7] */
  recordSync(deviceId: number): void {
    const now = currentTimestamp(this.#clock);
    this.#requests.add(deviceId, { lastAt: now, firstSyncAt: now });
  }

  /** Records a sign-in at the broker with the device's name, once an hour. */
  recordConnection(deviceId: number): void {
    const now = this.#clock.now();
    const before = this.#recordedConnections.get(deviceId);
    if (before !== undefined && now >= before && now - before < connectionInterval) return;
    this.#recordedConnections.set(deviceId, now);
    this.#connections.add(deviceId, currentTimestamp(this.#clock));
  }

  /** Returns the row with the changes that are not written yet. */
  overlay<Row extends Pick<DeviceRow, 'id' | 'updated_at' | 'last_saw_api'>>(row: Row): Row {
    const change = this.#requests.get(row.id);
    return change ? { ...row, last_saw_api: change.lastAt, updated_at: laterOf(row.updated_at, change.lastAt) } : row;
  }

  /** Returns `updated_at` of a row with the changes that are not written yet. */
  effectiveUpdatedAt(deviceId: number, updatedAt: Timestamp): Timestamp {
    const change = this.#requests.get(deviceId);
    return change ? laterOf(updatedAt, change.lastAt) : updatedAt;
  }

  /** Returns the time of the device's last request or message, written or not; null: never. */
  lastSeen(row: Pick<DeviceRow, 'id' | 'last_saw_api' | 'last_saw_broker'>): Timestamp | null {
    const times = [
      row.last_saw_api,
      row.last_saw_broker,
      this.#requests.get(row.id)?.lastAt,
      this.#connections.get(row.id),
    ].filter((time) => time !== null && time !== undefined);
    return times.sort().at(-1) ?? null;
  }

  /** Starts writing once a minute. */
  start(server: () => ServerScope): void {
    this.#server = server;
    this.#requests.start();
    this.#connections.start();
  }

  /** Writes the rest. */
  async stop(): Promise<void> {
    await this.#requests.stop();
    await this.#connections.stop();
  }

  #scopeOf(deviceId: number): DeviceScope {
    if (!this.#server) throw new Error('the activity of devices is not written before it is started');
    return this.#server().device(deviceId);
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

  // Each device in a transaction of its own, which locks its row; on SQLite they share a commit.

  async #writeRequests(changes: readonly (readonly [number, Requests])[]): Promise<void> {
    await this.#forEach(changes, async (scope, { lastAt, firstSyncAt }) => {
      const row = await scope.first(devices);
      if (!row) return;
      const columns: Partial<DeviceRow> = {
        last_saw_api: lastAt,
        updated_at: laterOf(row.updated_at, lastAt),
        first_saw_api: row.first_saw_api ?? firstSyncAt,
        ...updateHours(row, this.#clock.now()),
      };
      await scope.update(devices, columns, {}, idOf);
    });
  }

  async #writeConnections(changes: readonly (readonly [number, Timestamp])[]): Promise<void> {
    await this.#forEach(changes, async (scope, last_saw_broker) => {
      // Only the needed columns: thousands of robots connect at once. `updated_at` stays, since clients do not see the column.
      const [updated_at] = await scope.select(devices, updatedAt);
      if (updated_at !== undefined) await scope.update(devices, { last_saw_broker, updated_at }, {}, idOf);
    });
  }

  async #forEach<T>(
    changes: readonly (readonly [number, T])[],
    write: (scope: DeviceScope, change: T) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      changes.map(([deviceId, change]) => this.#scopeOf(deviceId).transaction((scope) => write(scope, change))),
    );
  }
}

const updatedAt: Selection<Timestamp> = {
  key: 'updated at',
  expressions: ['"updated_at"'],
  read: ([at]) => String(at),
};

/** Returns whether a version is a release's, not a development build's. [rule D6] */
function isRelease(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = (/^v?([\d.]+)/.exec(version)?.[1] ?? '').split('.').map(Number);
  const isZero = major === 0 && minor === 0 && patch === 0;
  const isBeyond = major > 999 || (major === 999 && (minor > 999 || (minor === 999 && patch >= 999)));
  return !isZero && !isBeyond;
}

/** Reads the device for announcements, as responses show it. */
export const deviceReader =
  (activity: DeviceActivity): RecordReader =>
  async (scope) => {
    const rows = await scope.rows(devices);
    return new Map(rows.map((row) => [row.id, deviceJson(activity.overlay(row), scope.clock.now())]));
  };
