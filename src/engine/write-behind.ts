import type { Logger } from '../core/logger.ts';
import { pauseForRequests } from '../core/request-pause.ts';

/** Interval between writes, in ms. [decision 52] */
const defaultInterval = 60_000;
/** Rows written together. */
const batchSize = 25;

export interface WriteBehindOptions<Value> {
  /** Writes the changes of rows. Rejects to have all of them kept and written again, each alone. */
  readonly write: (changes: readonly (readonly [id: number, change: Value])[]) => Promise<void>;
  /** Combines a change with a later one of the same row. */
  readonly merge: (earlier: Value, later: Value) => Value;
  /** The name of the written values, for the log. */
  readonly subject: string;
  readonly log: Logger;
  /** In ms. */
  readonly interval?: number;
}

/**
 * A write-behind buffer: changes of rows, by id, are kept in memory, overlaid on rows that are read, and written once a
 * minute and on stop. A crash loses unwritten values. [ADR 8]
 */
export class WriteBehind<Value> {
  readonly #options: WriteBehindOptions<Value>;
  #pending = new Map<number, Value>();
  /** Changes that a flush is writing. */
  #writing = new Map<number, Value>();
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> | null = null;
  /** The last flush has failed, perhaps because of one row. */
  #hasFailed = false;
  #isStopping = false;

  constructor(options: WriteBehindOptions<Value>) {
    this.#options = options;
  }

  /** Returns the change of a row that may not be written yet. */
  get(id: number): Value | undefined {
    return this.#merged(this.#writing.get(id), this.#pending.get(id));
  }

  /** Adds a change. */
  add(id: number, change: Value): void {
    const earlier = this.#pending.get(id);
    this.#pending.set(id, earlier === undefined ? change : this.#options.merge(earlier, change));
  }

  /** Starts writing at the interval. */
  start(): void {
    this.#isStopping = false;
    this.#timer ??= setInterval(() => void this.flush(), this.#options.interval ?? defaultInterval).unref();
  }

  /** Stops the interval and writes the rest. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#isStopping = true;
    await this.flush();
  }

  /** Writes all changes, after a flush that is running. Never rejects: changes that fail to be written are kept. */
  async flush(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    this.#flushing = this.#writeAll().finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  async #writeAll(): Promise<void> {
    // In the same order in all processes, to prevent deadlocks.
    const entries = [...this.#pending].sort(([one], [other]) => one - other);
    this.#writing = this.#pending;
    this.#pending = new Map();
    let reason: unknown;
    while (entries.length > 0) {
      const began = performance.now();
      const batch = entries.splice(0, batchSize);
      await Promise.all(
        (this.#hasFailed ? batch.map((entry) => [entry]) : [batch]).map(async (changes) => {
          try {
            await this.#options.write(changes);
            for (const [id] of changes) this.#writing.delete(id);
          } catch (error) {
            reason = error;
          }
        }),
      );
      // Thousands of robots connect at once after a restart.
      if (entries.length > 0 && !this.#isStopping) await pauseForRequests(began);
    }
    const failed = this.#writing;
    this.#hasFailed = failed.size > 0;
    if (!this.#hasFailed) return;
    this.#writing = new Map();
    for (const [id, change] of failed) this.#pending.set(id, this.#merged(change, this.#pending.get(id)) ?? change);
    const { log, subject } = this.#options;
    log.warn({ reason: String(reason), rows: failed.size }, `failed to write ${subject}; the next flush tries again`);
  }

  #merged(earlier: Value | undefined, later: Value | undefined): Value | undefined {
    return earlier === undefined || later === undefined ? (later ?? earlier) : this.#options.merge(earlier, later);
  }
}
