import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/db/open.ts';
import type { Database } from '../../src/db/session.ts';
import type { ServerProcess } from './servers.ts';
import { suiteFixture } from './suite-fixture.ts';

const timeout = 60_000;

/** Reads the job table of a server process, for all tests of the suite. */
export class JobCompletion {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when a device has no due jobs. Throws after a minute. */
  async whenDone(deviceId: number): Promise<void> {
    const end = Date.now() + timeout;
    // The engines have different placeholders.
    const query = () =>
      this.#database.reader.query(
        `select 1 from "jobs" where "device_id" = ${deviceId} and "failed_at" is null and "run_at" <= '${new Date().toISOString()}' limit 1`,
        [],
        false,
      );
    while ((await query()).length > 0) {
      if (Date.now() > end) throw new Error(`jobs of device ${deviceId} were not done within a minute`);
      await sleep(50);
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** The jobs of a server of `suiteServer`. */
export const suiteJobs = (server: ServerProcess): JobCompletion =>
  suiteFixture(
    async () => new JobCompletion(await openDatabase(server.env.DATABASE_URL ?? null, server.dataDir, () => undefined)),
    (jobs) => jobs.close(),
  );
