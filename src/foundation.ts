import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from './core/clock.ts';
import { beginConfirmedTime } from './core/confirmed-time.ts';
import { Counters } from './core/counters.ts';
import { FreeSpace } from './core/free-space.ts';
import { MessageOutlet } from './core/message-outlet.ts';
import type { AnnouncedRecords } from './db/announced-records.ts';
import { ChangeDispatcher } from './db/change-dispatcher.ts';
import { ChangeLog } from './db/change-log.ts';
import { changeSizes } from './db/change-rows.ts';
import { migrations } from './db/migrations/list.ts';
import { migrate } from './db/migrator.ts';
import { copiesFolder, openDatabase } from './db/open.ts';
import type { ServerScope } from './db/scope.ts';
import { createScopeFactory } from './db/scopes.ts';
import type { Database } from './db/session.ts';
import { RequestedFetches } from './engine/requested-fetches.ts';
import type { ResourceRights } from './engine/rights.ts';
import type { Route } from './engine/route.ts';
import { createClosedHost, createServerFetch } from './engine/server-fetch.ts';
import { JobQueue } from './jobs/queue.ts';
import type { JobDefinition } from './jobs/runner.ts';
import { JobRunner } from './jobs/runner.ts';
import { outboxTransport, smtpTransport } from './mail/transport.ts';
import type { Settings } from './settings/settings.ts';

/** The foundation of every room: the database and its scopes, jobs, mail, messages, the network. */
export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** The part of the server from one room. A room's front file exports `open…(foundation, dependencies)`, which returns one; `dependencies` are settings and offers of other rooms. */
export interface Room {
  readonly routes: readonly Route[];
  readonly jobs: readonly JobDefinition[];
  /** Called when the server starts, in the order in which rooms were opened, before the HTTP server listens; `live`'s once it listens. */
  start?(http: Server): Promise<void> | void;
  /** Called when a stop begins, before the HTTP server waits for responses: ends endless ones. */
  drain?(): void;
  /** Called when the server stops, in the reverse order of the starts. */
  stop?(): Promise<void> | void;
}

interface FoundationOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Counters that were in use before; new ones by default. */
  readonly counters?: Counters | undefined;
  /** The kinds of records whose changes are logged. */
  readonly records: AnnouncedRecords;
  readonly resourceRights: ResourceRights;
  /** Called before the database is migrated; throws if it must not be used. */
  readonly assertUsable: (database: Database) => Promise<void>;
}

/** Returns the time of the last logged change, in ms since the epoch; null if there is none. */
async function newestChange(server: ServerScope): Promise<number | null> {
  const last = await server.first(changeSizes, { order: [['id', 'desc']] });
  return last ? Date.parse(last.created_at) : null;
}

/** Opens the database and migrates it. Throws NewerDatabaseError, Failure `unavailable`. */
export async function openFoundation(
  settings: Settings,
  { clock, logger, counters = new Counters(), records, resourceRights, assertUsable }: FoundationOptions,
) {
  const dataDir = settings.DATA_DIR;
  const database = await openDatabase(
    settings.DATABASE_URL,
    dataDir,
    (error) => logger.warn({ reason: error.message }, 'a connection to the database was lost'),
    (message) => logger.warn(message),
  );
  const migrateUsable = async () => {
    await assertUsable(database);
    const done = await migrate(database, migrations, { clock, log: logger, copies: copiesFolder(dataDir) });
    // The start may have waited until the data was moved away.
    await assertUsable(database);
    return done;
  };
  const migrated = await migrateUsable().catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const changes = new ChangeLog(records.deliveredOnly);
  const announcements = new ChangeDispatcher(changes);
  const scopes = createScopeFactory({
    database,
    clock,
    changeLog: changes,
    records,
    keepsHistory: settings.HISTORY_DAYS > 0,
  });
  const server = (): ServerScope => scopes(logger);
  beginConfirmedTime(clock, await newestChange(server()));
  const queue = new JobQueue();
  const mail = settings.SMTP_URL
    ? smtpTransport(settings.SMTP_URL, settings.MAIL_FROM, clock)
    : outboxTransport(join(dataDir, 'outbox'), settings.MAIL_FROM, clock, logger);

  const fetching = { allowsPrivate: settings.FETCH_PRIVATE_ADDRESSES, allowed: settings.FETCH_ALLOW };
  return {
    clock,
    logger,
    dataDir,
    /** Names of the migrations that this start has applied. */
    migrated,
    /** No other process uses the database: it is SQLite. */
    ownsDatabase: settings.DATABASE_URL === null,
    announcements,
    changes,
    scopes,
    server,
    queue,
    runner: new JobRunner({ queue, scope: (actor) => scopes(logger, actor), clock, log: logger }),
    mail,
    /** There is a mail server; else mail is written to files. */
    sendsMail: settings.SMTP_URL !== null,
    messages: new MessageOutlet(),
    requestedFetches: new RequestedFetches(clock),
    fetch: createServerFetch(fetching),
    isClosedHost: createClosedHost(fetching),
    counters,
    /** The rights to receive changes, by resource. */
    resourceRights,
    freeSpace: new FreeSpace({ minFree: settings.MIN_FREE_BYTES, clock }),
    /** Closes mail and database, last of all. */
    async close(): Promise<void> {
      mail.close();
      await database.close();
    },
  };
}
