import { serverSettings } from '../accounts/server-settings.ts';
import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Foundation } from '../foundation.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { say } from './messages.ts';

/** The job that backs up the server. */
const kind = 'back_up_server';

/** Backups that the server keeps in its own folder. */
export const keptBackups = 3;

/** The folder of the backups that the server makes itself. */
export interface BackupFolder {
  /** Returns the backups, the newest first, with their sizes in bytes. */
  list(): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  /** Creates one, and deletes the oldest, so that `keep` are left. */
  make(clock: Clock, keep: number): Promise<void>;
}

/** Backups that the server makes itself, in `backups` of its data folder. They never leave it over HTTP: they contain its signing key. */
export type ServerBackups = ReturnType<typeof serverBackups>;

const lastRequest = { key: 'backup_requested' } as const;

/** Makes other requests wait for the end of the transaction. Throws UniqueViolation in the second of two concurrent first requests. */
async function holdRequests(scope: ServerScope): Promise<void> {
  const value = currentTimestamp(scope.clock);
  const held = await scope.update(serverSettings, { value }, { where: lastRequest });
  if (held.length === 0) await scope.insert(serverSettings, { ...lastRequest, value });
}

/** Creates the backups of a server. `folder` loads the module that creates them. */
export function serverBackups({ queue, freeSpace, dataDir }: Foundation, folder: () => Promise<BackupFolder>) {
  /** Whether a backup is queued or in progress. */
  const isRunning = async (server: ServerScope): Promise<boolean> =>
    (await server.count(jobs, { where: { kind, failed_at: null } })) > 0;
  return {
    isRunning,
    list: async () => (await folder()).list(),
    /** Has one created in the background, once: a failure shows in the list of failed jobs. Throws 409 while one is being created, 507 if the disk is almost full. */
    async request(server: ServerScope): Promise<void> {
      freeSpace.assertRoom(dataDir);
      const refused = new Failure('conflict', say.backupRuns);
      const enqueue = async (scope: ServerScope): Promise<void> => {
        await holdRequests(scope);
        if (await isRunning(scope)) throw refused;
        await queue.enqueue(scope, kind, {}, { maxAttempts: 1 });
      };
      await server.transaction(enqueue).catch((error: unknown) => {
        throw error instanceof UniqueViolation ? refused : error;
      });
    },
    /** The job of `request`. */
    job: {
      kind,
      concurrency: 1,
      handle: async ({ clock }) => (await folder()).make(clock, keptBackups),
    } satisfies JobDefinition,
  };
}
