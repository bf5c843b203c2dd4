import type { ServerScope } from '../db/scope.ts';
import { failedJobs } from '../jobs/job-counts.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { retryFailedJobs } from '../jobs/retries.ts';

interface JobDependencies {
  readonly server: () => ServerScope;
  readonly queue: JobQueue;
}

/** Operators' tasks with background jobs. */
export const jobOperations = ({ server, queue }: JobDependencies) => ({
  /** Returns the jobs that failed permanently, the latest failure first. */
  list: () => failedJobs(server()),
  /** Has one of them, or all, run again. Returns their number. */
  retry: async (id: number | null): Promise<number> =>
    (await retryFailedJobs(server(), queue, id === null ? {} : { id })).length,
});
