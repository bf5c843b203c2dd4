import type pg from 'pg';
import { Failure } from '../core/errors.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { SerializationFailure, translateError, unavailable } from './errors.ts';
import { PostgresSession } from './postgres-session.ts';
import type { Finish, TransactionSession } from './session.ts';

/** Attempts at a transaction that fails with a deadlock or a serialization failure. */
const maxAttempts = 4;
/** Maximum number of transactions in a shared commit, which bounds the latency of the first one. */
const maxSharedTransactions = 32;

/** Locks the row of a device, and counts the transaction if it commits. [ADR 73] */
export const deviceLock = 'update devices set commits = coalesce(commits, 0) + 1 where id = $1';

interface QueuedTransaction {
  attempts: number;
  /** Runs the work. Its end returns a function that settles the transaction after the commit. */
  work(session: TransactionSession): Promise<Finish<() => void>>;
  fail(error: unknown): void;
}

/** A transaction in a shared commit. */
interface SharedTransaction {
  readonly queued: QueuedTransaction;
  /** Resolves, when its last statements have succeeded, to a function that settles it after the commit. */
  readonly ended: Promise<() => void>;
}

/** Transactions on the connections of a pool. Transactions of a device that arrive while one runs share its commit, each in a savepoint. [ADR 77] */
export class PostgresTransactions {
  readonly #pool: pg.Pool;
  readonly #watch: ConnectionWatch;
  /** The transactions that wait for a running one of their device: waiting for the row's lock would occupy a connection each. */
  readonly #queues = new Map<number, QueuedTransaction[]>();

  constructor(pool: pg.Pool, watch: ConnectionWatch) {
    this.#pool = pool;
    this.#watch = watch;
  }

  run<T>(deviceId: number | null, work: (session: TransactionSession) => Promise<Finish<T>>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const queued: QueuedTransaction = {
        attempts: 1,
        async work(session) {
          const finish = await work(session);
          return async () => {
            const value = await finish();
            return () => resolve(value);
          };
        },
        fail: reject,
      };
      const waiting = deviceId === null ? undefined : this.#queues.get(deviceId);
      if (waiting) waiting.push(queued);
      else void this.#drain(deviceId, [queued]);
    });
  }

  async #drain(deviceId: number | null, queue: QueuedTransaction[]): Promise<void> {
    if (deviceId !== null) this.#queues.set(deviceId, queue);
    while (queue.length > 0) await this.#commitBatch(deviceId, queue);
    if (deviceId !== null) this.#queues.delete(deviceId);
  }

  /** Runs one shared commit and settles every transaction in it. Never throws. */
  async #commitBatch(deviceId: number | null, queue: QueuedTransaction[]): Promise<void> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      const failure = translateError(error);
      for (const { fail } of queue.splice(0)) fail(failure instanceof Failure ? failure : new Failure('unavailable'));
      return;
    }
    const session = new PostgresSession(client, this.#watch);
    const shared: SharedTransaction[] = [];
    const after: (() => void)[] = [];
    let broken: Error | undefined;
    try {
      session.defer('begin');
      if (deviceId !== null) session.defer(deviceLock, [deviceId]);
      await runAll(session, queue, shared, after);
      // Together with the last statements of the last transaction.
      const committed = session.commit();
      // Awaited when the others are settled.
      committed.catch(() => undefined);
      const ends = await Promise.allSettled(shared.map(({ ended }) => ended));
      await committed;
      // Committed: no transaction may be repeated, even one whose last step failed.
      after.unshift(
        ...ends.map((end, i) => (end.status === 'fulfilled' ? end.value : () => shared[i]?.queued.fail(end.reason))),
      );
    } catch (error) {
      try {
        await session.rollBack();
      } catch (rollbackError) {
        broken = rollbackError instanceof Error ? rollbackError : new Error('rollback failed');
      }
      const errors = await causes(shared, error, broken);
      for (const [i, { queued }] of [...shared.entries()].reverse()) after.push(rejection(queued, errors[i], queue));
    } finally {
      client.release(broken);
    }
    for (const settle of after) settle();
  }
}

const allEnded = (shared: readonly SharedTransaction[]): Promise<(() => void)[]> =>
  Promise.all(shared.map(({ ended }) => ended));

/** Runs waiting transactions, all but the first in a savepoint. Adds functions that reject the ones that were rolled back alone. Throws if all must be rolled back. */
async function runAll(
  session: PostgresSession,
  queue: QueuedTransaction[],
  shared: SharedTransaction[],
  after: (() => void)[],
): Promise<void> {
  for (let count = 0; count < maxSharedTransactions; count++) {
    const queued = queue.shift();
    if (!queued) return;
    const isFirst = shared.length === 0;
    // A name of its own: a rollback must not find the savepoint of the one before, whose release may have failed.
    const savepoint = `request_${count}`;
    if (!isFirst) session.defer(`savepoint ${savepoint}`);
    try {
      const finish = await queued.work(session);
      // Not awaited: the first statement of the next transaction goes together with them.
      add(shared, queued, finish());
    } catch (error) {
      if (isFirst) {
        add(shared, queued, Promise.reject(error));
        throw error;
      }
      // It may follow from a failure of the one before.
      await allEnded(shared).catch((cause: unknown) => {
        add(
          shared,
          queued,
          Promise.resolve(() => undefined),
        );
        throw cause;
      });
      await session.rollBackTo(savepoint).catch((cause: unknown) => {
        add(shared, queued, Promise.reject(error));
        throw cause;
      });
      after.push(rejection(queued, error, queue));
      // Repeated after the commit, which releases the locks of the others.
      if (error instanceof SerializationFailure) return;
    }
    if (!isFirst) session.defer(`release savepoint ${savepoint}`);
  }
}

function add(shared: SharedTransaction[], queued: QueuedTransaction, ended: Promise<() => void>): void {
  // Observed before the commit.
  ended.catch(() => undefined);
  shared.push({ queued, ended });
}

/**
 * Returns the errors of transactions whose commit failed: the error of the first which failed itself, while the others are repeated,
 * since nothing was committed. Without the connection (`broken`) that is not certain, and repeating could store something twice.
 */
async function causes(
  shared: readonly SharedTransaction[],
  error: unknown,
  broken: Error | undefined,
): Promise<unknown[]> {
  if (broken) return shared.map(() => unavailable(broken));
  const results = await Promise.allSettled(shared.map(({ ended }) => ended));
  const failed = results.findIndex(({ status }) => status === 'rejected');
  return results.map((result, i) => {
    if (failed === -1) return error;
    return i === failed && result.status === 'rejected' ? result.reason : new SerializationFailure();
  });
}

/** Returns the function that fails a rolled-back transaction, or puts it first in the queue again. */
function rejection(queued: QueuedTransaction, error: unknown, queue: QueuedTransaction[]): () => void {
  if (!(error instanceof SerializationFailure)) return () => queued.fail(error);
  if (queued.attempts === maxAttempts) return () => queued.fail(new Failure('unavailable'));
  queued.attempts++;
  queue.unshift(queued);
  return () => undefined;
}
