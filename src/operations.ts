import type { Logger } from 'pino';
import { assertNotMoved } from './accounts/moved-database.ts';
import type { PasswordCost } from './accounts/passwords.ts';
import type { EndSessions } from './accounts/services.ts';
import { userReader, users } from './accounts/users.ts';
import { systemClock } from './core/clock.ts';
import { version } from './core/version.ts';
import type { AnnouncedRecords } from './db/announced-records.ts';
import type { ServerScope } from './db/scope.ts';
import { DeviceActivity, deviceReader } from './device/device-activity.ts';
import { devices } from './device/devices.ts';
import type { Gardens } from './device/gardens.ts';
import { announcedRecords } from './engine/announced-records.ts';
import type { Foundation } from './foundation.ts';
import { openFoundation } from './foundation.ts';
import { ServerUrls } from './http/server-urls.ts';
import { loggedResources, resourceRights } from './resources.ts';
import { accountRules } from './settings/derived-settings.ts';
import type { Settings } from './settings/settings.ts';
import { hasBroker, quotaLimits } from './settings/settings.ts';

/** The operations of the command line on the data of a server: each function opens the operations on a subject. */
export type Operations = ReturnType<typeof createOperations>;

/** The opened operations by subject. */
export type OperationsBySubject = {
  readonly [Subject in Exclude<keyof Operations, 'close'>]: Awaited<ReturnType<Operations[Subject]>>;
};

export interface OperationOptions {
  readonly settings: Settings;
  readonly urls: ServerUrls;
  readonly deviceActivity: DeviceActivity;
  /** The cost of password hashes; undefined: the default. */
  readonly passwordCost?: PasswordCost | undefined;
}

/** Creates the operations on an open database. Each subject loads its own modules: commands start fast. [ADR 32] */
export function createOperations(foundation: Foundation, options: OperationOptions) {
  const { server, queue, clock, logger } = foundation;
  const { settings, urls, deviceActivity, passwordCost } = options;
  const closers: (() => void | Promise<void>)[] = [];
  const endSessions: EndSessions = async (...session) => {
    const { enqueueSessionEnd } = await import('./live/session-ends.ts');
    if (hasBroker(settings)) await enqueueSessionEnd(queue)(...session);
  };

  async function loadGardens(): Promise<Gardens> {
    const { copyLimits } = await import('./operating/copied-limits.ts');
    const { layoutOf } = await import('./pages/web-app-layout.ts');
    const { scheduleReplacedAccountDeletion } = await import('./transfer/replaced-accounts.ts');
    const { openGardens } = await import('./upkeep/gardens.ts');
    const layout = settings.WEB_APP_DIR === null ? null : await layoutOf(settings.WEB_APP_DIR);
    return openGardens({
      queue,
      needsSeedAlert: layout?.needsSeedAlert ?? false,
      endSessions,
      copyLimits,
      deleteArchives: scheduleReplacedAccountDeletion,
    });
  }

  /** Loads the key and the other needs of new sessions. */
  async function openSessionServices() {
    const { GlobalConfig } = await import('./accounts/global-config.ts');
    const { loadServerKey } = await import('./accounts/server-key.ts');
    const { TokenSigner } = await import('./accounts/token-signer.ts');
    const { UserActivity } = await import('./accounts/user-activity.ts');
    const { hostOf } = await import('./http/host.ts');
    const { brokerVhost } = await import('./live/broker.ts');
    const { createQuotas } = await import('./operating/account-usage.ts');
    const base = new URL(urls.base());
    const keyPair = await loadServerKey(foundation, new GlobalConfig(server));
    return {
      signer: new TokenSigner(keyPair, clock, brokerVhost(settings.BROKER_URL)),
      activity: new UserActivity(server, clock, logger),
      quotas: createQuotas(quotaLimits(settings)),
      rules: accountRules(settings),
      addresses: urls.forToken({ host: hostOf(base), isSecure: base.protocol === 'https:' }),
      jobs: queue,
      endSessions,
    };
  }

  return {
    async users() {
      const { userOperations } = await import('./accounts/user-operations.ts');
      const { Passwords } = await import('./accounts/passwords.ts');
      const passwords = new Passwords(passwordCost);
      return userOperations(server, { passwords, jobs: queue, gardens: await loadGardens(), endSessions });
    },
    async sessions() {
      const { sessionOperations } = await import('./accounts/session-operations.ts');
      return sessionOperations(server, queue, endSessions, openSessionServices);
    },
    async quotas() {
      const { quotaOperations } = await import('./operating/account-usage.ts');
      return quotaOperations(server, quotaLimits(settings));
    },
    async devices() {
      const { deviceOperations } = await import('./operating/device-operations.ts');
      return deviceOperations({ server });
    },
    async sequences() {
      const { sequenceOperations } = await import('./operating/sequence-operations.ts');
      const { createQuotas } = await import('./operating/account-usage.ts');
      const quotas = createQuotas(quotaLimits(settings));
      return sequenceOperations({ server, publishing: { gardens: await loadGardens(), quotas } });
    },
    async releases() {
      const { releaseOperations } = await import('./operating/release-operations.ts');
      return releaseOperations({ server });
    },
    async bulletins() {
      const { bulletinOperations } = await import('./operating/bulletin-operations.ts');
      return bulletinOperations({ server });
    },
    async feedback() {
      const { feedbackOperations } = await import('./operating/feedback.ts');
      return feedbackOperations({ server });
    },
    async reload() {
      const { reloadOperations } = await import('./operating/reload-announcement.ts');
      return reloadOperations({ server, queue, revision: version.slice(0, 8) });
    },
    async jobs() {
      const { jobOperations } = await import('./operating/job-operations.ts');
      return jobOperations({ server, queue });
    },
    async transfer() {
      const { transferOperations } = await import('./transfer/transfer-operations.ts');
      const { UserActivity } = await import('./accounts/user-activity.ts');
      const { createQuotas } = await import('./operating/account-usage.ts');
      const { openPhotoStorage } = await import('./photos/storage-selection.ts');
      const { storage } = await openPhotoStorage(foundation.dataDir, settings.STORAGE_URL, logger);
      closers.push(() => storage.close());
      return transferOperations(foundation, {
        accounts: {
          activity: new UserActivity(server, clock, logger),
          addresses: (call) => urls.forToken(call),
          baseUrl: () => urls.base(),
        },
        deviceActivity,
        storage,
        quotas: createQuotas(quotaLimits(settings)),
        gardens: await loadGardens(),
        crops: async () => (await import('./garden/crop-search.ts')).loadCrops(settings.CROPS_FILE),
      });
    },
    /** Closes everything that the operations have opened, except the database. */
    async close(): Promise<void> {
      for (const close of closers) await close();
    },
  };
}

/** Returns the kinds of records whose changes are logged and announced. */
export const loggedRecords = (deviceActivity: DeviceActivity): AnnouncedRecords =>
  announcedRecords(loggedResources, {
    Device: { table: devices.name, read: deviceReader(deviceActivity), isHistory: true },
    User: { table: users.name, read: userReader, isHistory: false },
  });

/** A server's database, open for a command. */
export interface CommandSession {
  readonly operations: Operations;
  /** The names of the migrations that were applied. */
  readonly migrated: readonly string[];
  server(): ServerScope;
  close(): Promise<void>;
}

/** Opens and migrates the database for a command. The serving process announces its changes. Throws NewerDatabaseError, Failure `unavailable`. */
export async function openCommandSession(settings: Settings, logger: Logger): Promise<CommandSession> {
  const deviceActivity = new DeviceActivity(systemClock, logger);
  const records = loggedRecords(deviceActivity);
  const options = { clock: systemClock, logger, records, resourceRights, assertUsable: assertNotMoved };
  const foundation = await openFoundation(settings, options);
  const { server, migrated } = foundation;
  const operations = createOperations(foundation, { settings, urls: new ServerUrls(settings), deviceActivity });
  return {
    operations,
    migrated,
    server,
    async close() {
      await operations.close();
      await foundation.close();
    },
  };
}
