import type { ServerScope } from '../db/scope.ts';
import type { JobRow } from './job-rows.ts';
import { jobs } from './job-rows.ts';

const where = { failed_at: { not: null } };

/** Jobs that failed too often, the one that was given up last first: kept until somebody looks at them. */
export const failedJobs = (scope: ServerScope, limit = 100): Promise<JobRow[]> =>
  scope.rows(jobs, {
    where,
    order: [
      ['failed_at', 'desc'],
      ['id', 'desc'],
    ],
    limit,
  });

/** How many jobs failed too often. */
export const countDeadJobs = (scope: ServerScope): Promise<number> => scope.count(jobs, { where });
