import type pg from 'pg';
import { Failure } from '../core/errors.ts';
import { isUnavailable } from '../core/outage.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { translateError } from './errors.ts';
import { PostgresSession } from './postgres-session.ts';
import type { RawRow, Reader } from './session.ts';

/** Maximum number of connections for reads. */
const maxLanes = 6;
/** Statements on a connection from which another one is used. */
const laneDepth = 16;
/** Time after which a statement counts as slow, so that others use another connection, in ms. */
const slowTime = 10;

/** How long a connection may have been silent when no other is left for a statement, in ms: as long as one waits for a new connection. */
const maxSilence = 4000;

/** A connection while statements run on it. */
interface Lane {
  readonly session: Promise<PostgresSession>;
  pending: number;
  /** When the last answer arrived, or the first statement was sent (`performance.now()`). */
  answeredAt: number;
  /** A statement failed because of the connection or the server. */
  isLost: boolean;
  /** Returns the connection to the pool, which closes it if it is lost. */
  release: () => void;
}

/** Runs statements outside transactions: many on few connections, each of which is sent while earlier ones run. [ADR 77] */
export class PostgresReader implements Reader {
  readonly #pool: pg.Pool;
  readonly #watch: ConnectionWatch;
  readonly #lanes: Lane[] = [];

  constructor(pool: pg.Pool, watch: ConnectionWatch) {
    this.#pool = pool;
    this.#watch = watch;
  }

  async query(sql: string, parameters: readonly unknown[], prepared = true): Promise<RawRow[]> {
    const lane = this.#lane();
    lane.pending++;
    try {
      return await (await lane.session).query(sql, parameters, prepared);
    } catch (error) {
      lane.isLost ||= isUnavailable(error);
      throw error;
    } finally {
      lane.pending--;
      lane.answeredAt = performance.now();
      if (lane.pending === 0) {
        this.#lanes.splice(this.#lanes.indexOf(lane), 1);
        lane.release();
      }
    }
  }

  /** Returns the first connection that is neither full nor slow, a new one, or the last one that answered. Throws Failure `unavailable` if all are silent. */
  #lane(): Lane {
    const now = performance.now();
    const free = this.#lanes.find(({ pending, answeredAt }) => pending < laneDepth && now - answeredAt < slowTime);
    if (free) return free;
    if (this.#lanes.length < maxLanes) return this.#open(now);
    const latest = this.#lanes.reduce((a, b) => (b.answeredAt > a.answeredAt ? b : a));
    if (now - latest.answeredAt > maxSilence) throw new Failure('unavailable');
    return latest;
  }

  #open(now: number): Lane {
    const session = this.#pool.connect().then(
      (client) => {
        lane.release = () => client.release(lane.isLost);
        // The reads of one iteration of the event loop are sent together.
        return new PostgresSession(client, this.#watch, { isAutocommit: true, whenReady: setImmediate });
      },
      (error: unknown) => {
        throw translateError(error);
      },
    );
    const lane: Lane = { session, pending: 0, answeredAt: now, isLost: false, release: () => undefined };
    this.#lanes.push(lane);
    return lane;
  }
}
