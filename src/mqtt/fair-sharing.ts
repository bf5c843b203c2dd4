/** A task whose work can be done in small slices. */
export interface Task {
  /** Does one slice. A task with more work schedules itself again. */
  runSlice(): void;
}

export interface SchedulerLimits {
  /** Milliseconds of work before control returns to the event loop. */
  readonly maxRoundTime: number;
  /** Slices in the same time. */
  readonly maxRoundSlices: number;
}

/** Runs the slices of many tasks round-robin and returns to the event loop in between, so that a task with little work never waits for one with much. */
export class FairScheduler {
  readonly #limits: SchedulerLimits;
  readonly #queue = new Set<Task>();
  #isRunning = false;

  constructor(limits: SchedulerLimits) {
    this.#limits = limits;
  }

  /** Queues a task behind waiting tasks. */
  schedule(task: Task): void {
    this.#queue.add(task);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => this.#runRound());
  }

  #runRound(): void {
    const end = performance.now() + this.#limits.maxRoundTime;
    let slices = 0;
    const step = () => {
      const { value: task } = this.#queue.values().next();
      if (!task) {
        this.#isRunning = false;
        return;
      }
      if (slices >= this.#limits.maxRoundSlices || performance.now() >= end) {
        setImmediate(() => this.#runRound());
        return;
      }
      slices++;
      this.#queue.delete(task);
      task.runSlice();
      // A stream delivers its input a tick later: only then is the slice done and its time known.
      process.nextTick(step);
    };
    step();
  }
}

/**
 * Limits the bytes that many holders have together: beyond the limit the largest are evicted, one after the other. Reported
 * sizes may be out of date, so all holders are measured before any is evicted.
 */
export class ByteBudget<Holder> {
  readonly #limit: number;
  readonly #measure: (holder: Holder) => number;
  readonly #evict: (holder: Holder) => void;
  readonly #held = new Map<Holder, number>();
  #total = 0;

  constructor(limit: number, measure: (holder: Holder) => number, evict: (holder: Holder) => void) {
    this.#limit = limit;
    this.#measure = measure;
    this.#evict = evict;
  }

  /** The sum of the reported sizes. */
  get total(): number {
    return this.#total;
  }

  /** Records the size of a holder; 0 removes it. */
  report(holder: Holder, bytes: number): void {
    if (bytes === (this.#held.get(holder) ?? 0)) return;
    this.#set(holder, bytes);
    if (this.#total > this.#limit) this.#shrink();
  }

  #shrink(): void {
    for (const holder of [...this.#held.keys()]) this.#set(holder, this.#measure(holder));
    if (this.#total <= this.#limit) return;
    const largestFirst = [...this.#held].sort(([, one], [, other]) => other - one);
    for (const [holder] of largestFirst) {
      if (this.#total <= this.#limit) return;
      this.#set(holder, 0);
      this.#evict(holder);
    }
  }

  #set(holder: Holder, bytes: number): void {
    this.#total += bytes - (this.#held.get(holder) ?? 0);
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
  }
}
