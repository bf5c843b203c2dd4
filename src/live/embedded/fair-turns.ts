/** Somebody with work that can be done in small pieces. */
export interface Worker {
  /** Does one piece. Who has more says so again. */
  work(): void;
}

export interface TurnLimits {
  /** Milliseconds that all may work before the rest of the process has its turn … */
  readonly turnTime: number;
  /** … and pieces. */
  readonly turnPieces: number;
}

/** Has many work in turns, a piece each, and leaves the process time in between: who has little to do never waits for those who have much. */
export class FairTurns {
  readonly #limits: TurnLimits;
  readonly #waiting = new Set<Worker>();
  #isRunning = false;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Somebody has work. It comes behind those that wait already. */
  add(worker: Worker): void {
    this.#waiting.add(worker);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    const end = performance.now() + this.#limits.turnTime;
    let pieces = 0;
    const step = () => {
      const { value: worker } = this.#waiting.values().next();
      if (!worker) {
        this.#isRunning = false;
        return;
      }
      if (pieces >= this.#limits.turnPieces || performance.now() >= end) {
        setImmediate(() => this.#run());
        return;
      }
      pieces++;
      this.#waiting.delete(worker);
      worker.work();
      // A stream hands over what it was given a tick later: only then the piece is done, and its time is known.
      process.nextTick(step);
    };
    step();
  }
}
