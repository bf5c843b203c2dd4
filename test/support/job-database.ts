import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { noRecords } from '../../src/db/announced-records.ts';
import { ChangeLog } from '../../src/db/change-log.ts';
import { databasePath } from '../../src/db/open.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import type { ServerScope } from '../../src/db/scope.ts';
import { createScopeFactory } from '../../src/db/scopes.ts';
import type { Database } from '../../src/db/session.ts';
import { openSqlite } from '../../src/db/sqlite.ts';
import { JobQueue } from '../../src/jobs/queue.ts';
import type { JobRunnerOptions } from '../../src/jobs/runner.ts';
import { JobRunner } from '../../src/jobs/runner.ts';
import { createMigratedDatabase, dropDatabase } from './databases.ts';
import type { Engine } from './engines.ts';

/** A log that is discarded. */
export const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The connections, queue and job runner of one process. */
export interface JobProcess {
  readonly scope: () => ServerScope;
  readonly queue: JobQueue;
  readonly runner: JobRunner;
}

/** A database and the processes that share its jobs. */
export class JobDatabase {
  readonly #folder: string;
  readonly #url: string | null;
  readonly #clock: Clock;
  readonly #open: { readonly database: Database; readonly runner: JobRunner }[] = [];

  private constructor(folder: string, url: string | null, clock: Clock) {
    this.#folder = folder;
    this.#url = url;
    this.#clock = clock;
  }

  static async create(engine: Engine, clock: Clock): Promise<JobDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'potager-jobs-'));
    return new JobDatabase(folder, await createMigratedDatabase(engine, folder), clock);
  }

  /** Adds a process; its runner is not started. */
  addProcess(options: Pick<JobRunnerOptions, 'concurrency' | 'lease'> = {}): JobProcess {
    const database = this.#url ? openPostgres(this.#url, () => undefined) : openSqlite(databasePath(this.#folder));
    const clock = this.#clock;
    const source = createScopeFactory({
      database,
      clock,
      changeLog: new ChangeLog(),
      records: noRecords,
    });
    const scope = () => source(silent);
    const queue = new JobQueue();
    const runner = new JobRunner({ queue, scope, clock, log: silent, ...options });
    this.#open.push({ database, runner });
    return { scope, queue, runner };
  }

  /** Stops all runners and removes the database. */
  async remove(): Promise<void> {
    await Promise.all(this.#open.map(({ runner }) => runner.stop(100)));
    for (const { database } of this.#open) await database.close();
    if (this.#url) await dropDatabase(this.#url);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Waits for a state that a started runner reaches on its own. */
export const until = (condition: () => boolean | Promise<boolean>): Promise<boolean> =>
  vi.waitUntil(condition, { timeout: 60_000, interval: 5 });
