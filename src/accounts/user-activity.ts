import type { Clock, Timestamp } from '../core/clock.ts';
import { laterOf, timestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { ServerScope } from '../db/scope.ts';
import { WriteBehind } from '../engine/write-behind.ts';
import type { UserRow } from './users.ts';
import { users } from './users.ts';

/** Changes of one user's sign-in data. Times in ms since the epoch are formatted when they are read or written, not for each request. */
interface SignIns {
  readonly count: number;
  readonly currentAt: number;
  readonly lastAt: number | Timestamp;
  readonly currentIp: string;
  readonly lastIp: string;
}

/** Sign-in data of users, which every request that does not come from a robot changes. [rule A18, decision 52, ADR 8] */
export class UserActivity {
  readonly #scope: () => ServerScope;
  readonly #clock: Clock;
  readonly #changes: WriteBehind<SignIns>;

  constructor(scope: () => ServerScope, clock: Clock, log: Logger) {
    this.#scope = scope;
    this.#clock = clock;
    this.#changes = new WriteBehind<SignIns>({
      merge: (earlier, later) => ({ ...later, count: earlier.count + later.count }),
      write: (changes) => this.#write(changes),
      subject: 'sign-in data',
      log,
    });
  }

  /** Records a request of a user from an IP address. */
  recordRequest(row: UserRow, address: string): void {
    const now = this.#clock.now();
    const earlier = this.#changes.get(row.id);
    this.#changes.add(row.id, {
      count: 1,
      currentAt: now,
      lastAt: earlier?.currentAt ?? row.current_sign_in_at ?? now,
      currentIp: address,
      lastIp: earlier?.currentIp ?? row.current_sign_in_ip ?? address,
    });
  }

  /** Returns the row with the changes that are not written yet. */
  overlay(row: UserRow): UserRow {
    const change = this.#changes.get(row.id);
    return change ? { ...row, ...changedColumns(row, change) } : row;
  }

  /** Returns `updated_at` of a row with the changes that are not written yet. */
  effectiveUpdatedAt(userId: number, updatedAt: Timestamp): Timestamp {
    const change = this.#changes.get(userId);
    return change ? laterOf(updatedAt, timestamp(change.currentAt)) : updatedAt;
  }

  /** Starts writing once a minute. */
  start(): void {
    this.#changes.start();
  }

  /** Writes the rest. */
  stop(): Promise<void> {
    return this.#changes.stop();
  }

  async #write(changes: readonly (readonly [number, SignIns])[]): Promise<void> {
    await this.#scope().transaction(async (scope) => {
      for (const [id, change] of changes) {
        const row = await scope.first(users, { where: { id } });
        if (row) await scope.update(users, changedColumns(row, change), { where: { id } });
      }
    });
  }
}

function changedColumns(row: UserRow, { count, currentAt, lastAt, currentIp, lastIp }: SignIns): Partial<UserRow> {
  const current = timestamp(currentAt);
  return {
    sign_in_count: row.sign_in_count + count,
    current_sign_in_at: current,
    last_sign_in_at: typeof lastAt === 'number' ? timestamp(lastAt) : lastAt,
    current_sign_in_ip: currentIp,
    last_sign_in_ip: lastIp,
    updated_at: laterOf(row.updated_at, current),
  };
}
