import { currentTimestamp } from '../core/clock.ts';
import type { ServerScope, Where } from '../db/scope.ts';
import type { JobRow } from './job-rows.ts';
import { jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';

/** Has jobs that failed permanently run again, with all their attempts. Returns them. */
export function retryFailedJobs(
  server: ServerScope,
  queue: JobQueue,
  where: Pick<Where<JobRow>, 'id' | 'kind'>,
): Promise<JobRow[]> {
  const run_at = currentTimestamp(server.clock);
  const changes = { failed_at: null, attempts: 0, paused_since: null, run_at };
  return server.transaction(async (scope) => {
    queue.notify(scope);
    return scope.update(jobs, changes, { where: { ...where, failed_at: { not: null } } });
  });
}
