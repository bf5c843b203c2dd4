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

  /** Queues a task behind those that wait already. */
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
      // A stream delivers what was pushed into it a tick later: only then is the slice done and its time known.
      process.nextTick(step);
    };
    step();
  }
}
