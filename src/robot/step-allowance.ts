import { StepError } from './nodes.ts';

/** Steps that one request may lead to, sequences and the sequences that these run included. */
const mostSteps = 10_000;

/** Ends requests whose sequences run each other without end. */
export class StepBudget {
  #left = mostSteps;

  /** Takes one step off it. Throws {@link StepError} when none is left. */
  take(): void {
    if (--this.#left < 0) throw new StepError(`One request leads to at most ${mostSteps} steps.`);
  }
}
