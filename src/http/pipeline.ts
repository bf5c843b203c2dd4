import type { FastifyReply, FastifyRequest } from 'fastify';
import { isJsonContentType } from '../core/content-type.ts';
import { Failure } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { malformed, parseJson } from '../core/json-parser.ts';
import { parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute, HandlerResult, PublicRoute } from '../engine/route.ts';
import type { BodyEnd } from './body.ts';
import { hasBody, readBody } from './body.ts';
import { limitBodyTime, limitSilence } from './body-timeout.ts';
import type { HttpContext, PreparedRoute } from './context.ts';
import { renderFailure, renderText } from './error-renderer.ts';
import { Exchange } from './exchange.ts';
import { abandon, check, fail, replyOf, send } from './responses.ts';

/**
 * Serves one request, in this order: limits, body, request id, body rule, version, token, id in the path, handler. [reference 1.4]
 * Never throws; the answer goes straight to Node's response.
 */
export function serve(edge: HttpContext, prepared: PreparedRoute, request: FastifyRequest, reply: FastifyReply): void {
  const exchange = new Exchange(edge, prepared, request, reply.raw);
  const { limits, options, times } = edge;
  if (prepared.isStreamed) limitSilence(request.raw, times.silence);
  else limitBodyTime(request.raw, times.body);
  if (options.logger.isLevelEnabled('debug')) exchange.began = options.clock.now();
  if (limits !== null && !limits.admits(exchange.address, prepared.limit, options.clock.now())) {
    fail(exchange, new Failure('throttled'));
    return;
  }
  if (prepared.route === null) fail(exchange, new Failure('not_found', 'This address was not found.'));
  else if (prepared.isStreamed) void answer(exchange);
  else if (hasBody(request.raw.headers))
    readBody(request.raw, prepared.bodyLimit, (end, bytes) => {
      exchange.rawBody = bytes;
      if (end === 'complete') void answer(exchange);
      else refuseBody(exchange, end);
    });
  else void answer(exchange);
}

/** Answers for a request that the router could not take. */
export function refuse(
  edge: HttpContext,
  prepared: PreparedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): void {
  limitBodyTime(request.raw, edge.times.body);
  fail(new Exchange(edge, prepared, request, reply.raw), error);
}

function refuseBody(exchange: Exchange, end: BodyEnd): void {
  const failure = new Failure('body_too_large');
  const isToldInText = exchange.prepared.route?.maxBodySize !== undefined;
  send(exchange, isToldInText ? renderText(failure) : renderFailure(failure), end === 'endless');
}

async function answer(exchange: Exchange): Promise<void> {
  try {
    try {
      check(exchange, replyOf(await handled(exchange)));
    } catch (error) {
      if (exchange.response.headersSent) throw error;
      fail(exchange, error);
    }
  } catch (error) {
    abandon(exchange, error);
  } finally {
    if (exchange.prepared.isStreamed) exchange.bodyStream.destroy();
  }
}

/** An id that nobody looks at must not hide a format that nobody serves: `/api/device/sync.xml`. */
const otherFormat = /\.[a-z]{1,5}$/i;

function handled(exchange: Exchange): Promise<HandlerResult> | HandlerResult {
  const { edge, prepared } = exchange;
  const { route } = prepared;
  if (route === null || otherFormat.test(exchange.params.ignored ?? '')) throw new Failure('not_found');
  if (exchange.rawBody.length > 0 || route.body) readRuled(exchange, route.body?.rule);
  if (!route.acceptsAnyVersion && exchange.isRobot && edge.isTooOld(exchange.robot))
    throw new Failure('upgrade_required');
  return route.access === 'token' ? handledForDevice(exchange, route) : handledForAnybody(exchange, route);
}

async function handledForDevice(exchange: Exchange, route: DeviceRoute): Promise<HandlerResult> {
  const { options } = exchange.edge;
  if (exchange.token === null)
    throw new Failure(exchange.headers.authorization === undefined ? 'unauthenticated' : 'bad_token');
  const server = options.server(exchange);
  const session = await options.authenticate(server, exchange);
  exchange.userId = session.userId;
  checkLate(exchange);
  const scope = server.device(session.deviceId, exchange);
  return exchange.prepared.isTransaction
    ? await scope.transaction(async (inner) => route.handle(inner, exchange))
    : await route.handle(scope, exchange);
}

function handledForAnybody(exchange: Exchange, route: PublicRoute): Promise<HandlerResult> | HandlerResult {
  checkLate(exchange);
  const server = exchange.edge.options.server(exchange);
  return exchange.prepared.isTransaction
    ? server.transaction(async (inner) => route.handle(inner, exchange))
    : route.handle(server, exchange);
}

/** Parses the body and applies what its rule demands before the token is looked at. */
function readRuled(
  exchange: Exchange,
  rule: NonNullable<NonNullable<PreparedRoute['route']>['body']>['rule'] | undefined,
): void {
  const contentType = exchange.headers['content-type'];
  const isJson = isJsonContentType(typeof contentType === 'string' ? contentType : undefined);
  if (rule === undefined && !isJson) return;
  const value = parseJson(exchange.rawBody);
  exchange.body = value === malformed ? undefined : value;
  countReset(exchange);
  if (rule === 'object' && !isObject(value)) throw new Failure('not_json');
  if (rule === undefined && value === malformed) throw new Failure('malformed_json');
}

/** Three password resets per e-mail address and hour, whoever asks. [reference 1.9] */
function countReset(exchange: Exchange): void {
  const { edge, prepared, body } = exchange;
  if (edge.limits === null || prepared.limit !== 'reset' || prepared.route?.method !== 'POST') return;
  if (!isObject(body) || typeof body.email !== 'string') return;
  if (!edge.limits.admitsReset(exchange.address, body.email, edge.options.clock.now())) throw new Failure('throttled');
}

/** What is checked after the token: an id that cannot be one, and bodies that only the handler looks at. [reference 1.1, 1.2] */
function checkLate(exchange: Exchange): void {
  const { prepared, params, rawBody, body } = exchange;
  if (prepared.hasId) parseId(params.id, 'Record');
  const rule = prepared.route?.body?.rule;
  if (rule === 'late' && !isObject(body)) throw new Failure('not_json');
  if (rule === 'optional' && !isObject(body) && (body !== undefined || parseJson(rawBody) === malformed))
    throw new Failure('not_json');
}
