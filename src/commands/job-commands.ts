import type { Command } from 'commander';
import type { Listed } from './database-session.ts';
import { withOperations } from './database-session.ts';
import { withExamples } from './examples.ts';
import type { ListOptions } from './listing.ts';
import { Listing } from './listing.ts';
import { CommandError, print, UsageError, wholeNumber } from './terminal.ts';

const listing = new Listing<Listed<'jobs'>>({
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  device: ({ device_id }) => device_id,
  attempts: ({ attempts }) => attempts,
  failed: ({ failed_at }) => failed_at,
  error: ({ last_error }) => last_error,
});

async function listJobs(options: ListOptions): Promise<void> {
  listing.print(await withOperations('jobs', (jobs) => jobs.list()), options);
}

async function retryJobs(id: number | undefined, { all }: { readonly all?: true }): Promise<void> {
  if ((id === undefined) === (all === undefined)) throw new UsageError('Give the id of a job, or --all.');
  const count = await withOperations('jobs', (jobs) => jobs.retry(id ?? null));
  if (id !== undefined && count === 0) throw new CommandError(`There is no failed job ${id}.`);
  print(`The server will run ${count === 1 ? '1 job' : `${count} jobs`} again.`);
}

/** Adds the commands for background jobs. */
export function addJobCommands(program: Command): void {
  const job = program.command('job').description('manage background jobs that failed permanently');
  const list = job
    .command('list')
    .description('list jobs that failed permanently, the latest failure first')
    .action(listJobs);
  withExamples(listing.addTo(list), 'job list', 'job list --json');
  const retry = job
    .command('retry')
    .description('run a job that failed permanently again, or all of them')
    .argument('[id]', 'id of the job, see "job list"', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option('--all', 'all that failed')
    .action(retryJobs);
  withExamples(retry, 'job retry 42', 'job retry --all');
}
