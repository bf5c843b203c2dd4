import { currentTimestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import { jobs } from '../jobs/job-rows.ts';

/** How many background jobs are in which state. */
export interface JobCounts {
  /** Their time has come and nobody works on them. */
  readonly waiting: number;
  /** For a later time. */
  readonly later: number;
  readonly running: number;
  /** Given up. */
  readonly dead: number;
}

/** Counts the jobs of all processes. A job whose process died counts as running until its lease is over. */
export async function countJobs(server: ServerScope): Promise<JobCounts> {
  const now = currentTimestamp(server.clock);
  const open = { failed_at: null };
  return {
    waiting: await server.count(jobs, { where: { ...open, locked_until: null, run_at: { lte: now } } }),
    later: await server.count(jobs, { where: { ...open, locked_until: null, run_at: { gt: now } } }),
    running: await server.count(jobs, { where: { ...open, locked_until: { not: null } } }),
    dead: await server.count(jobs, { where: { failed_at: { not: null } } }),
  };
}
