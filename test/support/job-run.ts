import type { JobRun } from '../../src/jobs/runner.ts';

/** A run of a job that no other process takes over. */
export const jobRun: JobRun = { turnOf: null, serialKey: null, hold: async () => true };
