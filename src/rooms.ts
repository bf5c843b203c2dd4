import { openAccounts } from './accounts/accounts.ts';
import { authors } from './accounts/authors.ts';
import type { GlobalConfig } from './accounts/global-config.ts';
import type { PasswordCost } from './accounts/passwords.ts';
import { isOfDemoAccount } from './accounts/users.ts';
import { openAi } from './ai/ai.ts';
import { openDevice } from './device/device.ts';
import type { DeviceActivity } from './device/device-activity.ts';
import { deviceCreator } from './device/device-creation.ts';
import { syncSources } from './device/sync.ts';
import { telemetryStore } from './device/telemetry-store.ts';
import { localTime } from './device/time-zones.ts';
import { constantSource } from './engine/sync-source.ts';
import type { Foundation, Room } from './foundation.ts';
import { compatibilityModes } from './garden/compatibility.ts';
import { firstPartyFarmwares } from './garden/first-party-farmwares.ts';
import { openGarden } from './garden/garden.ts';
import { peripherals } from './garden/peripherals.ts';
import { sensors } from './garden/sensors.ts';
import { tools } from './garden/tools.ts';
import { openHealth } from './health/health.ts';
import { trustedProxy } from './http/proxy.ts';
import type { ServerUrls } from './http/server-urls.ts';
import { brokerVhost } from './live/broker.ts';
import type { Live } from './live/live.ts';
import { openLive } from './live/live.ts';
import { enqueueSessionEnd } from './live/session-ends.ts';
import { deviceTopic } from './live/topics.ts';
import { createQuotas } from './operating/account-usage.ts';
import { openOperating } from './operating/operating.ts';
import { noticePage, signedInPage } from './pages/page.ts';
import { openPages } from './pages/pages.ts';
import { schedulePhotoFileDeletion } from './photos/photo-removal.ts';
import { incomingFolder } from './photos/photo-storage.ts';
import { openPhotos } from './photos/photos.ts';
import { openPrograms } from './programs/programs.ts';
import { anonymizeAuthors } from './programs/publishing.ts';
import { resources } from './resources.ts';
import { openSeeding } from './seeding/seeding.ts';
import { demoSeeding } from './seeding/seeding-jobs.ts';
import type { Settings } from './settings/settings.ts';
import { hasBroker, quotaLimits } from './settings/settings.ts';
import { openTransfer } from './transfer/transfer.ts';
import { deleteGarden, deviceDestroyer, prepareAccountDeletion } from './upkeep/garden-deletion.ts';
import { openUpkeep } from './upkeep/upkeep.ts';

export interface RoomOptions {
  readonly settings: Settings;
  readonly urls: ServerUrls;
  readonly deviceActivity: DeviceActivity;
  readonly version: string;
  readonly passwordCost: PasswordCost | undefined;
  /** New devices get an alert for the set-up wizard of the web app. [decision 65] */
  readonly needsSeedAlert: boolean;
}

/** All rooms, in the order in which they start. */
export interface Rooms {
  readonly all: readonly Room[];
  readonly authenticate: Awaited<ReturnType<typeof openAccounts>>['authenticate'];
  readonly config: GlobalConfig;
  readonly live: Live;
}

/** Opens every room, each with the settings it follows and what the rooms before it offer. Throws Failure `unavailable`. */
export async function openRooms(foundation: Foundation, options: RoomOptions): Promise<Rooms> {
  const { settings, urls, deviceActivity, version, passwordCost } = options;
  const createDevice = deviceCreator(options.needsSeedAlert);
  const { messages, queue, logger } = foundation;
  const { PUBLISHER: publisher, RATE_LIMITS: hasRateLimits, SIGN_UP: signUp } = settings;
  const vhost = brokerVhost(settings.BROKER_URL);
  const compatibility = compatibilityModes[settings.COMPATIBILITY];
  const baseUrl = () => urls.base();
  const destroyDevice = deviceDestroyer(queue);
  const { EMAIL_VERIFICATION: verification } = settings;
  // [decision 60]
  const requiresVerification = verification === 'auto' ? settings.SMTP_URL !== null : verification === 'required';
  // [decision 61]
  const hasDemoAccounts = settings.DEMO_ACCOUNTS ?? signUp === 'open';

  const quotas = createQuotas(quotaLimits(settings));

  const accounts = await openAccounts(foundation, {
    rules: {
      requiresVerification,
      requiresTerms: settings.TOS_URL !== null,
      trustedDomains: settings.TRUSTED_DOMAINS,
      signUp,
      hasRateLimits,
    },
    baseUrl,
    addresses: (call) => urls.forToken(call),
    vhost,
    passwordCost,
    configDefaults: { TOS_URL: settings.TOS_URL ?? '', PRIV_URL: settings.PRIVACY_URL ?? '' },
    serverValues: {
      NODE_ENV: 'production',
      LONG_REVISION: version,
      SHORT_REVISION: version.slice(0, 8),
      MQTT_WS: settings.MQTT_WS_URL ?? '',
    },
    demoAccounts: { isOn: hasDemoAccounts, seed: demoSeeding(queue) },
    recordActivity: (scope, call, _userId, deviceId) => deviceActivity.recordRequest(scope, call, deviceId),
    createDevice,
    destroyDevice,
    prepareAccountDeletion,
    anonymizeAuthor: (scope, email) => anonymizeAuthors(scope, { cached_author_email: email }),
    endSessions: hasBroker(settings) ? enqueueSessionEnd(queue) : async () => undefined,
    pages: { signedIn: signedInPage, notice: noticePage },
    quotas,
  });
  const device = openDevice(foundation, {
    activity: deviceActivity,
    owners: accounts.owners,
    createDevice,
    destroyDevice,
    sync: syncSources(deviceActivity, resources, [constantSource('first_party_farmwares', firstPartyFarmwares)]),
    deletesAllLogs: compatibility.deletesAllLogs,
    aiModel: settings.AI_MODEL,
    usage: (scope) => quotas.usage(scope),
    publishLog: (deviceId, log) => {
      messages.publish({ topic: deviceTopic(deviceId, 'logs'), payload: log }).catch((error: unknown) =>
        // The log is stored already.
        logger.warn({ reason: String(error) }, 'a notice could not be published'),
      );
    },
  });
  const { notify, logs } = device;
  const photos = await openPhotos(foundation, {
    bucket: settings.STORAGE_URL,
    quota: { quotas, notify },
    isDemo: isOfDemoAccount,
  });
  const transfer = openTransfer(foundation, {
    ...{ accounts: accounts.services, deviceActivity, storage: photos.storage, quotas },
    deleteGarden: (scope) => deleteGarden(scope, (each) => schedulePhotoFileDeletion(each, queue)),
  });
  const live = await openLive(foundation, {
    embedded: settings.MQTT_PORT > 0 ? embeddedBroker(settings) : null,
    rabbitMq: settings.BROKER_URL ? { url: settings.BROKER_URL, managementUrl: settings.BROKER_MANAGEMENT_URL } : null,
    adminPassword: settings.BROKER_ADMIN_PASSWORD,
    hookAddresses: settings.BROKER_HOOKS_FROM,
    allowsDemoLogins: hasDemoAccounts,
    limitsRates: hasRateLimits,
    vhost,
    tokens: accounts.brokerTokens,
    logs,
    telemetries: telemetryStore,
    localTime,
    notify,
    onConnect: (deviceId) => deviceActivity.recordConnection(deviceId),
  });
  return {
    authenticate: accounts.authenticate,
    config: accounts.config,
    live,
    all: [
      photos,
      accounts,
      device,
      openUpkeep(foundation, {
        accounts: accounts.services,
        deviceActivity,
        deletesInactiveAccounts: settings.INACTIVE_ACCOUNTS === 'delete' && settings.SMTP_URL !== null,
        publisher,
      }),
      openSeeding(foundation, { notify, publisher, storage: photos.storage, baseUrl }),
      openGarden(foundation, { compatibility, notify, isDemo: isOfDemoAccount }),
      transfer,
      openPrograms(foundation, { authors, publisher }),
      openAi(foundation, {
        service: settings.AI_URL ? { url: settings.AI_URL, key: settings.AI_KEY, model: settings.AI_MODEL } : null,
        ...{ notify, languageOf: accounts.languageOf, isDemo: isOfDemoAccount, peripherals, sensors, tools },
        dailyQuestions: settings.AI_DAILY_QUESTIONS,
      }),
      openOperating(foundation, { operator: settings.OPERATOR_EMAIL }),
      await openHealth(foundation, {
        broker: () => live.status(),
        uploadFolder: incomingFolder(foundation.dataDir),
        hasMetrics: settings.METRICS,
        metricsToken: settings.METRICS_TOKEN,
        trustsLocal: settings.TRUST_PROXY === false,
      }),
      openPages(foundation, {
        termsUrl: settings.TOS_URL,
        privacyUrl: settings.PRIVACY_URL,
        signUp,
        verifies: requiresVerification,
        sendsMail: settings.SMTP_URL !== null,
        robotAddress: baseUrl,
      }),
      live,
    ],
  };
}

/** The built-in broker's ports; the one for TLS needs a certificate. */
function embeddedBroker(settings: Settings) {
  const { HOST: host, MQTT_PORT: port, MQTTS_PORT, TLS_CERT: cert, TLS_KEY: key } = settings;
  const tls = cert && key && MQTTS_PORT > 0 ? { port: MQTTS_PORT, cert, key } : null;
  return { host, port, tls, addressOf: trustedProxy(settings.TRUST_PROXY).clientAddress };
}
