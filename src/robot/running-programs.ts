/** The robot's position in a stored sequence that it runs. */
export interface ProgramPosition {
  readonly sequence_id: number;
  /** From 1. */
  readonly step: number;
  /** The number of steps of the sequence. */
  readonly steps: number;
}

/** The stored sequences that the robot runs: each one runs the next. */
export class RunningPrograms {
  readonly #positions: ProgramPosition[] = [];
  readonly #changed: () => void;

  /** `changed` is called after every change. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Begins a step of the sequence that runs at this depth; 0 is the outermost one. Sequences that ran below it have ended. */
  begin(depth: number, position: ProgramPosition): void {
    this.#positions.splice(depth, Number.POSITIVE_INFINITY, position);
    this.#changed();
  }

  /** Ends the sequence at this depth. */
  end(depth: number): void {
    if (this.#positions.length <= depth) return;
    this.#positions.length = depth;
    this.#changed();
  }

  /** The outermost first. */
  get positions(): readonly ProgramPosition[] {
    return [...this.#positions];
  }
}
