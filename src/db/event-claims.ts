import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { EventRow } from './event-rows.ts';
import { eventRows } from './event-rows.ts';
import type { Selection, ServerScope, Where } from './scope.ts';

/**
 * How long a process may take to deliver an event or renew its claim before another process claims it, in ms. After a crash,
 * a device's announcements are delayed by as much.
 */
export const claimDuration = 10_000;
/** How long before its end a claim counts as expired in the process that holds it, in ms: the clocks of machines differ. */
const clockTolerance = 1000;
/** Maximum number of claims read at a time. */
const maxClaims = 1000;

/** The claim of an event, without its body. */
interface Claim {
  readonly id: number;
  readonly claimed_by: string | null;
  readonly claimed_until: string;
}

const claimOf: Selection<Claim> = {
  key: 'claim',
  expressions: ['"id"', '"claimed_by"', '"claimed_until"'],
  read: ([id, by, until]) => ({
    id: Number(id),
    claimed_by: by === null ? null : String(by),
    claimed_until: String(until),
  }),
};

/** An undelivered event that is not among those this process holds. */
export interface OtherEvent {
  readonly id: number;
  /** This process inserted or claimed it: the confirmation of its commit was lost, or it did not fit into memory. */
  readonly isOwn: boolean;
  readonly isExpired: boolean;
}

/**
 * The claims of one process on rows of `events`: which it holds in memory, until when, and which it may take over. A claim
 * that expired while the database was unavailable may belong to another process since; {@link renew} finds out. [ADR 28]
 */
export class EventClaims {
  readonly #clock: Clock;
  /** Name of this process in `claimed_by`. */
  readonly #process = randomUUID();
  /** Ids of events in memory, or delivered but not yet deleted, with the end of their claims in ms since the epoch. */
  readonly #held = new Map<number, number>();
  #renewedAt = 0;
  /** Devices without events of other processes, valid while no other process commits. Used on SQLite. */
  readonly #clear = new Set<number>();
  #clearVersion: string | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the values of a new claim by this process. */
  values(): Pick<EventRow, 'claimed_by' | 'claimed_until'> {
    return { claimed_by: this.#process, claimed_until: timestamp(this.#clock.now() + claimDuration) };
  }

  /** Returns the rows that were not held yet. */
  notHeld(rows: readonly EventRow[]): EventRow[] {
    return rows.filter(({ id }) => !this.#held.has(id));
  }

  hold(row: EventRow): void {
    this.#held.set(row.id, Date.parse(row.claimed_until));
  }

  isHeld(id: number): boolean {
    return this.#held.has(id);
  }

  /** Returns whether another process may have taken over the event. */
  mayBeLost(id: number): boolean {
    return (this.#held.get(id) ?? 0) - clockTolerance < this.#clock.now();
  }

  /** Claims all events: for the only process. */
  takeAll(server: ServerScope): Promise<EventRow[]> {
    return server.update(eventRows, this.values(), { where: {} });
  }

  /** Claims the events of processes whose claims have all expired. Writes only if there are any. */
  async takeExpired(server: ServerScope): Promise<EventRow[]> {
    const claimed_until = { lt: timestamp(this.#clock.now()) };
    const expired = await server.select(eventRows, claimOf, { where: { claimed_until }, limit: maxClaims });
    const taken: EventRow[] = [];
    for (const claimed_by of new Set(expired.map((claim) => claim.claimed_by))) {
      // Events of one process are taken over together: their order would be lost otherwise.
      if (await this.#isAlive(server, claimed_by)) continue;
      taken.push(...(await server.update(eventRows, this.values(), { where: { claimed_by, claimed_until } })));
    }
    return taken;
  }

  async #isAlive(server: ServerScope, claimed_by: string | null): Promise<boolean> {
    if (claimed_by === null || claimed_by === this.#process) return false;
    const where: Where<EventRow> = { claimed_by, claimed_until: { gte: timestamp(this.#clock.now()) } };
    return (await server.count(eventRows, { where })) > 0;
  }

  /** Renews the claims of the held events twice per {@link claimDuration}. */
  async renewInTime(server: ServerScope): Promise<void> {
    if (this.#held.size > 0 && this.#clock.now() >= this.#renewedAt + claimDuration / 2) await this.renew(server);
  }

  /** Renews the claims of the held events. Those that another process has taken over are no longer held. */
  async renew(server: ServerScope): Promise<void> {
    const ids = [...this.#held.keys()];
    const now = this.#clock.now();
    const { claimed_by, claimed_until } = this.values();
    const rows = await server.update(eventRows, { claimed_until }, { where: { id: ids, claimed_by } });
    this.#renewedAt = now;
    const renewed = new Set(rows.map(({ id }) => id));
    for (const id of ids)
      if (!renewed.has(id)) this.#held.delete(id);
      else if (this.#held.has(id)) this.#held.set(id, now + claimDuration);
  }

  /** Returns the first `limit` events of a device that this process claimed but does not hold, and whether there may be more. */
  async readOwn(server: ServerScope, deviceId: number, limit: number): Promise<{ rows: EventRow[]; hasMore: boolean }> {
    // An event that was held at the start may be delivered and deleted meanwhile.
    const held = new Set(this.#held.keys());
    const where = { device_id: deviceId, claimed_by: this.#process };
    const rows = await server.rows(eventRows, { where, limit });
    return { rows: this.notHeld(rows.filter(({ id }) => !held.has(id))), hasMore: rows.length === limit };
  }

  /** Returns the device's first event up to the id `last` that this process does not hold. `isOnlyProcess`: apart from commands. */
  async firstOther(
    server: ServerScope,
    deviceId: number,
    last: number,
    isOnlyProcess: boolean,
  ): Promise<OtherEvent | null> {
    if (isOnlyProcess && this.#isClear(server, deviceId)) return null;
    const where = { device_id: deviceId, ...(!isOnlyProcess && { id: { lt: last } }) };
    const claims = await server.select(eventRows, claimOf, { where, limit: maxClaims });
    const other = claims.find(({ id }) => !this.#held.has(id));
    if (!other) {
      if (isOnlyProcess && claims.length < maxClaims) this.#clear.add(deviceId);
      return null;
    }
    const isExpired = other.claimed_until < timestamp(this.#clock.now());
    return { id: other.id, isOwn: other.claimed_by === this.#process, isExpired };
  }

  /** Returns whether the device is known, without a query, to have no events of other processes (commands). */
  #isClear(server: ServerScope, deviceId: number): boolean {
    const version = server.version([]);
    if (version !== this.#clearVersion) this.#clear.clear();
    this.#clearVersion = version;
    return this.#clear.has(deviceId);
  }

  /** Deletes delivered events, except those that another process has taken over: it delivers them again, and later ones wait for it. */
  async delete(server: ServerScope, ids: readonly number[]): Promise<void> {
    await server.delete(eventRows, { where: { id: ids, claimed_by: this.#process } });
    for (const id of ids) this.#held.delete(id);
  }
}
