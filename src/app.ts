import type { AddressInfo } from 'node:net';
import type { Logger as PinoLogger } from 'pino';
import { pino } from 'pino';
import { publicConfig } from './accounts/global-config.ts';
import type { PasswordCost } from './accounts/passwords.ts';
import type { Clock } from './core/clock.ts';
import { systemClock } from './core/clock.ts';
import type { Counters } from './core/counters.ts';
import type { EventListener } from './core/events.ts';
import { version } from './core/version.ts';
import type { ServerScope } from './db/scope.ts';
import { DeviceActivity } from './device/device-activity.ts';
import { latestImages } from './device/releases.ts';
import { resourceRoutes } from './engine/resource-routes.ts';
import type { Route } from './engine/route.ts';
import { openFoundation } from './foundation.ts';
import type { CropCatalog } from './garden/crop-catalog.ts';
import { InvalidCropsFile, loadCropCatalog } from './garden/crop-catalog.ts';
import type { HttpOptions } from './http/context.ts';
import { EntityTags } from './http/entity-tags.ts';
import { createHttp, documentedRoutes } from './http/http.ts';
import { openApiDocument } from './http/openapi.ts';
import { ServerUrls } from './http/server-urls.ts';
import type { Operations } from './operations.ts';
import { createOperations, loggedRecords } from './operations.ts';
import { ConsolePage } from './pages/console-page.ts';
import type { WebApp } from './pages/web-app.ts';
import { openWebApp } from './pages/web-app.ts';
import { resourceRights, resources } from './resources.ts';
import type { Rooms } from './rooms.ts';
import { openRooms } from './rooms.ts';
import type { Settings } from './settings/settings.ts';
import { SettingsError } from './settings/settings.ts';

/** The composed server, not yet listening. */
export interface App {
  readonly http: ReturnType<typeof createHttp>;
  /** Begins to serve. `robotAddress` is the address to enter into a robot; null: only the operator knows it. */
  listen(): Promise<{ address: string; robotAddress: string | null; port: number }>;
  /** Whether there is an account that is no demo. */
  hasAccounts(): Promise<boolean>;
  /** The code with which the first account becomes an administrator from anywhere; null: there was an account. */
  firstAccountCode(): Promise<string | null>;
  /** Finishes requests and jobs in progress, and writes what is in memory. */
  close(): Promise<void>;
  openapi(): object;
  /** What it serves, for tests. */
  readonly routes: readonly Route[];
  /** Delivers every announced change to a listener, beginning with those that an earlier run left. */
  attach(listener: EventListener): Promise<void>;
  /** Returns a new scope of the whole server, for commands and tests. */
  server(): ServerScope;
  /** Runs the jobs that are due, for tests. */
  runJobs(): Promise<void>;
  readonly migrated: readonly string[];
  /** What the command line does, for tests. */
  readonly operations: Operations;
}

export interface AppOptions {
  readonly logger?: PinoLogger;
  /** The counters of what happened before; new ones by default. */
  readonly counters?: Counters;
  readonly clock?: Clock;
  readonly onReply?: HttpOptions['onReply'];
  /** For tests: password hashes cheaper than the default. */
  readonly passwordCost?: PasswordCost;
}

/** How long a stop waits for requests in progress before the broker stops too, in ms; they are completed all the same. */
const drainTime = 1000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Opens the vendor's web app. Throws a SettingsError when the folder does not contain one. */
async function openConfiguredWebApp(folder: string, urls: ServerUrls, console: ConsolePage): Promise<WebApp> {
  const webApp = await openWebApp({ folder, console, addresses: (call) => urls.forToken(call) });
  if (webApp) return webApp;
  const message =
    'WEB_APP_DIR must be the folder `public` of a built copy of the web app, with `assets/dist` or `assets/parcel` in it.';
  throw new SettingsError([{ name: 'WEB_APP_DIR', message }]);
}

/** Loads the catalog of crops. Throws a SettingsError when a row of the operator's file is invalid. */
async function loadConfiguredCrops(file: string | null): Promise<CropCatalog> {
  try {
    return await loadCropCatalog(file);
  } catch (error) {
    if (!(error instanceof InvalidCropsFile)) throw error;
    throw new SettingsError([{ name: 'CROPS_FILE', message: `CROPS_FILE: ${error.message}.` }]);
  }
}

/** Composes the server from its settings and migrates the database. It never listens by itself and never reads the environment. Throws NewerDatabaseError, SettingsError, Failure `unavailable`. */
export async function createApp(settings: Settings, options: AppOptions = {}): Promise<App> {
  const { clock = systemClock, logger = pino({ level: settings.LOG_LEVEL }), passwordCost, counters } = options;
  const urls = new ServerUrls(settings);
  const console = await ConsolePage.open({ broker: (call) => urls.forToken(call).mqttWs });
  // Before anything is written: the server does not start without it.
  const folder = settings.WEB_APP_DIR;
  const webApp = folder === null ? null : await openConfiguredWebApp(folder, urls, console);
  const crops = await loadConfiguredCrops(settings.CROPS_FILE);

  const deviceActivity = new DeviceActivity(clock, logger);
  const records = loggedRecords(deviceActivity);
  const foundation = await openFoundation(settings, { clock, logger, counters, records, resourceRights });
  const { announcements, runner, server } = foundation;
  const openAll = async (): Promise<Rooms> => {
    const opened = await openRooms(foundation, {
      settings,
      urls,
      deviceActivity,
      version,
      routes: () => ownRoutes,
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
  const { config, live } = rooms;
  const operations = createOperations(foundation, { settings, urls, deviceActivity, passwordCost });

  const ownRoutes: readonly Route[] = [
    ...resources.flatMap(resourceRoutes),
    ...rooms.all.flatMap((room) => room.routes),
  ];
  const routes =
    webApp?.routes(ownRoutes, async (scope, call) => ({
      ...(await publicConfig(config, scope, urls.forToken(call).mqttWs)),
      ...(await latestImages(scope)),
    })) ?? ownRoutes;
  const http = createHttp({
    routes,
    server: foundation.scopes,
    entityTags: new EntityTags(foundation.changes, resources, version),
    authenticate: rooms.authenticate,
    redeemTicket: rooms.redeemTicket,
    confirm: rooms.confirm,
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

  const announce = (): Promise<void> =>
    announcements.start({
      server,
      log: logger,
      isOnlyProcess: foundation.ownsDatabase,
      untilClientsReturn: live.untilClientsReturn,
    });

  return {
    http,
    routes,
    migrated: foundation.migrated,
    server,
    async attach(listener) {
      announcements.addListener(listener);
      await announce();
    },
    operations,
    runJobs: () => runner.runDue(),
    hasAccounts: () => rooms.hasAccounts(server()),
    firstAccountCode: () => rooms.firstAccountCode(server()),
    openapi: () => openApiDocument(documentedRoutes(routes), version),
    async listen() {
      for (const room of rooms.all) if (room !== live) await room.start?.(http.server);
      await http.listen(settings.HOST, settings.PORT);
      urls.port = (http.server.address() as AddressInfo).port;
      // RabbitMQ asks the HTTP server who may connect.
      await live.start?.(http.server);
      if (live.eventListener) announcements.addListener(live.eventListener);
      await announce();
      announcements.startPolling();
      if (foundation.ownsDatabase) await runner.releaseLeases();
      runner.start();
      return { address: `http://${settings.HOST}:${urls.port}`, robotAddress: urls.forRobots(), port: urls.port };
    },
    async close() {
      http.drain();
      if (settings.STOP_DELAY > 0) await pause(settings.STOP_DELAY * 1000);
      for (const room of rooms.all) room.drain?.();
      // WebSockets keep the HTTP server open until the broker ends them, after it has announced what is in progress.
      const closed = http.close();
      await Promise.race([closed, pause(drainTime)]);
      await runner.stop();
      await announcements.stop();
      await live.stop?.();
      await closed;
      for (const room of rooms.all.toReversed()) if (room !== live) await room.stop?.();
      await operations.close();
      await foundation.close();
    },
  };
}
