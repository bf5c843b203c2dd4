import { openAccounts } from './accounts/accounts.ts';
import { privateCalls } from './accounts/first-account.ts';
import { isHostedRobot } from './accounts/hosted-robots.ts';
import type { PasswordCost } from './accounts/passwords.ts';
import { openAi } from './ai/ai.ts';
import { openDevice } from './device/device.ts';
import type { DeviceActivity } from './device/device-activity.ts';
import { syncSources } from './device/sync.ts';
import type { OwnConnections } from './engine/own-connections.ts';
import { resourceRoutes } from './engine/resource-routes.ts';
import { constantSource } from './engine/sync-source.ts';
import type { Foundation, Room } from './foundation.ts';
import { compatibilityModes } from './garden/compatibility.ts';
import type { CropSearch } from './garden/crop-search.ts';
import { firstPartyFarmwares } from './garden/first-party-farmwares.ts';
import { openGarden } from './garden/garden.ts';
import { openHealth } from './health/health.ts';
import { openHistory } from './history/history.ts';
import { gardenUsers } from './home-assistant/garden-users.ts';
import { openHomeAssistant } from './home-assistant/home-assistant.ts';
import { trustedProxy } from './http/proxy.ts';
import type { ServerUrls } from './http/server-urls.ts';
import type { UnknownProxies } from './http/unknown-proxies.ts';
import { announceAgain } from './live/announcement.ts';
import { brokerVhost } from './live/broker.ts';
import { openLive } from './live/live.ts';
import { logPublisher } from './live/log-publisher.ts';
import { RobotCursors } from './live/robots/robot-cursors.ts';
import { enqueueSessionEnd } from './live/session-ends.ts';
import { openNotifications } from './notifications/notifications.ts';
import { createQuotas } from './operating/account-usage.ts';
import { copyLimits } from './operating/copied-limits.ts';
import { openOperating } from './operating/operating.ts';
import type { ConsolePage } from './pages/console-page.ts';
import { linkPages } from './pages/link-pages.ts';
import { openPages } from './pages/pages.ts';
import { incomingFolder } from './photos/photo-storage.ts';
import { openPhotos } from './photos/photos.ts';
import { openPrograms } from './programs/programs.ts';
import { resources } from './resources.ts';
import { openRuns } from './runs/runs.ts';
import { robotChoices } from './seeding/product-lines.ts';
import { openSeeding } from './seeding/seeding.ts';
import { demoSeeding } from './seeding/seeding-jobs.ts';
import { openSeries } from './series/series.ts';
import { accountRules } from './settings/derived-settings.ts';
import type { Settings } from './settings/settings.ts';
import { hasBroker, hasBrokerSocket, quotaLimits } from './settings/settings.ts';
import { openSimulator } from './simulator/simulator.ts';
import { runsRobot } from './simulator/virtual-robot-rows.ts';
import { openStreams } from './streams/streams.ts';
import { openTimeline } from './timeline/timeline.ts';
import { openToday } from './today/today.ts';
import { scheduleReplacedAccountDeletion } from './transfer/replaced-accounts.ts';
import { openTransfer } from './transfer/transfer.ts';
import { openGardens } from './upkeep/gardens.ts';
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
  readonly crops: () => Promise<CropSearch>;
}

/** All rooms, in the order in which they start. */
export type Rooms = Awaited<ReturnType<typeof openRooms>>;

/** Opens every room, each with its settings and the offers of rooms before it. Throws Failure `unavailable`. */
export async function openRooms(foundation: Foundation, options: RoomOptions) {
  const { settings, urls, version, passwordCost, console, hasWebApp } = options;
  const { messages, queue, logger, dataDir } = foundation;
  const { PUBLISHER: publisher, RATE_LIMITS: hasRateLimits } = settings;
  const vhost = brokerVhost(settings.BROKER_URL);
  const compatibility = compatibilityModes[settings.COMPATIBILITY];
  const baseUrl = () => urls.base();
  const rules = accountRules(settings);
  const quotas = createQuotas(quotaLimits(settings));
  const endSessions = hasBroker(settings) ? enqueueSessionEnd(queue) : async () => undefined;
  const gardens = openGardens({
    queue,
    needsSeedAlert: options.needsSeedAlert,
    endSessions,
    copyLimits,
    deleteArchives: scheduleReplacedAccountDeletion,
  });

  const cursors = new RobotCursors(foundation.changes, foundation.server);

  const device = openDevice(foundation, {
    activity: options.deviceActivity,
    gardens,
    quotas,
    sync: syncSources(options.deviceActivity, resources, [
      constantSource('first_party_farmwares', firstPartyFarmwares),
    ]),
    deletesAllLogs: compatibility.deletesAllLogs,
    aiModel: settings.AI_MODEL,
    publishLog: logPublisher(messages, logger),
    announceAgain: announceAgain(messages, logger),
    // Robots that the server runs begin with a synchronization each time.
    robotSyncs: async (scope, { session }) => (isHostedRobot(session.jti) ? undefined : cursors.synced(scope)),
  });
  const accounts = await openAccounts(foundation, {
    rules,
    gardens,
    device,
    quotas,
    endSessions,
    baseUrl,
    addresses: (call) => urls.forToken(call),
    hostedAddresses: () => urls.forHostedRobots(settings.BROKER_URL),
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
    isPrivateCall: privateCalls({
      hidesAddresses: settings.IN_CONTAINER,
      publicHost: settings.PUBLIC_URL && new URL(settings.PUBLIC_URL).hostname,
    }),
    pages: linkPages(console, hasWebApp),
  });
  const photos = await openPhotos(foundation, { bucket: settings.STORAGE_URL, quotas, device, gardens });
  const garden = openGarden(foundation, { compatibility, device, gardens, crops: options.crops });
  const programs = openPrograms(foundation, { accounts, gardens, quotas, publisher });
  const live = await openLive(foundation, {
    accounts,
    device,
    programs,
    quotas,
    gardenUsers: settings.HOME_ASSISTANT === 'on' ? gardenUsers(accounts.rightsOf) : null,
    embedded: settings.MQTT_PORT > 0 ? embeddedBroker(settings) : null,
    rabbitMq: settings.BROKER_URL ? { url: settings.BROKER_URL, managementUrl: settings.BROKER_MANAGEMENT_URL } : null,
    adminPassword: settings.BROKER_ADMIN_PASSWORD,
    hookAddresses: settings.BROKER_HOOKS_FROM,
    limitsRates: hasRateLimits,
    vhost,
    cursors,
    runsRobot,
    hasLimitedReaders: async (scope) => (await accounts.hasOtherMembers(scope)) || (await runsRobot(scope)),
  });
  const streams = openStreams(foundation, { accounts, device, live });
  const others: readonly Room[] = [
    photos,
    accounts,
    device,
    openUpkeep(foundation, {
      accounts,
      deletesInactiveAccounts: settings.INACTIVE_ACCOUNTS === 'delete' && settings.SMTP_URL !== null,
      publisher,
      quotas,
      historyDays: settings.HISTORY_DAYS,
    }),
    openSeeding(foundation, { crops: options.crops, device, photos, publisher, quotas, baseUrl }),
    garden,
    openTransfer(foundation, {
      accounts: accounts.services,
      deviceActivity: device.activity,
      storage: photos.storage,
      quotas,
      gardens,
      crops: options.crops,
    }),
    openSeries(foundation, { days: settings.SERIES_DAYS }),
    openToday(foundation, { crops: options.crops, device, live }),
    openTimeline(foundation, { crops: options.crops, isLimited: hasRateLimits }),
    programs,
    openAi(foundation, {
      accounts,
      device,
      garden,
      gardens,
      service: settings.AI_URL ? { url: settings.AI_URL, key: settings.AI_KEY, model: settings.AI_MODEL } : null,
      dailyQuestions: settings.AI_DAILY_QUESTIONS,
    }),
    openWebhooks(foundation, { accounts, device, gardens, live, quotas, baseUrl }),
    openNotifications(foundation, { accounts, device, gardens, live, programs, baseUrl }),
    openOperating(foundation, {
      operator: settings.OPERATOR_EMAIL,
      accounts,
      quotas,
      live,
      backupFolder: async () =>
        (await import('./backup/server-folder.ts')).serverBackupFolder(foundation, version, !!settings.STORAGE_URL),
    }),
    await openHealth(foundation, {
      live,
      uploadFolder: incomingFolder(dataDir),
      hasMetrics: settings.METRICS,
      metricsToken: settings.METRICS_TOKEN,
      trustsLocal: settings.TRUST_PROXY === false,
      proxyProblem: () => options.unknownProxies.problem,
    }),
    openHomeAssistant(foundation, { accounts, device, garden, photos, live, baseUrl, broker: settings.HOME_ASSISTANT }),
    openRuns(foundation, { accounts, garden, programs, live }),
    openSimulator(foundation, {
      accounts,
      gardens,
      live,
      limit: settings.VIRTUAL_ROBOTS,
      hasBroker: hasBroker(settings),
      addresses: () => ({ server: urls.local(), webSocket: hasBrokerSocket(settings) }),
      connections: options.ownConnections,
    }),
    await openPages(foundation, console, {
      accounts,
      version,
      termsUrl: settings.TOS_URL,
      privacyUrl: settings.PRIVACY_URL,
      verifies: rules.requiresVerification,
      sendsMail: settings.SMTP_URL !== null,
      hasBrokerSocket: hasBrokerSocket(settings),
      robotAddress: () => urls.forRobots(),
      hasWebApp,
      robots: robotChoices,
    }),
    streams,
    live,
  ];
  const routes = [...resources.flatMap(resourceRoutes), ...others.flatMap((room) => room.routes)];
  const history = openHistory(foundation, { routes });
  const all: readonly Room[] = [...others, history];
  return { accounts, streams, live, all, routes: [...routes, ...history.routes] };
}

/** The built-in broker's ports; the one for TLS needs a certificate. */
function embeddedBroker(settings: Settings) {
  const { HOST: host, MQTT_PORT: port, MQTTS_PORT, TLS_CERT: cert, TLS_KEY: key, TLS_HOST } = settings;
  const tls = cert && key && MQTTS_PORT > 0 ? { host: TLS_HOST, port: MQTTS_PORT, cert, key } : null;
  return { host, port, tls, addressOf: trustedProxy(settings.TRUST_PROXY).clientAddress };
}
