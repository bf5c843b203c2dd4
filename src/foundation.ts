import { join } from 'node:path';
import type { Logger } from 'pino';
import { GlobalConfig } from './accounts/global-config.ts';
import type { KeyPair } from './accounts/key-pair.ts';
import { databaseKeyStore, fileKeyStore, keyFile, loadKeyPair } from './accounts/key-pair.ts';
import { userReader } from './accounts/users.ts';
import type { Clock } from './core/clock.ts';
import { EventDispatcher } from './db/event-dispatcher.ts';
import { migrations } from './db/migrations/list.ts';
import { migrate } from './db/migrator.ts';
import { openDatabase } from './db/open.ts';
import type { ServerScope } from './db/scope.ts';
import { createScopeFactory } from './db/scopes.ts';
import { DeviceActivity, deviceReader } from './device/device-activity.ts';
import { bodyReader } from './engine/event-bodies.ts';
import type { ServerFetch } from './engine/server-fetch.ts';
import { createServerFetch } from './engine/server-fetch.ts';
import { JobQueue } from './jobs/queue.ts';
import { JobRunner } from './jobs/runner.ts';
import type { MailTransport } from './mail/transport.ts';
import { outboxTransport, smtpTransport } from './mail/transport.ts';
import { openPhotoStorage } from './photos/photos.ts';
import { resources } from './resources.ts';
import type { Settings } from './settings/settings.ts';

/** What everything else stands on: the database and its scopes, jobs, mail, files, the key pair. */
export interface Foundation {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The names of the migrations that this start has applied. */
  readonly migrated: readonly string[];
  /** No other server uses the database: it is SQLite. */
  readonly isAlone: boolean;
  readonly events: EventDispatcher;
  readonly scopes: ReturnType<typeof createScopeFactory>;
  readonly server: () => ServerScope;
  readonly deviceActivity: DeviceActivity;
  readonly keyPair: KeyPair;
  readonly queue: JobQueue;
  readonly runner: JobRunner;
  readonly mail: MailTransport;
  readonly config: GlobalConfig;
  readonly fetch: ServerFetch;
  readonly files: Awaited<ReturnType<typeof openPhotoStorage>>;
  /** Last of all: nothing works afterwards. */
  close(): Promise<void>;
}

/** Opens the database, brings it up to date, and loads or makes what a server keeps. Throws NewerDatabase, Failure `unavailable`. */
export async function layFoundation(
  settings: Settings,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<Foundation> {
  const database = openDatabase(settings.DATABASE_URL, settings.DATA_DIR, (error) =>
    logger.warn({ reason: error.message }, 'a connection to the database was lost'),
  );
  const isAlone = settings.DATABASE_URL === null;
  const migrated = await migrate(database, migrations, {
    clock,
    log: logger,
    copies: join(settings.DATA_DIR, 'copies'),
  });

  const events = new EventDispatcher(clock);
  const deviceActivity = new DeviceActivity(() => server(), clock, logger);
  const scopes = createScopeFactory({
    database,
    clock,
    events,
    bodies: bodyReader(resources, { Device: deviceReader(deviceActivity), User: userReader }),
  });
  const server = (): ServerScope => scopes(logger);

  const keyStore = isAlone ? fileKeyStore(keyFile(settings.DATA_DIR)) : databaseKeyStore(server);
  const keyPair = await loadKeyPair(keyStore);
  const queue = new JobQueue();
  const runner = new JobRunner({ queue, scope: server, clock, log: logger });
  const mail = settings.SMTP_URL
    ? smtpTransport(settings.SMTP_URL, settings.MAIL_FROM, clock)
    : outboxTransport(join(settings.DATA_DIR, 'outbox'), settings.MAIL_FROM, clock, logger);
  const config = new GlobalConfig(server);
  await config.ensureDefaults({ TOS_URL: settings.TOS_URL ?? '', PRIV_URL: settings.PRIVACY_URL ?? '' });

  const fetch = createServerFetch({ allowsPrivate: settings.FETCH_PRIVATE_ADDRESSES });
  const files = await openPhotoStorage(settings.DATA_DIR, settings.STORAGE_URL, logger);

  return {
    clock,
    logger,
    migrated,
    isAlone,
    events,
    scopes,
    server,
    deviceActivity,
    keyPair,
    queue,
    runner,
    mail,
    config,
    fetch,
    files,
    async close() {
      mail.close();
      files.storage.close();
      await database.close();
    },
  };
}
