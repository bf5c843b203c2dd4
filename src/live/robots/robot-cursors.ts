import { LRUCache } from 'lru-cache';
import { BatchedReads } from '../../core/batched-reads.ts';
import { maxEntries } from '../../core/cache-limits.ts';
import type { Timestamp } from '../../core/clock.ts';
import { changeCursors, robotReader, unclaimed } from '../../db/change-cursors.ts';
import type { ChangeLog } from '../../db/change-log.ts';
import { changeRows } from '../../db/change-rows.ts';
import { UniqueViolation } from '../../db/errors.ts';
import { idOf } from '../../db/row-ids.ts';
import type { DeviceScope, ServerScope } from '../../db/scope.ts';

/** Robots whose last synchronization and cursor are remembered. */
const maxRobots = 20_000;

/** The position of a robot that lacks nothing. */
export const upToDate = Number.MAX_SAFE_INTEGER;

const where = { reader: robotReader } as const;

/**
 * How far each device's robot has its garden: the last change before the first one that it may lack. A device has a cursor once a
 * robot of it has subscribed or synchronized. Robots that the server runs have none: they begin with a synchronization. [ADR 104]
 */
export class RobotCursors {
  readonly #changes: Pick<ChangeLog, 'lastId'>;
  /** The last change when a robot began to synchronize, by device. */
  readonly #synced = new LRUCache<number, number>(maxEntries(maxRobots));

  /** Positions that the cursors of devices do not exceed, unless another process has written since. */
  readonly #low = new LRUCache<number, { readonly version: string; readonly position: number }>(maxEntries(maxRobots));
  /** The number of times that a cursor may have been moved forward. */
  #advances = 0;

  readonly #positions: BatchedReads<number>;

  constructor(changes: Pick<ChangeLog, 'lastId'>, server: () => ServerScope) {
    this.#changes = changes;
    this.#positions = new BatchedReads(async (device_id) => {
      const rows = await server().rows(changeCursors, { where: { ...where, device_id } });
      return new Map(rows.map((row) => [row.device_id, row.position]));
    });
  }

  /** Records that a robot begins to synchronize: it reads the records as they are now, or newer. */
  async synced(scope: DeviceScope): Promise<void> {
    const position = await this.#changes.lastId(scope);
    this.#synced.set(scope.deviceId, position);
    const row = await scope.first(changeCursors, { where });
    if (!row) await create(scope, position);
    else if (row.position < position) await scope.update(changeCursors, { position }, { where });
    this.#advanced(scope);
  }

  /** Forgets the position of a cursor that was moved forward, or created. */
  #advanced({ deviceId }: DeviceScope): void {
    this.#advances++;
    this.#low.delete(deviceId);
  }

  /** Records that the robot, if the device has one, may lack the changes after this one. */
  async lacks(scope: DeviceScope, position: number): Promise<void> {
    const version = scope.server.version([], true);
    const low = this.#low.get(scope.deviceId);
    if (low && low.version === version && low.position <= position) return;
    const advances = this.#advances;
    const stored = (await this.#positions.read(scope.deviceId)) ?? 0;
    if (stored > position)
      await scope.update(changeCursors, { position }, { where: { ...where, position: { gt: position } } });
    if (version !== null && advances === this.#advances)
      this.#low.set(scope.deviceId, { version, position: Math.min(stored, position) });
  }

  /** Records that the robot may lack changes since a time. */
  async lacksSince(scope: DeviceScope, time: Timestamp): Promise<void> {
    const position = await positionAt(scope, time);
    if (position < (await this.#changes.lastId(scope))) await this.lacks(scope, position);
  }

  /** Returns the change after which the robot may lack some; null: it lacks none, or is the device's first one. `since`: it may also lack changes since then. */
  async find(scope: DeviceScope, since: Timestamp | null): Promise<number | null> {
    const row = await scope.first(changeCursors, { where });
    if (!row) {
      await create(scope, upToDate);
      this.#advanced(scope);
      return null;
    }
    const position = Math.min(row.position, since === null ? upToDate : await positionAt(scope, since));
    return position === upToDate ? null : Math.max(position, this.#synced.get(scope.deviceId) ?? 0);
  }

  /** Records that the robot got everything up to a change. */
  async reached(scope: DeviceScope, position: number): Promise<void> {
    const ofRobot = { where: { ...where, position: { lte: position } } };
    await scope.update(changeCursors, { position: upToDate }, ofRobot);
    this.#advanced(scope);
  }
}

async function create(scope: DeviceScope, position: number): Promise<void> {
  await scope.insert(changeCursors, { ...where, position, ...unclaimed }).catch((error: unknown) => {
    // Another process created it at the same time.
    if (!(error instanceof UniqueViolation)) throw error;
  });
}

/** Returns the id of the last change before a time; 0 if the log has none. */
async function positionAt(scope: DeviceScope, time: Timestamp): Promise<number> {
  const before = { where: { created_at: { lt: time } }, order: [['id', 'desc']], limit: 1 } as const;
  return (await scope.select(changeRows, idOf, before))[0] ?? 0;
}
