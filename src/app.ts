import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { Logger as PinoLogger } from 'pino';
import { pino } from 'pino';
import { registerAccountJobs } from './accounts/account-jobs.ts';
import { accountRoutes } from './accounts/account-routes.ts';
import { authenticator } from './accounts/authenticator.ts';
import { brokerTokens } from './accounts/broker-tokens.ts';
import { demoAccountRoutes } from './accounts/demo-account-routes.ts';
import { demoCleanupJob } from './accounts/demo-accounts.ts';
import { globalConfigRoute, publicConfig } from './accounts/global-config.ts';
import { hasGuestAddress } from './accounts/guests.ts';
import { MailRateLimit } from './accounts/mail-rate-limit.ts';
import type { PasswordCost } from './accounts/passwords.ts';
import { Passwords } from './accounts/passwords.ts';
import type { AccountServices } from './accounts/services.ts';
import { TokenResolver } from './accounts/token-resolver.ts';
import { TokenSigner } from './accounts/token-signer.ts';
import { UserActivity } from './accounts/user-activity.ts';
import { deviceOwners, users } from './accounts/users.ts';
import { aiRoute } from './ai/ai-route.ts';
import { LanguageModel } from './ai/language-model.ts';
import type { Clock } from './core/clock.ts';
import { systemClock } from './core/clock.ts';
import { Counters } from './core/counters.ts';
import type { EventListener } from './core/events.ts';
import { pollInterval } from './db/event-dispatcher.ts';
import type { ServerScope } from './db/scope.ts';
import { createDevice, destroyDevice } from './device/device-creation.ts';
import { logMailJobs } from './device/log-mails.ts';
import { LogStore } from './device/log-store.ts';
import { logNotices } from './device/notices.ts';
import { latestImages } from './device/releases.ts';
import { deviceRoutes } from './device/routes.ts';
import { syncSources } from './device/sync.ts';
import { telemetryStore } from './device/telemetry-store.ts';
import { localTime } from './device/time-zones.ts';
import { resourceRoutes } from './engine/resource-routes.ts';
import type { Route } from './engine/route.ts';
import { constantSource } from './engine/sync-source.ts';
import { layFoundation } from './foundation.ts';
import { compatibilityModes } from './garden/compatibility.ts';
import { manifestJob } from './garden/farmware-manifest.ts';
import { firstPartyFarmwares } from './garden/first-party-farmwares.ts';
import { peripherals } from './garden/peripherals.ts';
import { gardenRoutes } from './garden/routes.ts';
import { sensors } from './garden/sensors.ts';
import { tools } from './garden/tools.ts';
import { HealthCheck } from './health/health.ts';
import { healthRoutes } from './health/health-routes.ts';
import { createMetrics } from './health/metrics.ts';
import type { HttpOptions } from './http/context.ts';
import { createHttp, documentedRoutes } from './http/http.ts';
import { openApiDocument } from './http/openapi.ts';
import { trustedProxy } from './http/proxy.ts';
import { publicBaseUrl, tokenUrls } from './http/server-urls.ts';
import { brokerVhost } from './live/broker.ts';
import { Live } from './live/live.ts';
import { reloadAnnouncement } from './operating/reload-announcement.ts';
import { updateRequests } from './operating/update-requests.ts';
import type { Operations } from './operations.ts';
import { createOperations } from './operations.ts';
import { noticePage, signedInPage } from './pages/page.ts';
import { pageRoutes } from './pages/page-routes.ts';
import type { WebApp, WebAppOptions } from './pages/web-app.ts';
import { openWebApp } from './pages/web-app.ts';
import { placeholderPath } from './photos/images.ts';
import { discardPreparedPhoto, preparePhoto } from './photos/photo-records.ts';
import { scheduleDeviceFileDeletion, schedulePhotoFileDeletion } from './photos/photo-removal.ts';
import { photoJobs, photoRoutes } from './photos/photos.ts';
import { farmEventPurge } from './programs/farm-event-purge.ts';
import type { AuthorDirectory } from './programs/publishing.ts';
import { anonymizeAuthors } from './programs/publishing.ts';
import { programRoutes } from './programs/routes.ts';
import { resources } from './resources.ts';
import { demoSeeding, seedingJob } from './seeding/seeding-jobs.ts';
import { seedingRoutes } from './seeding/seeding-routes.ts';
import { renderSoilPhoto } from './seeding/soil-photo.ts';
import type { Settings } from './settings/settings.ts';
import { SettingsError } from './settings/settings.ts';
import { createTransfer } from './transfer/transfer.ts';
import type { DeletePhotos } from './upkeep/garden-deletion.ts';
import { deleteGarden, prepareAccountDeletion } from './upkeep/garden-deletion.ts';
import { upkeepJobs, upkeepRoutes } from './upkeep/upkeep.ts';

/** The running program, composed and not yet listening. */
export interface App {
  readonly http: ReturnType<typeof createHttp>;
  /** Begins to serve. `robotAddress` is what one types into a robot. */
  listen(): Promise<{ address: string; robotAddress: string }>;
  /** Requests in flight finish, jobs under way too; what is in memory is written. */
  close(): Promise<void>;
  openapi(): object;
  /** Has a listener told of every announced change, from those an earlier run left. */
  attach(listener: EventListener): Promise<void>;
  /** A scope of the whole server, for commands and tests. */
  server(): ServerScope;
  /** Runs the jobs that are due, for tests. */
  runJobs(): Promise<void>;
  readonly migrated: readonly string[];
  /** What the command line offers. */
  readonly operations: Operations;
}

export interface AppOptions {
  readonly logger?: PinoLogger;
  readonly clock?: Clock;
  readonly onReply?: HttpOptions['onReply'];
  /** For tests: password hashes cheaper than the default. */
  readonly passwordCost?: PasswordCost;
  /** It never serves: what it changes is left for the process that does, which announces it. */
  readonly isCommand?: true;
}

const version = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
  .version;

/** How long a stop waits for requests in flight before the broker stops too, in ms; they are answered all the same. */
const inFlightTime = 1000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** What the port for encrypted connections needs; null: it stays closed. */
const tlsOf = ({ MQTTS_PORT, TLS_CERT, TLS_KEY }: Settings) =>
  TLS_CERT && TLS_KEY && MQTTS_PORT > 0 ? { port: MQTTS_PORT, cert: TLS_CERT, key: TLS_KEY } : null;

/** Finds the vendor's web app. Throws a SettingsError where there is none. */
async function foundWebApp(options: WebAppOptions): Promise<WebApp> {
  const webApp = await openWebApp(options);
  if (webApp) return webApp;
  const sentence =
    'WEB_APP_DIR must be the folder `public` of a built copy of the web app, with `assets/dist` or `assets/parcel` in it.';
  throw new SettingsError([{ name: 'WEB_APP_DIR', sentence }]);
}

/** Composes the program from its settings and brings the database up to date. It never listens by itself and never reads the environment. Throws NewerDatabase, SettingsError, Failure `unavailable`. */
export async function createApp(settings: Settings, options: AppOptions = {}): Promise<App> {
  const { clock = systemClock, logger = pino({ level: settings.LOG_LEVEL }) } = options;
  // First of all: nothing is touched when it is not there.
  const webApp =
    settings.WEB_APP_DIR === null || options.isCommand
      ? null
      : await foundWebApp({
          folder: settings.WEB_APP_DIR,
          addresses: (call) => tokenUrls(call, settings),
          config: async (scope, call) => ({
            ...(await publicConfig(config, scope, tokenUrls(call, settings).mqttWs)),
            ...(await latestImages(scope)),
          }),
        });
  const foundation = await layFoundation(settings, { clock, logger });
  const { events, scopes, server, deviceActivity, queue, runner, mail, config, fetch, files, isAlone } = foundation;
  const vhost = brokerVhost(settings.BROKER_URL);
  const compatibility = compatibilityModes[settings.COMPATIBILITY];

  const photos = { ...files, jobs: queue, fetch };
  const deletePhotos: DeletePhotos = (scope) => schedulePhotoFileDeletion(scope, queue);
  /** Deletes a device with the files of its photos, and its people's address from what outlives it. */
  const destroyWithTraces = async (scope: ServerScope, deviceId: number): Promise<void> => {
    await scheduleDeviceFileDeletion(scope, queue, deviceId);
    await anonymizeAuthors(scope, { device_id: deviceId });
    await destroyDevice(scope, deviceId);
  };

  let takeOver: NodeJS.Timeout | undefined;
  let port = settings.PORT;
  const accounts: AccountServices = {
    rules: {
      requiresVerification: settings.EMAIL_VERIFICATION === 'required',
      requiresTerms: settings.TOS_URL !== null,
      trustedDomains: settings.TRUSTED_DOMAINS,
      signUp: settings.SIGN_UP,
      hasRateLimits: settings.RATE_LIMITS,
      // A getter: with PORT=0 the port is known only once the server listens.
      get mailBase() {
        return publicBaseUrl(settings, port);
      },
    },
    keyPair: foundation.keyPair,
    signer: new TokenSigner(foundation.keyPair, clock, vhost),
    passwords: new Passwords(options.passwordCost),
    activity: new UserActivity(server, clock, logger),
    mailLimit: new MailRateLimit(clock),
    jobs: queue,
    addresses: (call) => tokenUrls(call, settings),
    recordActivity: (scope, call, _userId, deviceId) => deviceActivity.recordRequest(scope, call, deviceId),
    createDevice,
    destroyDevice: destroyWithTraces,
    prepareAccountDeletion,
    anonymizeAuthor: (scope, email) => anonymizeAuthors(scope, { cached_author_email: email }),
    endSessions: (scope, deviceId, how) => live.endSessions(scope, deviceId, how),
    pages: { signedIn: signedInPage, notice: noticePage },
  };
  const logBook = new LogStore(queue);
  const notices = logNotices(logBook, (deviceId, log) => live.publishLog(deviceId, log));
  const owners = deviceOwners(accounts.endSessions);
  const authors: AuthorDirectory = {
    isDemoDevice: async (scope) => (await scope.rows(users)).some(hasGuestAddress),
    emailAddresses: owners.addresses,
  };
  const holders = new TokenResolver(accounts.signer);
  const counters = new Counters();
  const live = new Live({
    embedded:
      settings.MQTT_PORT > 0
        ? {
            host: settings.HOST,
            port: settings.MQTT_PORT,
            tls: tlsOf(settings),
            addressOf: trustedProxy(settings.TRUST_PROXY).clientAddress,
          }
        : null,
    rabbitMq: settings.BROKER_URL ? { url: settings.BROKER_URL, managementUrl: settings.BROKER_MANAGEMENT_URL } : null,
    adminPassword: settings.BROKER_ADMIN_PASSWORD,
    hookAddresses: settings.BROKER_HOOKS_FROM,
    allowsDemoLogins: settings.DEMO_ACCOUNTS,
    limitsRates: settings.RATE_LIMITS,
    vhost,
    tokens: brokerTokens(holders),
    logs: logBook,
    telemetries: telemetryStore,
    localTime,
    // Devices share a commit on SQLite; on PostgreSQL each holds a connection.
    maxConcurrentDevices: isAlone ? 128 : 4,
    notify: notices.notify,
    onConnect: (deviceId) => deviceActivity.recordConnection(deviceId),
    queue,
    server,
    clock,
    counters,
    log: logger,
  });

  const transfer = createTransfer({
    server,
    clock,
    dataDir: settings.DATA_DIR,
    deviceActivity,
    userActivity: accounts.activity,
    photos: photos.storage,
    fetch,
    queue,
    passwords: accounts.passwords,
    mail,
    sendsMail: settings.SMTP_URL !== null,
    deleteGarden: (scope) => deleteGarden(scope, deletePhotos),
    issuer: (call) => tokenUrls(call, settings).iss,
    mailBase: () => accounts.rules.mailBase,
  });
  const broker = () => live.status();
  const metrics = settings.METRICS ? await createMetrics({ counters, broker, server, log: logger }) : null;

  registerAccountJobs(runner, accounts, mail);
  for (const { kind, handle, ...limits } of [
    manifestJob(fetch),
    ...logMailJobs({ queue, owners, mail }),
    ...photoJobs(photos),
    ...transfer.jobs,
    ...live.jobs,
    updateRequests((message) => live.publish(message)),
    reloadAnnouncement((message) => live.publish(message)),
    demoCleanupJob(accounts),
    farmEventPurge(queue),
    ...upkeepJobs({
      accounts,
      deviceActivity,
      mail,
      deletePhotos,
      deletesInactiveAccounts: settings.INACTIVE_ACCOUNTS === 'delete' && settings.SMTP_URL !== null,
      publisher: settings.PUBLISHER,
    }),
    seedingJob({
      notify: notices.notify,
      publisher: settings.PUBLISHER,
      storeSoilPhoto: async (deviceId, key) => {
        const origin = publicBaseUrl(settings, port);
        const prepared = await preparePhoto(photos.storage, deviceId, await renderSoilPhoto(), key);
        return { ...prepared, origin, attachment_url: `${origin}${placeholderPath}` };
      },
      deleteSoilPhoto: (deviceId, picture) => discardPreparedPhoto(photos.storage, deviceId, picture),
    }),
  ])
    runner.register(kind, handle, limits);
  await runner.planSchedules();

  const ownRoutes: readonly Route[] = [
    ...resources.flatMap(resourceRoutes),
    ...accountRoutes(accounts),
    globalConfigRoute(config, (call) => accounts.addresses(call).mqttWs),
    ...deviceRoutes({
      activity: deviceActivity,
      notices,
      logs: logBook,
      owners,
      destroyDevice: destroyWithTraces,
      sync: syncSources(deviceActivity, resources, [constantSource('first_party_farmwares', firstPartyFarmwares)]),
      deletesAllLogs: compatibility.deletesAllLogs,
      aiModel: settings.AI_MODEL,
    }),
    ...upkeepRoutes({ accounts }),
    ...seedingRoutes({ queue }),
    ...photoRoutes(photos),
    ...transfer.routes,
    ...programRoutes({ authors, publisher: settings.PUBLISHER, queue }),
    ...gardenRoutes({ compatibility, notify: notices.notify, jobs: queue }),
    ...demoAccountRoutes({
      accounts,
      isOn: settings.DEMO_ACCOUNTS,
      seed: demoSeeding(queue),
      publish: (message) => live.publish(message),
    }),
    aiRoute({
      model: settings.AI_URL
        ? new LanguageModel({ url: settings.AI_URL, key: settings.AI_KEY, model: settings.AI_MODEL })
        : null,
      notify: notices.notify,
      languageOf: async (scope) => (await scope.first(users, { where: { id: scope.userId ?? 0 } }))?.language ?? null,
      peripherals,
      sensors,
      tools,
    }),
    ...live.routes,
    ...healthRoutes({
      health: new HealthCheck({ server, broker, clock }),
      metrics,
      metricsToken: settings.METRICS_TOKEN,
    }),
    ...pageRoutes({
      termsUrl: settings.TOS_URL,
      privacyUrl: settings.PRIVACY_URL,
      signUp: settings.SIGN_UP,
      verifies: accounts.rules.requiresVerification,
      sendsMail: settings.SMTP_URL !== null,
      robotAddress: () => publicBaseUrl(settings, port),
    }),
  ];
  const routes = webApp ? webApp.routes(ownRoutes) : ownRoutes;
  const http = createHttp({
    routes,
    server: scopes,
    authenticate: authenticator(accounts, holders),
    minimumVersion: () => config.minimumVersion(),
    rateLimits: settings.RATE_LIMITS,
    trustProxy: settings.TRUST_PROXY,
    publicUrl: settings.PUBLIC_URL ? new URL(settings.PUBLIC_URL) : null,
    logger,
    clock,
    csp: { connect: settings.MQTT_WS_URL ? [settings.MQTT_WS_URL] : [] },
    version,
    ...(options.onReply && { onReply: options.onReply }),
  });
  metrics?.instrument(http.server);

  const attach = (listener: EventListener): Promise<void> => events.attach(listener, server, logger, isAlone);
  // Without a broker nobody would ever take what was left.
  if (options.isCommand && live.eventListener) events.recordOnly(server, logger);

  return {
    http,
    migrated: foundation.migrated,
    server,
    async listen() {
      await config.writeFacts({
        NODE_ENV: 'production',
        LONG_REVISION: version,
        SHORT_REVISION: version.slice(0, 8),
        MQTT_WS: settings.MQTT_WS_URL ?? '',
      });
      await http.listen(settings.HOST, settings.PORT);
      ({ port } = http.server.address() as AddressInfo);
      await live.start(http.server);
      if (live.eventListener) await attach(live.eventListener);
      if (isAlone) await runner.releaseLeases();
      runner.start();
      await transfer
        .deleteLeftovers()
        .catch((error: unknown) =>
          logger.warn({ reason: String(error) }, 'deleting files of interrupted imports failed'),
        );
      accounts.activity.start();
      deviceActivity.start();
      takeOver = setInterval(() => {
        events
          .claimExpired()
          .catch((error: unknown) => logger.warn({ reason: String(error) }, 'announcements could not be read'));
      }, pollInterval).unref();
      return { address: `http://${settings.HOST}:${port}`, robotAddress: publicBaseUrl(settings, port) };
    },
    async close() {
      clearInterval(takeOver);
      // WebSockets keep the HTTP server from closing; they end with the broker, which has yet to announce what is under way.
      const closed = http.close();
      await Promise.race([closed, pause(inFlightTime)]);
      await runner.stop();
      await events.stop();
      await live.stop();
      await closed;
      await accounts.activity.stop();
      await deviceActivity.stop();
      await foundation.close();
    },
    openapi: () => openApiDocument(documentedRoutes(routes), version),
    attach,
    runJobs: () => runner.runDue(),
    operations: createOperations({
      server,
      accounts,
      authors,
      queue,
      exports: transfer.exports,
      imports: transfer.imports,
      revision: version.slice(0, 8),
    }),
  };
}
