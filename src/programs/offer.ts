import type { commandSchema, robotRequest } from './robot-requests.ts';

/** What programs offer to other rooms. [ADR 100] */
export interface ProgramsOffer {
  /** The schema of what a robot can be asked to run. */
  readonly commandSchema: typeof commandSchema;
  readonly robotRequest: typeof robotRequest;
}
