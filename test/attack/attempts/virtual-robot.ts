import type { Attempt } from '../attempt.ts';

/** What scripts of a virtual robot that the server runs try. */
export const virtualRobotAttempts: readonly Attempt[] = [];
