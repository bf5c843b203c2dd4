import type { Command } from 'commander';
import { CommandError, print, printable, wholeNumber, withOperations } from './terminal.ts';

async function listJobs(): Promise<void> {
  const rows = await withOperations('jobs', (jobs) => jobs.list());
  print(['id', 'kind', 'device', 'attempts', 'failed', 'error'].join('\t'));
  for (const { id, kind, device_id, attempts, failed_at, last_error } of rows)
    print([id, kind, device_id ?? '', attempts, failed_at ?? '', last_error ?? ''].map(printable).join('\t'));
}

async function retryJobs(id: number | undefined, { all }: { readonly all?: true }): Promise<void> {
  if ((id === undefined) === (all === undefined)) throw new CommandError('Give the id of a job, or --all.');
  const count = await withOperations('jobs', (jobs) => jobs.retry(id ?? null));
  if (id !== undefined && count === 0) throw new CommandError(`There is no failed job ${id}.`);
  print(`The server will run ${count === 1 ? '1 job' : `${count} jobs`} again.`);
}

/** Adds the commands for background jobs. */
export function addJobCommands(program: Command): void {
  const job = program.command('job').description('manage background jobs that failed permanently');
  job.command('list').description('list them, the latest failure first').action(listJobs);
  job
    .command('retry')
    .description('run one of them again, or all')
    .argument('[id]', 'id of the job, see "job list"', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option('--all', 'all of them')
    .action(retryJobs);
}
