import { existsSync } from 'node:fs';
import { globalConfig } from '../accounts/global-config.ts';
import { keyFile, lostKeyMessage } from '../accounts/key-pair.ts';
import { movedMessage } from '../accounts/moved-database.ts';
import { personalTokens } from '../accounts/personal-tokens.ts';
import { lostDatabase } from '../backup/lost-database.ts';
import { systemClock } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import { quotaNames } from '../core/quotas.ts';
import { noRecords } from '../db/announced-records.ts';
import { ChangeLog } from '../db/change-log.ts';
import { countProcesses } from '../db/database-server.ts';
import { migrations } from '../db/migrations/list.ts';
import { pendingMigrations } from '../db/migrator.ts';
import { databasePath, openDatabase } from '../db/open.ts';
import type { ServerScope } from '../db/scope.ts';
import { createScopeFactory } from '../db/scopes.ts';
import type { Database } from '../db/session.ts';
import { checkSqliteFile } from '../health/disk-checks.ts';
import { countJobs, failedJobs } from '../jobs/job-counts.ts';
import { countNearLimits } from '../operating/account-usage.ts';
import { servingProcess } from '../settings/data-folder-lock.ts';
import type { Settings } from '../settings/settings.ts';
import { hasBroker, quotaLimits } from '../settings/settings.ts';
import type { CheckResult } from './check-result.ts';
import { check, failures } from './check-result.ts';
import { checkClock } from './clock-check.ts';
import { databaseProblem } from './database-errors.ts';
import { missingPhotos } from './hidden-photos.ts';

/** Checks the database, and its rows: failed jobs and accounts near their quotas. */
export async function checkDatabase(settings: Settings, log: Logger): Promise<CheckResult[]> {
  const file = databasePath(settings.DATA_DIR);
  if (settings.DATABASE_URL === null) {
    const lost = await lostDatabase(settings.DATA_DIR);
    if (lost !== null) return [{ name: 'database', ok: false, message: lost }];
    if (!existsSync(file))
      return [
        {
          name: 'database',
          ok: true,
          message: `${file} will be created by the first start. If there is a server already, set DATA_DIR to its folder, or DATABASE_URL if its database is PostgreSQL.`,
        },
      ];
    const intact = await check('database', () => checkSqliteFile(settings.DATA_DIR));
    if (!intact.ok) return [intact];
  }
  const results: CheckResult[] = [];
  const database = await openDatabase(settings.DATABASE_URL, settings.DATA_DIR, () => undefined);
  let hasSchema = false;
  let isUpToDate = false;
  try {
    results.push(
      await check('database', async () => {
        const pending = await pendingMigrations(database, migrations).catch((error: unknown) => {
          const problem = settings.DATABASE_URL === null ? null : databaseProblem(error, settings.DATABASE_URL);
          throw problem === null ? error : new Error(`DATABASE_URL: ${problem}`);
        });
        const moved = await movedMessage(database);
        if (moved !== null) throw new Error(moved);
        hasSchema = pending.length < migrations.length;
        isUpToDate = pending.length === 0;
        const engine = database.dialect.name === 'sqlite' ? 'SQLite' : 'PostgreSQL';
        if (isUpToDate) return `${engine} responds and is up to date.`;
        if (!hasSchema) return `${engine} responds; the first start creates the tables.`;
        const note = `${engine} responds; the next start of this version migrates it. Its rows are checked after that. Before: potager update --check`;
        return { note };
      }),
    );
    if (hasSchema) {
      const scope = createScopeFactory({
        database,
        clock: systemClock,
        changeLog: new ChangeLog(),
        records: noRecords,
      });
      if (
        settings.DATABASE_URL === null &&
        !existsSync(keyFile(settings.DATA_DIR)) &&
        (await scope(log).count(globalConfig)) > 0
      )
        results.push({ name: 'key', ok: false, message: lostKeyMessage(keyFile(settings.DATA_DIR)) });
      results.push(...failures('processes', await processesProblem(settings, database)));
      if (isUpToDate) {
        results.push(...(await checkClock(database, scope(log), systemClock)));
        results.push(
          await check('jobs', async () => {
            const { dead: count } = await countJobs(scope(log));
            const [last] = await failedJobs(scope(log), 1);
            if (last) {
              const jobs = count === 1 ? '1 background job' : `${count} background jobs`;
              throw new Error(`${jobs} failed permanently. The latest is ${last.kind}: ${last.last_error}.`);
            }
            return 'No background job failed permanently.';
          }),
        );
        results.push(
          await check('quotas', async () => {
            const limits = quotaLimits(settings);
            const near = await countNearLimits(scope(log), limits);
            const list = quotaNames.map((name) => `${name} ${limits[name]}`).join(', ');
            return `Each account may have: ${list}. Accounts that use 90 % of one or more: ${near}.`;
          }),
        );
        results.push(...(await checkPersonalTokens(settings, scope(log))));
        results.push(...failures('photos', await missingPhotos(settings, scope(log), log)));
      }
    }
  } finally {
    await database.close();
  }
  return results;
}

/** Returns the reason why several processes do not work on one database, or null. */
async function processesProblem(settings: Settings, database: Database): Promise<string | null> {
  const { STORAGE_URL, BROKER_URL, DATA_DIR } = settings;
  const connected = await countProcesses(database);
  if (connected === null) return null;
  // One that is about to be started would be one more.
  const count = servingProcess(DATA_DIR) === null ? connected + 1 : connected;
  const isBroker = BROKER_URL === null && hasBroker(settings);
  if (connected === 0 || count < 2 || (STORAGE_URL !== null && !isBroker)) return null;
  const parts = [
    ...(STORAGE_URL === null ? ['photos of one are not found by the others: set STORAGE_URL to a bucket'] : []),
    ...(isBroker ? ['robots and pages at one get no messages of the others: set BROKER_URL to a RabbitMQ'] : []),
  ];
  return `With this server, ${count} processes use the database, but ${parts.join('; ')}. Set it for all of them, or stop the others.`;
}

/** Personal tokens end immediately only where connections to the broker can be closed. */
async function checkPersonalTokens(
  { BROKER_URL, BROKER_MANAGEMENT_URL }: Settings,
  server: ServerScope,
): Promise<CheckResult[]> {
  if (BROKER_URL === null || BROKER_MANAGEMENT_URL !== null || (await server.count(personalTokens)) === 0) return [];
  const message =
    'There are personal tokens, but revoked ones stay connected to RabbitMQ until they disconnect: set BROKER_MANAGEMENT_URL.';
  return [{ name: 'personal tokens', ok: false, message }];
}
