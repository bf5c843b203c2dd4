import { randomBytes } from 'node:crypto';
import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, HTTPMethods } from 'fastify';
import fastify from 'fastify';
import { Failure } from '../core/errors.ts';
import type { Route } from '../engine/route.ts';
import { jsonContentType, Reply } from '../engine/route.ts';
import { limitBodyTime } from './body-timeout.ts';
import { onClientError } from './client-errors.ts';
import type { HttpContext, HttpOptions, HttpTimeouts } from './context.ts';
import { prepared, unrouted } from './context.ts';
import { cspReports } from './csp-reports.ts';
import { docsPage } from './docs-page.ts';
import { Exchange } from './exchange.ts';
import { headerSets, preflight } from './headers.ts';
import { hostOf } from './host.ts';
import { openApiRoute } from './openapi.ts';
import { refuse, serve } from './pipeline.ts';
import { parseQuery } from './query.ts';
import { RateLimits } from './rate-limits.ts';
import { send } from './responses.ts';
import { versionGate } from './robot-version.ts';
import { normalizeUrl } from './url.ts';

/** Longest path parameter: clients put 179 ids, or a whole token, into one. */
const longestParameter = 16_384;
const mostHeaderBytes = 32 * 1024;

/** Milliseconds. */
const headersTime = 10_000;
/** For a whole request, whoever reads its body: robots far from any mast send their photos slowly. Most bodies have less. */
const requestTime = 3_600_000;
const usualTimes: HttpTimeouts = { body: 60_000, silence: 30_000, stall: 30_000, linger: 2_000 };
const idleTime = 72_000;
/** How often Node looks for requests that take too long. */
const checkTime = 5_000;
/** A stopping server waits this long for requests in flight. */
const stopTime = 8_000;

/** Methods whose bodies are read here, not by Fastify: it refuses content types and empty bodies that clients send. */
const methodsWithBody = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'].filter((method) =>
  METHODS.includes(method),
);

/** Of the addresses in `X-Forwarded-For` only the last was written by the proxy that is connected; those before it are whatever its client sent. */
const isNext = (_address: string, hop: number): boolean => hop === 0;

const isApiPath = (url: string): boolean => /^\/api(?:[/?#]|$)/.test(url);

/** The methods under which a route is served. [decision 4] */
function methodsOf({ method }: Route): HTTPMethods[] {
  if (method === 'GET') return ['GET', 'HEAD'];
  return method === 'PATCH' ? ['PATCH', 'PUT'] : [method];
}

/** The given routes and those that the edge itself serves: what the documentation describes. */
export const documentedRoutes = (routes: readonly Route[]): readonly Route[] => [...routes, ...cspReports, ...docsPage];

/** The HTTP application: every rule that all requests share, around the given routes. It does not listen and reads no settings. */
export function createHttp(options: HttpOptions): FastifyInstance {
  const edge: HttpContext = {
    options,
    limits: options.rateLimits ? new RateLimits() : null,
    headers: headerSets(options.csp.connect),
    isTooOld: versionGate(() => options.minimumVersion()),
    host: options.publicUrl && hostOf(options.publicUrl),
    isPublicSecure: options.publicUrl?.protocol === 'https:',
    times: { ...usualTimes, ...options.timeouts },
    isStopping: false,
  };
  const unknownApi = unrouted(true);
  const unknownPage = unrouted(false);
  const unknown = (url: string | undefined) => (isApiPath(url ?? '') ? unknownApi : unknownPage);

  const prefix = randomBytes(3).toString('hex');
  let count = 0;
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    trustProxy: options.trustProxy === true ? isNext : options.trustProxy,
    keepAliveTimeout: idleTime,
    requestTimeout: requestTime,
    http: {
      maxHeaderSize: mostHeaderBytes,
      headersTimeout: headersTime,
      connectionsCheckingInterval: checkTime,
      requireHostHeader: false,
    },
    genReqId: () => `${prefix}-${(++count).toString(36)}`,
    rewriteUrl: (request) => normalizeUrl(request.url ?? '/'),
    routerOptions: { maxParamLength: longestParameter, querystringParser: parseQuery },
    clientErrorHandler: onClientError,
    frameworkErrors: (error, request, reply) => {
      const code = error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? 'address_too_long' : 'not_found';
      refuse(edge, unknown(request.raw.url), request, reply, new Failure(code));
    },
  });
  for (const method of methodsWithBody) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });

  const routes = documentedRoutes(options.routes);
  for (const route of [...routes, openApiRoute(routes, options.version ?? '0.0.0')]) {
    const ready = prepared(route);
    app.route({
      method: methodsOf(route),
      url: route.path,
      handler: (request, reply) => serve(edge, ready, request, reply),
    });
  }
  for (const url of ['/api', '/api/*'])
    app.options(url, (request, reply) => {
      limitBodyTime(request.raw, edge.times.body);
      const exchange = new Exchange(edge, unknownApi, request, reply.raw);
      const asked = exchange.headers['access-control-request-headers'];
      send(exchange, new Reply('', jsonContentType, 200, preflight(typeof asked === 'string' ? asked : undefined)));
    });
  app.setNotFoundHandler((request, reply) => serve(edge, unknown(request.raw.url), request, reply));
  // Nothing of ours throws into Fastify; what it may refuse by itself still gets our shape.
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const isTheirs = error.statusCode !== undefined && error.statusCode < 500;
    refuse(edge, unknown(request.raw.url), request, reply, isTheirs ? new Failure('bad_request') : error);
  });
  stopGracefully(app, edge);
  return app;
}

/** Requests in flight are answered, with `connection: close`; connections that never sent a byte are cut, all others after a while. */
function stopGracefully(app: FastifyInstance, edge: HttpContext): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    edge.isStopping = true;
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    setTimeout(() => {
      app.server.closeAllConnections();
      // Those that were upgraded are no longer among them.
      for (const socket of sockets) socket.destroy();
    }, stopTime).unref();
    done();
  });
}
