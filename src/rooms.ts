import type { Accounts } from './accounts/accounts.ts';
import { openAccounts } from './accounts/accounts.ts';
import { authors } from './accounts/authors.ts';
import { privateCalls } from './accounts/first-account.ts';
import { hasOtherMembers, isAdministrators, rightsOf } from './accounts/garden-rights.ts';
import type { PasswordCost } from './accounts/passwords.ts';
import { gardenLanguage, hasDevice, isOfDemoAccount } from './accounts/users.ts';
import { openAi } from './ai/ai.ts';
import { openDevice } from './device/device.ts';
import type { DeviceActivity } from './device/device-activity.ts';
import { deviceCreator } from './device/device-creation.ts';
import { deviceName, devices } from './device/devices.ts';
import { LogStore } from './device/log-store.ts';
import { logNotices } from './device/notices.ts';
import { latestImages } from './device/releases.ts';
import { syncSources } from './device/sync.ts';
import { telemetryStore } from './device/telemetry-store.ts';
import { localTime } from './device/time-zones.ts';
import type { OwnConnections } from './engine/own-connections.ts';
import { resourceRoutes } from './engine/resource-routes.ts';
import type { Route } from './engine/route.ts';
import { constantSource } from './engine/sync-source.ts';
import type { Foundation, Room } from './foundation.ts';
import { compatibilityModes } from './garden/compatibility.ts';
import type { CropCatalog } from './garden/crop-catalog.ts';
import { firstPartyFarmwares } from './garden/first-party-farmwares.ts';
import { openGarden } from './garden/garden.ts';
import { peripherals } from './garden/peripherals.ts';
import { sensors } from './garden/sensors.ts';
import { tools } from './garden/tools.ts';
import { openHealth } from './health/health.ts';
import { openHistory } from './history/history.ts';
import { gardenUsers } from './home-assistant/garden-users.ts';
import { openHomeAssistant } from './home-assistant/home-assistant.ts';
import { trustedProxy } from './http/proxy.ts';
import type { ServerUrls } from './http/server-urls.ts';
import type { UnknownProxies } from './http/unknown-proxies.ts';
import { brokerVhost } from './live/broker.ts';
import type { Live } from './live/live.ts';
import { openLive } from './live/live.ts';
import { logPublisher } from './live/log-publisher.ts';
import { enqueueSessionEnd } from './live/session-ends.ts';
import { accountOf, copyLimits, createQuotas } from './operating/account-usage.ts';
import { openOperating } from './operating/operating.ts';
import type { ConsolePage } from './pages/console-page.ts';
import { linkPages } from './pages/link-pages.ts';
import { openPages } from './pages/pages.ts';
import { newestPhotoUrl } from './photos/newest-photo.ts';
import { schedulePhotoFileDeletion } from './photos/photo-removal.ts';
import { incomingFolder } from './photos/photo-storage.ts';
import { openPhotos } from './photos/photos.ts';
import { deleteFeed } from './programs/calendar-feeds.ts';
import { openPrograms } from './programs/programs.ts';
import { anonymizeAuthor } from './programs/publishing.ts';
import { commandSchema, robotRequest } from './programs/robot-requests.ts';
import { sequences } from './programs/sequences.ts';
import { resources } from './resources.ts';
import { robotChoices } from './seeding/product-lines.ts';
import { openSeeding } from './seeding/seeding.ts';
import { demoSeeding } from './seeding/seeding-jobs.ts';
import { openSeries } from './series/series.ts';
import { derivedSettings } from './settings/derived-settings.ts';
import type { Settings } from './settings/settings.ts';
import { hasBroker, hasBrokerSocket, quotaLimits } from './settings/settings.ts';
import { openSimulator } from './simulator/simulator.ts';
import { virtualRobots } from './simulator/virtual-robot-rows.ts';
import type { Streams } from './streams/streams.ts';
import { openStreams } from './streams/streams.ts';
import { scheduleReplacedAccountDeletion } from './transfer/replaced-accounts.ts';
import { openTransfer } from './transfer/transfer.ts';
import { deleteUser } from './upkeep/account-deletion.ts';
import { delegatedAccessEnding } from './upkeep/delegated-access.ts';
import { emptyDevice } from './upkeep/device-emptying.ts';
import { deleteGarden, deviceDestroyer, prepareAccountDeletion } from './upkeep/garden-deletion.ts';
import { openUpkeep } from './upkeep/upkeep.ts';
import { openWebhooks } from './webhooks/webhooks.ts';

export interface RoomOptions {
  readonly settings: Settings;
  readonly urls: ServerUrls;
  readonly deviceActivity: DeviceActivity;
  readonly ownConnections: OwnConnections;
  readonly unknownProxies: UnknownProxies;
  readonly version: string;
  readonly passwordCost: PasswordCost | undefined;
  readonly console: ConsolePage;
  readonly hasWebApp: boolean;
  /** New devices get an alert for the set-up wizard of the web app. [decision 65] */
  readonly needsSeedAlert: boolean;
  readonly crops: CropCatalog;
}

/** All rooms, in the order in which they start. */
export interface Rooms
  extends Pick<Accounts, 'authenticate' | 'confirm' | 'config' | 'hasAccounts' | 'firstAccountCode'> {
  readonly all: readonly Room[];
  /** The routes of all resources and rooms. */
  readonly routes: readonly Route[];
  readonly redeemTicket: Streams['redeemTicket'];
  readonly live: Live;
}

/** Opens every room, each with the settings it follows and what the rooms before it offer. Throws Failure `unavailable`. */
export async function openRooms(foundation: Foundation, options: RoomOptions): Promise<Rooms> {
  const { settings, urls, deviceActivity, version, passwordCost, console, hasWebApp } = options;
  const createDevice = deviceCreator(options.needsSeedAlert);
  const { messages, queue, logger } = foundation;
  const logs = new LogStore(queue);
  const { notify } = logNotices(logs, logPublisher(messages, logger), gardenLanguage);
  const { PUBLISHER: publisher, RATE_LIMITS: hasRateLimits, SIGN_UP: signUp } = settings;
  const vhost = brokerVhost(settings.BROKER_URL);
  const compatibility = compatibilityModes[settings.COMPATIBILITY];
  const baseUrl = () => urls.base();
  const destroyDevice = deviceDestroyer(queue, scheduleReplacedAccountDeletion);
  const { EMAIL_VERIFICATION: verification } = derivedSettings(settings);
  const requiresVerification = verification === 'required';
  const quotas = createQuotas(quotaLimits(settings));

  const accounts = await openAccounts(foundation, {
    rules: {
      requiresVerification,
      requiresTerms: settings.TOS_URL !== null,
      trustedDomains: settings.TRUSTED_DOMAINS,
      signUp,
      demos: settings.DEMO_ACCOUNTS,
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
    seedDemo: demoSeeding(queue),
    recordActivity: (scope, call, _userId, deviceId) => deviceActivity.recordRequest(scope, call, deviceId),
    createDevice,
    emptyDevice,
    destroyDevice,
    prepareAccountDeletion,
    anonymizeAuthor,
    endFeed: deleteFeed,
    endDelegatedAccess: delegatedAccessEnding(notify),
    endSessions: hasBroker(settings) ? enqueueSessionEnd(queue) : async () => undefined,
    isPrivateCall: privateCalls({
      hidesAddresses: settings.IN_CONTAINER,
      publicHost: settings.PUBLIC_URL && new URL(settings.PUBLIC_URL).hostname,
    }),
    pages: linkPages(console, hasWebApp),
    quotas,
  });
  const device = openDevice(foundation, {
    activity: deviceActivity,
    owners: accounts.owners,
    createDevice,
    emptyDevice,
    destroyDevice,
    copyLimits,
    sync: syncSources(deviceActivity, resources, [constantSource('first_party_farmwares', firstPartyFarmwares)]),
    deletesAllLogs: compatibility.deletesAllLogs,
    aiModel: settings.AI_MODEL,
    usage: (scope) => quotas.usage(scope),
    logs,
    notify,
  });
  const photos = await openPhotos(foundation, {
    bucket: settings.STORAGE_URL,
    quota: { quotas, notify },
    isDemo: isOfDemoAccount,
  });
  const transfer = openTransfer(foundation, {
    accounts: accounts.services,
    deviceActivity,
    storage: photos.storage,
    quotas,
    deleteGarden: (scope) => deleteGarden(scope, (each) => schedulePhotoFileDeletion(each, queue)),
  });
  const live = await openLive(foundation, {
    embedded: settings.MQTT_PORT > 0 ? embeddedBroker(settings) : null,
    rabbitMq: settings.BROKER_URL ? { url: settings.BROKER_URL, managementUrl: settings.BROKER_MANAGEMENT_URL } : null,
    adminPassword: settings.BROKER_ADMIN_PASSWORD,
    hookAddresses: settings.BROKER_HOOKS_FROM,
    allowsDemos: accounts.allowsDemos,
    limitsRates: hasRateLimits,
    vhost,
    tokens: accounts.brokerTokens,
    sessionsVersion: accounts.sessionsVersion,
    gardenUsers: settings.HOME_ASSISTANT === 'on' ? gardenUsers(rightsOf) : null,
    logs,
    telemetries: telemetryStore,
    localTime,
    notify,
    commands: {
      schema: commandSchema,
      request: robotRequest,
      limited: (scope, work) => quotas.hold(scope, 'commands_in_flight', work),
    },
    onConnect: (deviceId) => deviceActivity.recordConnection(deviceId),
    hasLimitedReaders: async (scope) =>
      (await hasOtherMembers(scope)) || (await scope.count(virtualRobots, { where: { is_running: true } })) > 0,
  });
  const streams = openStreams(foundation, {
    observe: (listener) => live.robotMessages.observe(listener),
    posted: device.postedLogs,
    currentSession: accounts.currentSession,
    sessionsVersion: accounts.sessionsVersion,
  });
  const others: readonly Room[] = [
    photos,
    accounts,
    device,
    openUpkeep(foundation, {
      accounts: accounts.services,
      deviceActivity,
      deletesInactiveAccounts: settings.INACTIVE_ACCOUNTS === 'delete' && settings.SMTP_URL !== null,
      publisher,
      quotas,
      historyDays: settings.HISTORY_DAYS,
    }),
    openSeeding(foundation, { notify, publisher, storage: photos.storage, baseUrl }),
    openGarden(foundation, { compatibility, notify, isDemo: isOfDemoAccount, crops: options.crops }),
    transfer,
    openSeries(foundation, { days: settings.SERIES_DAYS }),
    openPrograms(foundation, { publishing: { ...authors, quotas }, publisher, isMember: hasDevice }),
    openAi(foundation, {
      service: settings.AI_URL ? { url: settings.AI_URL, key: settings.AI_KEY, model: settings.AI_MODEL } : null,
      notify,
      languageOf: accounts.languageOf,
      isDemo: isOfDemoAccount,
      peripherals,
      sensors,
      tools,
      dailyQuestions: settings.AI_DAILY_QUESTIONS,
      accountOf,
    }),
    openWebhooks(foundation, {
      notify,
      alert: device.alert,
      quotas,
      rightsOf,
      isAdministrators,
      baseUrl,
      nameOf: deviceName,
      recipients: (scope) => accounts.owners.recipients(scope.server, scope.deviceId),
      robots: {
        observe: (listener) => live.robotMessages.observe(listener),
        isConnected: (deviceId) => live.directory.robots(deviceId).length > 0,
      },
    }),
    openOperating(foundation, {
      operator: settings.OPERATOR_EMAIL,
      accounts: accounts.services,
      deleteUser: (server, user) => deleteUser(server, accounts.services, user),
      usage: (scope) => quotas.usage(scope),
      broker: () => live.status(),
      backupFolder: async () =>
        (await import('./backup/server-folder.ts')).serverBackupFolder(foundation, version, !!settings.STORAGE_URL),
    }),
    await openHealth(foundation, {
      broker: () => live.status(),
      uploadFolder: incomingFolder(foundation.dataDir),
      hasMetrics: settings.METRICS,
      metricsToken: settings.METRICS_TOKEN,
      trustsLocal: settings.TRUST_PROXY === false,
      proxyProblem: () => options.unknownProxies.problem,
    }),
    openHomeAssistant(foundation, {
      broker: settings.HOME_ASSISTANT === 'on' ? live.gardens : settings.HOME_ASSISTANT,
      isAdministrators,
      devices,
      robotState: (deviceId) => live.directory.state(deviceId),
      send: (scope, program, wait) => live.commands.send(scope, program, { wait }),
      sendEmergency: (scope, kind) => live.commands.sendEmergency(scope, kind),
      tables: {
        peripherals,
        sensors,
        sequences,
        nameOf: deviceName,
        photoOf: (scope) => newestPhotoUrl(scope, baseUrl()),
        latestVersion: async (scope) => (await latestImages(scope)).rpi3_release_tag ?? null,
      },
    }),
    openSimulator(foundation, {
      limit: settings.VIRTUAL_ROBOTS,
      hasBroker: hasBroker(settings),
      isDemo: isOfDemoAccount,
      isAdministrators,
      connectedRobots: (deviceId) => live.directory.robots(deviceId),
      onRobotConnect: live.onRobotConnect,
      addresses: () => ({
        server: urls.local(),
        webSocket: hasBrokerSocket(settings),
      }),
      connections: options.ownConnections,
      sessions: {
        ...accounts.robotSessions,
        open: (scope, userId) => accounts.robotSessions.open(scope, userId, urls.forHostedRobots(settings.BROKER_URL)),
      },
    }),
    await openPages(foundation, console, {
      version,
      termsUrl: settings.TOS_URL,
      privacyUrl: settings.PRIVACY_URL,
      verifies: requiresVerification,
      sendsMail: settings.SMTP_URL !== null,
      hasBrokerSocket: hasBrokerSocket(settings),
      robotAddress: () => urls.forRobots(),
      hasWebApp,
      robots: robotChoices,
      admission: accounts.admission,
    }),
    streams,
    live,
  ];
  const routes = [...resources.flatMap(resourceRoutes), ...others.flatMap((room) => room.routes)];
  const history = openHistory(foundation, { routes });
  const { authenticate, confirm, config, hasAccounts, firstAccountCode } = accounts;
  return {
    authenticate,
    confirm,
    config,
    hasAccounts,
    firstAccountCode,
    redeemTicket: streams.redeemTicket,
    live,
    all: [...others, history],
    routes: [...routes, ...history.routes],
  };
}

/** The built-in broker's ports; the one for TLS needs a certificate. */
function embeddedBroker(settings: Settings) {
  const { HOST: host, MQTT_PORT: port, MQTTS_PORT, TLS_CERT: cert, TLS_KEY: key, TLS_HOST } = settings;
  const tls = cert && key && MQTTS_PORT > 0 ? { host: TLS_HOST, port: MQTTS_PORT, cert, key } : null;
  return { host, port, tls, addressOf: trustedProxy(settings.TRUST_PROXY).clientAddress };
}
