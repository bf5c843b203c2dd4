import type { Logger } from '../core/logger.ts';

/** Interval between writes, in ms. [decision 52] */
const defaultInterval = 60_000;
/** Entries written concurrently. */
const concurrency = 20;

export interface WriteBehindOptions<Value> {
  /** Writes the change of one row. Rejects to have it kept and written again. */
  readonly write: (id: number, change: Value) => Promise<void>;
  /** Combines a change with a later one of the same row. */
  readonly merge: (earlier: Value, later: Value) => Value;
  /** What is written, for the log. */
  readonly subject: string;
  readonly log: Logger;
  /** In ms. */
  readonly interval?: number;
}

/**
 * A write-behind buffer: changes of rows, by id, are kept in memory, overlaid on rows that are read, and written once a
 * minute and on stop. A crash loses what was not written. [ADR 8]
 */
export class WriteBehind<Value> {
  readonly #options: WriteBehindOptions<Value>;
  #pending = new Map<number, Value>();
  /** Changes that a flush is writing. */
  #writing = new Map<number, Value>();
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> | null = null;

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
    this.#timer ??= setInterval(() => void this.flush(), this.#options.interval ?? defaultInterval).unref();
  }

  /** Stops the interval and writes what is left. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
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
    const entries = [...this.#pending];
    this.#writing = this.#pending;
    this.#pending = new Map();
    let reason: unknown;
    while (entries.length > 0)
      await Promise.all(
        entries.splice(0, concurrency).map(async ([id, change]) => {
          try {
            await this.#options.write(id, change);
            this.#writing.delete(id);
          } catch (error) {
            reason = error;
          }
        }),
      );
    const failed = this.#writing;
    if (failed.size === 0) return;
    this.#writing = new Map();
    for (const [id, change] of failed) this.#pending.set(id, this.#merged(change, this.#pending.get(id)) ?? change);
    const { log, subject } = this.#options;
    log.warn({ reason: String(reason), rows: failed.size }, `failed to write ${subject}; the next flush tries again`);
  }

  #merged(earlier: Value | undefined, later: Value | undefined): Value | undefined {
    return earlier === undefined || later === undefined ? (later ?? earlier) : this.#options.merge(earlier, later);
  }
}
