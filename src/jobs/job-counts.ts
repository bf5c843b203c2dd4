import { currentTimestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobRow } from './job-rows.ts';
import { jobs } from './job-rows.ts';

/** Background jobs by state; the keys are labels of a metric. */
export type JobCounts = Awaited<ReturnType<typeof countJobs>>;

/** Counts the jobs of all processes. Jobs of a process that ended count as running until their lease expires. */
export async function countJobs(server: ServerScope) {
  const now = currentTimestamp(server.clock);
  const open = { failed_at: null };
  return {
    /** Due, not started. */
    waiting: await server.count(jobs, { where: { ...open, locked_until: null, run_at: { lte: now } } }),
    /** Scheduled for a later time. */
    later: await server.count(jobs, { where: { ...open, locked_until: null, run_at: { gt: now } } }),
    running: await server.count(jobs, { where: { ...open, locked_until: { not: null } } }),
    /** Failed permanently. */
    dead: await server.count(jobs, { where: { failed_at: { not: null } } }),
  };
}

/** Returns jobs that failed permanently, the latest failure first. */
export const failedJobs = (scope: ServerScope, limit?: number): Promise<JobRow[]> =>
  scope.rows(jobs, {
    where: { failed_at: { not: null } },
    order: [
      ['failed_at', 'desc'],
      ['id', 'desc'],
    ],
    ...(limit === undefined ? {} : { limit }),
  });
