import type { Clock, Timestamp } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { ServerScope } from '../db/scope.ts';
import { PeriodicFlush } from '../engine/periodic-flush.ts';
import type { UserRow } from './users.ts';
import { users } from './users.ts';

/** What requests changed of one user's sign-in data since it was last written. */
interface Visits {
  count: number;
  current: Timestamp;
  previous: Timestamp;
  currentIp: string;
  previousIp: string;
}

const interval = 60_000;

/**
 * Sign-in data of users, which every request of a browser moves: kept in memory, laid over what is read, and written once
 * a minute and on stop. A crash loses a minute of it. [decision 52]
 */
export class UserActivity {
  readonly #scope: () => ServerScope;
  readonly #clock: Clock;
  readonly #log: Logger;
  #visits = new Map<number, Visits>();
  /** Those that are just being written. */
  #leaving = new Map<number, Visits>();
  readonly #flush = new PeriodicFlush(() => this.#write(), interval);

  constructor(scope: () => ServerScope, clock: Clock, log: Logger) {
    this.#scope = scope;
    this.#clock = clock;
    this.#log = log;
  }

  /** Notes a request of this user. */
  recordRequest(row: UserRow, address: string): void {
    const now = currentTimestamp(this.#clock);
    const visits = this.#visits.get(row.id);
    if (visits) {
      visits.previous = visits.current;
      visits.previousIp = visits.currentIp;
      visits.current = now;
      visits.currentIp = address;
      visits.count++;
      return;
    }
    const before = this.overlay(row);
    this.#visits.set(row.id, {
      count: 1,
      current: now,
      previous: before.current_sign_in_at ?? now,
      currentIp: address,
      previousIp: before.current_sign_in_ip ?? address,
    });
  }

  /** The row as it would read if everything were written. */
  overlay(row: UserRow): UserRow {
    const written = overlaid(row, this.#leaving.get(row.id));
    return overlaid(written, this.#visits.get(row.id));
  }

  /** `updated_at` of the row as it would read if everything were written. */
  effectiveUpdatedAt(userId: number, updatedAt: Timestamp): Timestamp {
    const visits = this.#visits.get(userId) ?? this.#leaving.get(userId);
    return visits && visits.current > updatedAt ? visits.current : updatedAt;
  }

  /** Begins to write once a minute. */
  start(): void {
    this.#flush.start();
  }

  /** Writes what is left and ends. */
  stop(): Promise<void> {
    return this.#flush.stop();
  }

  /** Writes what is in memory. Failures are logged; the data stays in memory then. */
  flush(): Promise<void> {
    return this.#flush.flush();
  }

  async #write(): Promise<void> {
    if (this.#visits.size === 0) return;
    this.#leaving = this.#visits;
    this.#visits = new Map();
    try {
      await this.#scope().transaction(async (scope) => {
        const rows = await scope.rows(users, { where: { id: [...this.#leaving.keys()] } });
        for (const row of rows) {
          const {
            sign_in_count,
            current_sign_in_at,
            last_sign_in_at,
            current_sign_in_ip,
            last_sign_in_ip,
            updated_at,
          } = overlaid(row, this.#leaving.get(row.id));
          const changes = {
            sign_in_count,
            current_sign_in_at,
            last_sign_in_at,
            current_sign_in_ip,
            last_sign_in_ip,
            updated_at,
          };
          await scope.update(users, changes, { where: { id: row.id } });
        }
      });
    } catch (error) {
      this.#log.warn({ reason: String(error) }, 'sign-in data could not be written; it is tried again');
      for (const [id, older] of this.#leaving) {
        const newer = this.#visits.get(id);
        if (newer) newer.count += older.count;
        else this.#visits.set(id, older);
      }
    } finally {
      this.#leaving = new Map();
    }
  }
}

function overlaid(row: UserRow, visits: Visits | undefined): UserRow {
  if (!visits) return row;
  const isNewer = visits.current > row.updated_at;
  return {
    ...row,
    sign_in_count: row.sign_in_count + visits.count,
    current_sign_in_at: visits.current,
    last_sign_in_at: visits.previous,
    current_sign_in_ip: visits.currentIp,
    last_sign_in_ip: visits.previousIp,
    updated_at: isNewer ? visits.current : row.updated_at,
  };
}
