import type { ServerScope } from '../db/scope.ts';
import type { JobRow } from './job-rows.ts';
import { jobs } from './job-rows.ts';

/** Jobs that failed too often, the newest first: kept until somebody looks at them. */
export const deadJobs = (scope: ServerScope, limit = 100): Promise<JobRow[]> =>
  scope.rows(jobs, { where: { failed_at: { not: null } }, order: [['id', 'desc']], limit });
