import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { HTTPMethod } from 'find-my-way';
import createRouter from 'find-my-way';
import { Failure } from '../core/errors.ts';
import type { Route } from '../engine/route.ts';
import { jsonContentType, Reply, servedMethods } from '../engine/route.ts';
import { batchRoute } from './batch.ts';
import { limitBodyTime } from './body-timeout.ts';
import type { HttpContext, HttpOptions, HttpTimeouts, PreparedRoute } from './context.ts';
import { prepareRoute, unknownRoute } from './context.ts';
import { cspReports } from './csp-reports.ts';
import { Exchange } from './exchange.ts';
import { headerSets, preflight } from './headers.ts';
import { hostOf } from './host.ts';
import { NodeServer } from './node-server.ts';
import { openApiRoute } from './openapi.ts';
import { refuse, serve } from './pipeline.ts';
import { trustedProxy } from './proxy.ts';
import { RateLimits } from './rate-limits.ts';
import { readinessRoute } from './readiness.ts';
import { send } from './responses.ts';
import { versionGate } from './robot-version.ts';
import { normalizeUrl, parseQuery } from './url.ts';

/** Characters of a path parameter: clients send 179 ids, or a whole token, in one. */
const maxParameterLength = 16_384;

const defaultTimeouts: HttpTimeouts = { body: 60_000, silence: 30_000, upload: 60_000, stall: 30_000, linger: 2_000 };

/** The HTTP server of the application. */
export type HttpServer = ReturnType<typeof createHttp>;

const isApiPath = (url: string): boolean => /^\/api(?:[/?#]|$)/.test(url);

/** The methods under which a route is served. [rule H1, decision 4] */
const methodsOf = (route: Route): (Route['method'] | 'HEAD')[] =>
  route.method === 'GET' ? ['GET', 'HEAD'] : [...servedMethods(route)];

/** The given routes and the HTTP layer's own: the routes in the documentation. */
export const documentedRoutes = (routes: readonly Route[]): readonly Route[] => [
  ...routes,
  batchRoute,
  readinessRoute,
  ...cspReports,
];

/** Creates the HTTP server of the given routes, with the rules that all requests share. It does not listen yet. */
export function createHttp(options: HttpOptions) {
  const prefix = randomBytes(3).toString('hex');
  let count = 0;
  const context: HttpContext = {
    options,
    limits: options.rateLimits ? new RateLimits() : null,
    headers: headerSets(options.csp.connect, options.publicUrl?.protocol === 'https:'),
    proxy: trustedProxy(options.trustProxy),
    isTooOld: versionGate(() => options.minimumVersion()),
    host: options.publicUrl && hostOf(options.publicUrl),
    isPublicSecure: options.publicUrl?.protocol === 'https:',
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    nextRequestId: () => `${prefix}-${(++count).toString(36)}`,
    findRoute: () => null,
    isStopping: false,
  };
  const handler = createHandler(context);
  const nodeServer = new NodeServer(handler);
  options.ownConnections?.attach(nodeServer.server);
  let closed: Promise<void> | null = null;
  return {
    server: nodeServer.server,
    /** Handles one request, also without a connection. */
    handler,
    /** Rejects when the address is in use or not available. */
    listen: (host: string, port: number): Promise<void> => nodeServer.listen(host, port),
    /** Announces the stop: `/ready` fails, and responses close their connections. Requests are served until {@link close}. */
    drain(): void {
      context.isStopping = true;
    },
    /** Stops accepting connections; resolves when the requests in flight are finished, or after a timeout. */
    close(): Promise<void> {
      context.isStopping = true;
      closed ??= nodeServer.close();
      return closed;
    },
  };
}

/** Routes requests. */
function createHandler(context: HttpContext): RequestListener {
  const unknownApi = unknownRoute(true);
  const unknownPage = unknownRoute(false);
  const unknown = ({ url }: IncomingMessage): PreparedRoute => (isApiPath(url ?? '') ? unknownApi : unknownPage);
  const fail = (request: IncomingMessage, response: ServerResponse, error: unknown): void =>
    refuse(context, unknown(request), request, response, error);

  const router = createRouter({
    maxParamLength: maxParameterLength,
    querystringParser: parseQuery,
    defaultRoute: (request, response) => serve(context, unknown(request), request, response),
    onBadUrl: (_path, request, response) => fail(request, response, new Failure('not_found')),
    onMaxParamLength: (_path, request, response) => fail(request, response, new Failure('address_too_long')),
  });
  context.findRoute = (method, path) => {
    const found = router.find(method as HTTPMethod, normalizeUrl(path));
    const params = found?.params as Record<string, string>;
    const route = found?.store as PreparedRoute | null | undefined;
    return found && route ? { route, match: { params, query: found.searchParams } } : null;
  };
  const routes = documentedRoutes(context.options.routes);
  for (const route of [...routes, openApiRoute(routes, context.options.version ?? '0.0.0')]) {
    const prepared = prepareRoute(route);
    router.on(
      methodsOf(route),
      route.path,
      (request, response, params, _store, query) =>
        serve(context, prepared, request, response, { params: params as Record<string, string>, query }),
      prepared,
    );
  }
  for (const path of ['/api', '/api/*'])
    router.on('OPTIONS', path, (request, response) => {
      limitBodyTime(request, context.timeouts.body);
      const exchange = new Exchange(context, unknownApi, request, response);
      const requested = request.headers['access-control-request-headers'];
      send(exchange, new Reply('', jsonContentType, 200, preflight(requested)));
    });

  return (request, response) => {
    request.url = normalizeUrl(request.url ?? '/');
    try {
      router.lookup(request, response);
    } catch (error) {
      fail(request, response, error);
    }
  };
}
