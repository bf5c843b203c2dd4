import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupSource } from '../backup/backup.ts';
import { createBackup } from '../backup/backup.ts';
import { backupName, backupsFolder, isBackupName, pruneBackups } from '../backup/backup-folder.ts';
import { Failure } from '../core/errors.ts';
import type { FreeSpace } from '../core/free-space.ts';
import { recordBackup } from '../core/last-backup.ts';
import { sweepTemporaryFiles } from '../core/temporary-files.ts';
import type { ServerScope } from '../db/scope.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';

/** The job that backs up the server. */
const kind = 'back_up_server';

/** Backups that the server keeps in its own folder. */
export const keptBackups = 3;

/** A backup in the folder of the server. */
export interface ServerBackup {
  readonly name: string;
  /** Size of the archive, in bytes. */
  readonly bytes: number;
}

export interface ServerBackupDependencies {
  readonly queue: JobQueue;
  readonly freeSpace: FreeSpace;
  readonly source: Omit<BackupSource, 'clock' | 'freeSpace' | 'isServing'>;
}

/** Backups that the server makes itself, in `backups` of its data folder. They never leave it over HTTP: whoever has one has the server. */
export class ServerBackups {
  readonly #dependencies: ServerBackupDependencies;

  constructor(dependencies: ServerBackupDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether one waits or is being made. */
  isRunning = async (server: ServerScope): Promise<boolean> =>
    (await server.count(jobs, { where: { kind, failed_at: null } })) > 0;

  /** Returns the backups, the newest first. */
  async list(): Promise<readonly ServerBackup[]> {
    const folder = backupsFolder(this.#dependencies.source.folder);
    const names = (await readdir(folder).catch(() => [])).filter(isBackupName).sort().reverse();
    const found = await Promise.all(
      names.map(async (name) => ({ name, file: await stat(join(folder, name)).catch(() => null) })),
    );
    return found.flatMap(({ name, file }) => (file?.isFile() ? [{ name, bytes: file.size }] : []));
  }

  /** Has one made in the background, once: a failure shows in the list of failed jobs. Throws 409 while one is made, 507 if the disk is almost full. */
  async request(server: ServerScope): Promise<void> {
    const { queue, freeSpace, source } = this.#dependencies;
    freeSpace.assertRoom(source.folder);
    await server.transaction(async (scope) => {
      if (await this.isRunning(scope)) throw new Failure('conflict', 'A backup is being made already.');
      await queue.enqueue(scope, kind, {}, { maxAttempts: 1 });
    });
  }

  /** The job of {@link request}. */
  get job(): JobDefinition {
    const { freeSpace, source } = this.#dependencies;
    return {
      kind,
      concurrency: 1,
      async handle({ clock }) {
        const folder = backupsFolder(source.folder);
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await sweepTemporaryFiles(folder).catch(() => undefined);
        const name = backupName(clock);
        await createBackup({ ...source, clock, freeSpace, isServing: true }, join(folder, name));
        await recordBackup(source.folder, clock);
        await pruneBackups(folder, keptBackups, name);
      },
    };
  }
}
