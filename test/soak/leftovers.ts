import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTemporaryName } from '../../src/core/temporary-files.ts';
import { incomingFolder } from '../../src/photos/photo-storage.ts';
import { type Installation, startSupervised } from './installation.ts';
import type { SoakReport } from './soak-report.ts';

/** Maximum time until a queue is empty, in ms: long enough for busy machines. */
const queueTimeout = 120_000;

/** Waits until a query returns no rows; otherwise reports them. */
async function untilEmpty({ query }: Installation, sql: string, report: SoakReport): Promise<void> {
  for (const end = performance.now() + queueTimeout; ; await sleep(200)) {
    const rows = await query(sql);
    if (rows.length === 0) return;
    if (performance.now() > end) return report.violation(`${sql}: ${JSON.stringify(rows.slice(0, 5))}`);
  }
}

/** Waits until everything that was committed is announced. */
export const untilAnnounced = (installation: Installation, report: SoakReport): Promise<void> =>
  untilEmpty(
    installation,
    `select changes.id, changes.device_id, resource, record_id, position, claimed_by, claimed_until from changes
      left join change_cursors on change_cursors.device_id = changes.device_id and reader = 'announcements'
      where changes.id > coalesce(position, 0)`,
    report,
  );

/** Restarts the servers, has jobs that pause after a fault continue immediately, and waits until all are done. No job may have failed permanently. */
export async function finishJobs(installation: Installation, report: SoakReport): Promise<void> {
  await stopAll(installation, report);
  await installation.query(
    'update jobs set run_at = created_at where failed_at is null and (attempts > 0 or paused_since is not null)',
  );
  for (const server of installation.servers) await startSupervised(server);
  await untilEmpty(installation, 'select kind, attempts, run_at, last_error from jobs where failed_at is null', report);
  for (const job of await installation.query('select kind, attempts, last_error from jobs where failed_at is not null'))
    report.violation(`a job failed permanently: ${JSON.stringify(job)}`);
  await untilAnnounced(installation, report);
}

/** Stops all servers, which must exit with 0. */
export async function stopAll({ servers }: Installation, report: SoakReport): Promise<void> {
  for (const server of servers) {
    const code = await server.stop();
    if (code !== 0)
      report.violation(`${server.base} exited with ${code} after SIGTERM:\n${server.logs().slice(-2000)}`);
  }
}

/** Looks for temporary files, after all servers were started again and stopped. */
export async function checkFiles({ servers }: Installation, report: SoakReport): Promise<void> {
  for (const { dataDir } of servers) {
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const isWorkFolder = [join(dataDir, 'imports'), incomingFolder(dataDir)].includes(entry.parentPath);
      if (isTemporaryName(entry.name) || isWorkFolder) report.violation(`${path} was left`);
    }
  }
}
