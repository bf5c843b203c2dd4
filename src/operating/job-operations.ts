import type { ServerScope } from '../db/scope.ts';
import { failedJobs } from '../jobs/job-counts.ts';
import type { JobRow } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { retryFailedJobs } from '../jobs/retries.ts';

interface JobDependencies {
  readonly server: () => ServerScope;
  readonly queue: JobQueue;
}

/** Operators' tasks with background jobs. */
export interface JobOperations {
  /** Returns the jobs that failed permanently, the latest failure first. */
  list(): Promise<JobRow[]>;
  /** Has one of them, or all, run again. Returns their number. */
  retry(id: number | null): Promise<number>;
}

export const jobOperations = ({ server, queue }: JobDependencies): JobOperations => ({
  list: () => failedJobs(server()),
  retry: async (id) => (await retryFailedJobs(server(), queue, id === null ? {} : { id })).length,
});
