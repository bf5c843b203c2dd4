import type { commandSchema, robotRequest } from './robot-requests.ts';

/** The offer of programs to other rooms. [ADR 100] */
export interface ProgramsOffer {
  /** The schema of programs that a robot can be asked to run. */
  readonly commandSchema: typeof commandSchema;
  readonly robotRequest: typeof robotRequest;
}
