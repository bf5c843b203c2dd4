import type { Logger as PinoLogger } from 'pino';
import { pino } from 'pino';
import { publicConfig } from './accounts/global-config.ts';
import { assertNotMoved } from './accounts/moved-database.ts';
import type { PasswordCost } from './accounts/passwords.ts';
import { assertKeyKept } from './accounts/server-key.ts';
import type { Clock } from './core/clock.ts';
import { systemClock } from './core/clock.ts';
import type { Counters } from './core/counters.ts';
import { version } from './core/version.ts';
import type { Database } from './db/session.ts';
import { DeviceActivity } from './device/device-activity.ts';
import { latestImages } from './device/releases.ts';
import { OwnConnections } from './engine/own-connections.ts';
import { openFoundation } from './foundation.ts';
import { InvalidCropsFile } from './garden/crop-catalog.ts';
import { type CropSearch, loadCrops } from './garden/crop-search.ts';
import type { HttpOptions } from './http/context.ts';
import { EntityTags } from './http/entity-tags.ts';
import { createHttp, documentedRoutes } from './http/http.ts';
import { openApiDocument } from './http/openapi.ts';
import { ServerUrls } from './http/server-urls.ts';
import { UnknownProxies } from './http/unknown-proxies.ts';
import { createLifecycle } from './lifecycle.ts';
import { createOperations, loggedRecords } from './operations.ts';
import { ConsolePage } from './pages/console-page.ts';
import type { WebApp } from './pages/web-app.ts';
import { openWebApp } from './pages/web-app.ts';
import { loggedResources, resourceRights } from './resources.ts';
import { openRooms } from './rooms.ts';
import type { Settings } from './settings/settings.ts';
import { SettingsError } from './settings/settings.ts';

/** The composed server, not yet listening. */
export type App = Awaited<ReturnType<typeof createApp>>;

export interface AppOptions {
  readonly logger?: PinoLogger;
  /** The counters of an earlier server; new ones by default. */
  readonly counters?: Counters;
  readonly clock?: Clock;
  readonly onReply?: HttpOptions['onReply'];
  /** For tests: password hashes cheaper than the default. */
  readonly passwordCost?: PasswordCost;
}

/** Opens the vendor's web app. Throws a SettingsError when the folder does not contain one. */
async function openConfiguredWebApp(folder: string, urls: ServerUrls, console: ConsolePage): Promise<WebApp> {
  const webApp = await openWebApp({ folder, console, addresses: (call) => urls.forToken(call) });
  if (webApp) return webApp;
  const message =
    'WEB_APP_DIR must be the folder `public` of a built copy of the web app, with `assets/dist` or `assets/parcel` in it.';
  throw new SettingsError([{ name: 'WEB_APP_DIR', message }]);
}

/** Returns the crops, which are loaded when they are first needed: that takes a tenth of a start. An operator's file is loaded now. Throws a SettingsError when a row of it is invalid. */
async function configuredCrops(file: string | null): Promise<() => Promise<CropSearch>> {
  let loaded: Promise<CropSearch> | null = null;
  const crops = (): Promise<CropSearch> => {
    loaded ??= loadCrops(file).catch((error: unknown) => {
      loaded = null;
      throw error;
    });
    return loaded;
  };
  try {
    if (file !== null) await crops();
    return crops;
  } catch (error) {
    if (!(error instanceof InvalidCropsFile)) throw error;
    throw new SettingsError([{ name: 'CROPS_FILE', message: `CROPS_FILE: ${error.message}.` }]);
  }
}

/** Composes the server from its settings and migrates the database. It never listens by itself and never reads the environment. Throws NewerDatabaseError, SettingsError, Failure `unavailable`. */
export async function createApp(settings: Settings, options: AppOptions = {}) {
  const { clock = systemClock, logger = pino({ level: settings.LOG_LEVEL }), passwordCost, counters } = options;
  const urls = new ServerUrls(settings);
  const console = await ConsolePage.open({ broker: (call) => urls.forToken(call).mqttWs });
  // Before anything is written: the server does not start without it.
  const folder = settings.WEB_APP_DIR;
  const webApp = folder === null ? null : await openConfiguredWebApp(folder, urls, console);
  const crops = await configuredCrops(settings.CROPS_FILE);

  const deviceActivity = new DeviceActivity(clock, logger);
  const ownConnections = new OwnConnections();
  const unknownProxies = new UnknownProxies(logger);
  const records = loggedRecords(deviceActivity);
  const assertUsable = async (database: Database) => {
    await assertNotMoved(database);
    if (settings.DATABASE_URL === null) await assertKeyKept(database, settings.DATA_DIR);
  };
  const foundation = await openFoundation(settings, {
    clock,
    logger,
    counters,
    records,
    resourceRights,
    assertUsable,
  });
  const { runner, server } = foundation;
  const openAll = async () => {
    const opened = await openRooms(foundation, {
      settings,
      urls,
      deviceActivity,
      ownConnections,
      unknownProxies,
      version,
      passwordCost,
      console,
      hasWebApp: webApp !== null,
      needsSeedAlert: webApp?.layout.needsSeedAlert ?? false,
      crops,
    });
    for (const { kind, handle, ...limits } of opened.all.flatMap(({ jobs }) => jobs))
      runner.register(kind, handle, limits);
    await runner.planSchedules();
    return opened;
  };
  const rooms = await openAll().catch(async (error: unknown) => {
    await foundation.close();
    throw error;
  });
  const { accounts, routes: ownRoutes } = rooms;
  const { config } = accounts;
  const operations = createOperations(foundation, { settings, urls, deviceActivity, passwordCost });

  const routes =
    webApp?.routes(ownRoutes, async (scope, call) => ({
      ...(await publicConfig(config, scope, urls.forToken(call).mqttWs)),
      ...(await latestImages(scope)),
    })) ?? ownRoutes;
  const http = createHttp({
    routes,
    server: foundation.scopes,
    entityTags: new EntityTags(foundation.changes, loggedResources, version),
    authenticate: accounts.authenticate,
    isRobotToken: accounts.isRobotToken,
    redeemTicket: rooms.streams.redeemTicket,
    confirm: accounts.confirm,
    minimumVersion: () => config.minimumVersion(),
    rateLimits: settings.RATE_LIMITS,
    trustProxy: settings.TRUST_PROXY,
    publicUrl: settings.PUBLIC_URL ? new URL(settings.PUBLIC_URL) : null,
    ownConnections,
    unknownProxies,
    logger,
    clock,
    csp: { connect: settings.MQTT_WS_URL ? [settings.MQTT_WS_URL] : [] },
    version,
    ...(options.onReply && { onReply: options.onReply }),
  });

  return {
    ...createLifecycle({ settings, foundation, rooms, http, urls, operations }),
    http,
    /** The served routes, for tests. */
    routes,
    migrated: foundation.migrated,
    /** Returns a new scope of the whole server, for commands and tests. */
    server,
    /** The operations of the command line, for tests. */
    operations,
    /** Runs the jobs that are due, for tests. */
    runJobs: () => runner.runDue(),
    /** Whether there is an account that is not a demo account. */
    hasAccounts: () => accounts.hasAccounts(server()),
    /** The code with which the first account becomes an administrator from anywhere; null: there was an account. */
    firstAccountCode: () => accounts.firstAccountCode(server()),
    openapi: (): object => openApiDocument(documentedRoutes(routes), version),
  };
}
