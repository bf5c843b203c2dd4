import type { Clock } from '../core/clock.ts';
import { announcements, changeCursors, unclaimed } from './change-cursors.ts';
import { ForeignKeyViolation, UniqueViolation } from './errors.ts';
import { Lease } from './lease.ts';
import type { ServerScope } from './scope.ts';
import type { RowOf } from './table.ts';

/**
 * How long a process may take to announce a change or to renew its claim before another process claims the device, in ms.
 * After a crash, a device's announcements are delayed by as much.
 */
export const claimDuration = 10_000;
/** Maximum number of devices that are claimed together: thousands may wait after an outage of the broker. */
const maxClaims = 100;

/** A device whose changes this process announces. */
interface Claim {
  position: number;
  /** The position in the database. */
  saved: number;
  /** Milliseconds since the epoch. */
  until: number;
  /** Nothing is left to announce: released with the next save. */
  isIdle: boolean;
}

/** The cursor of a device that was claimed; undefined if it was not. */
type Claimed = { readonly position: number } | undefined;

/** Stands for the cursor of a deleted device, which has no changes. */
const deleted = { position: Number.MAX_SAFE_INTEGER };

/**
 * The devices that this process announces, and their positions in the log. Several processes may share a database: each claims a
 * device while it has something to announce. The only process of a database writes no claims. [ADR 48]
 */
export class ChangeClaims {
  readonly #lease: Lease<RowOf<typeof changeCursors>>;
  readonly #clock: Clock;
  readonly #server: () => ServerScope;
  readonly #isOnly: boolean;
  readonly #claims = new Map<number, Claim>();
  /** Devices whose position or release may not be written yet: checking all claims would take longer with each device. */
  readonly #unsaved = new Set<number>();
  #saving: Promise<void> | null = null;
  /** Devices that the next transaction claims together. */
  #waiting: { readonly device_id: number; readonly settle: (claimed: Promise<Claimed>) => void }[] = [];
  #claiming: Promise<void> | null = null;
  #isClosed = false;

  constructor(clock: Clock, server: () => ServerScope, isOnly: boolean) {
    this.#clock = clock;
    this.#lease = new Lease(changeCursors, claimDuration, clock, 'claimed');
    this.#server = server;
    this.#isOnly = isOnly;
  }

  /** Claims a device and returns the id of its last announced change; null if another process announces it, or the claims are closed. */
  async take(device_id: number): Promise<number | null> {
    if (this.#isClosed) return null;
    // A release in progress may end after the claim.
    while (this.#saving && (this.#claims.get(device_id)?.isIdle ?? true)) await this.#saving.catch(() => undefined);
    const held = this.#claims.get(device_id);
    if (held && !this.#isExpired(held)) {
      held.isIdle = false;
      return held.position;
    }
    const row = this.#isOnly ? await this.#row(device_id) : await this.#claim(device_id);
    this.#claims.delete(device_id);
    if (!row) return null;
    // Announced here, but not saved before the database failed.
    const position = Math.max(row.position, held?.position ?? 0);
    this.#claims.set(device_id, { position, saved: row.position, until: this.#lease.end, isIdle: false });
    return position;
  }

  async #claim(device_id: number): Promise<Claimed> {
    const row = await this.#claimExisting(device_id);
    if (row || (await this.#server().first(changeCursors, { where: { device_id, reader: announcements } }))) return row;
    return (await this.#row(device_id)) === deleted ? deleted : this.#claimExisting(device_id);
  }

  /** Claims a device whose cursor exists, together with others at the same time: a commit costs more than a claim. */
  #claimExisting(device_id: number): Promise<Claimed> {
    return new Promise((resolve) => {
      if (this.#isClosed) return resolve(undefined);
      this.#waiting.push({ device_id, settle: resolve });
      this.#claiming ??= this.#claimWaiting();
    });
  }

  async #claimWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      // In the same order in all processes, to prevent deadlocks.
      const waiting = this.#waiting.splice(0, maxClaims).sort((a, b) => a.device_id - b.device_id);
      const claimed = this.#claimTogether(waiting.map(({ device_id }) => device_id));
      for (const [index, { settle }] of waiting.entries()) settle(claimed.then((rows) => rows[index]));
      await claimed.catch(() => undefined);
    }
    this.#claiming = null;
  }

  #claimTogether(devices: readonly number[]): Promise<Claimed[]> {
    return this.#server().transaction(async (scope) => {
      const found = new Map<number, { readonly position: number }>();
      const add = (rows: readonly RowOf<typeof changeCursors>[]) => {
        for (const row of rows) found.set(row.device_id, row);
      };
      add(await this.#lease.take(scope, { device_id: devices, reader: announcements }));
      // The confirmation of an earlier claim may have been lost.
      const others = devices.filter((device_id) => !found.has(device_id));
      if (others.length > 0) add(await this.#lease.renew(scope, { device_id: others, reader: announcements }));
      return devices.map((device_id) => found.get(device_id));
    });
  }

  /** Returns the cursor of a device, and creates it if it is missing. */
  async #row(device_id: number): Promise<Claimed> {
    const where = { device_id, reader: announcements };
    const row = await this.#server().first(changeCursors, { where });
    if (row) return row;
    try {
      const created = { reader: announcements, position: 0, ...unclaimed };
      return await this.#server().device(device_id).insert(changeCursors, created);
    } catch (error) {
      if (error instanceof ForeignKeyViolation) return deleted;
      if (error instanceof UniqueViolation) return this.#server().first(changeCursors, { where });
      throw error;
    }
  }

  /** Returns whether no other process may announce the device, and renews the claim if it ends soon. */
  async hold(device_id: number): Promise<boolean> {
    const claim = this.#claims.get(device_id);
    return claim !== undefined && (!this.#isExpired(claim) || (await this.take(device_id)) === claim.position);
  }

  /** Records that changes up to this one were announced. */
  advance(device_id: number, position: number): void {
    const claim = this.#claims.get(device_id);
    if (!claim) return;
    claim.position = position;
    this.#unsaved.add(device_id);
  }

  /** Marks a device to be released by the next {@link save}. */
  release(device_id: number): void {
    const claim = this.#claims.get(device_id);
    if (!claim || this.#isOnly) return;
    claim.isIdle = true;
    this.#unsaved.add(device_id);
  }

  /** The devices that {@link save} may have something to write of. */
  get unsaved(): ReadonlySet<number> {
    return this.#unsaved;
  }

  /** Writes positions and releases claims. A crash before that causes a second announcement. Rejects if the database does. */
  save(): Promise<void> {
    this.#saving ??= this.#save().finally(() => {
      this.#saving = null;
    });
    return this.#saving;
  }

  async #save(): Promise<void> {
    const written: { readonly device_id: number; readonly position: number; readonly isIdle: boolean }[] = [];
    for (const device_id of this.#unsaved) {
      const claim = this.#claims.get(device_id);
      if (claim && (claim.position > claim.saved || claim.isIdle))
        written.push({ device_id, position: claim.position, isIdle: claim.isIdle });
      else this.#unsaved.delete(device_id);
    }
    if (written.length === 0) return;
    const lost = new Set<number>();
    await this.#server().transaction(async (scope) => {
      // In the same order in all processes, to prevent deadlocks; PostgreSQL receives them together, and runs them in this order.
      written.sort((a, b) => a.device_id - b.device_id);
      const updates = written.map(({ device_id, position, isIdle }) => {
        const values = { position, ...(isIdle && this.#lease.released) };
        const key = { device_id, reader: announcements };
        return scope.update(changeCursors, values, { where: this.#isOnly ? key : this.#lease.own(key) });
      });
      for (const [index, rows] of (await Promise.all(updates)).entries())
        if (rows.length === 0) lost.add(written[index]?.device_id ?? 0);
    });
    for (const { device_id, position, isIdle } of written) {
      const claim = this.#claims.get(device_id);
      if (claim) claim.saved = position;
      if (isIdle || lost.has(device_id)) this.#claims.delete(device_id);
      // It may have been released during the transaction.
      const isSaved = claim?.position === position && !claim.isIdle;
      if (isIdle || lost.has(device_id) || isSaved) this.#unsaved.delete(device_id);
    }
  }

  /** Takes no more claims, writes positions, and releases all claims, also one that was being taken. Rejects if the database does. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#claiming;
    while (this.#unsaved.size > 0) await this.save();
    if (!this.#isOnly) await this.#lease.release(this.#server());
  }

  /** Renews claims that would end soon, also while a broker does not accept messages. */
  async renew(): Promise<void> {
    if (this.#isOnly) return;
    await this.#lease.repair(this.#server());
    const soon = this.#clock.now() + claimDuration / 2;
    const ending = [...this.#claims].filter(([, { isIdle, until }]) => !isIdle && until < soon);
    if (ending.length === 0) return;
    const until = this.#lease.end;
    const where = { device_id: ending.map(([id]) => id), reader: announcements };
    const renewed = new Set((await this.#lease.renew(this.#server(), where)).map(({ device_id }) => device_id));
    for (const [device_id, claim] of ending)
      if (renewed.has(device_id)) claim.until = until;
      else if (this.#claims.get(device_id) === claim) this.#claims.delete(device_id);
  }

  #isExpired({ until }: Claim): boolean {
    return !this.#isOnly && !this.#lease.isHeld(until);
  }
}
