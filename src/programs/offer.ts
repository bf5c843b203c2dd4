import type { DeviceScope } from '../db/scope.ts';
import type { commandSchema, robotRequest } from './robot-requests.ts';

/** The offer of programs to other rooms. [ADR 100] */
export interface ProgramsOffer {
  /** The schema of programs that a robot can be asked to run. */
  readonly commandSchema: typeof commandSchema;
  readonly robotRequest: typeof robotRequest;
  /** Returns the runs of sequences that are due from one time until before another (ms); none if there are more than `maxCount`. */
  dueRuns(
    scope: DeviceScope,
    from: number,
    to: number,
    maxCount: number,
  ): Promise<readonly { readonly name: string; readonly at: number }[]>;
}
