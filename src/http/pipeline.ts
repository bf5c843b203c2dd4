import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonContentType } from '../core/content-type.ts';
import { addressNotFound, Failure, throttled } from '../core/errors.ts';
import type { Eventual } from '../core/eventual.ts';
import { andThen } from '../core/eventual.ts';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import { isObject } from '../core/json.ts';
import { isSimpleJson, malformed, parseJson } from '../core/json-parser.ts';
import { pauseForRequests } from '../core/request-pause.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { parseId } from '../engine/resource-routes.ts';
import { refusal, robotRefusal } from '../engine/rights.ts';
import type { BodyRule, DeviceRoute, HandlerResult, PublicRoute, Route, Session } from '../engine/route.ts';
import type { BodyEnd } from './body.ts';
import { hasBody, readBody } from './body.ts';
import { limitBodyTime, limitSilence } from './body-timeout.ts';
import type { HttpContext, PreparedRoute, RouteMatch } from './context.ts';
import { tagged } from './entity-tags.ts';
import { renderFailure, renderText } from './error-renderer.ts';
import { Exchange } from './exchange.ts';
import { say } from './messages.ts';
import type { RateLimits } from './rate-limits.ts';
import { send, sendChecked, sendError, sendServerError, toReply } from './responses.ts';
import { assertStrictlyValid, isStrict } from './strict-handling.ts';

/** Serves one request, in this order: rate limits, body, body rule, version, token, rights, id in the path, password, handler. Never throws. [rule H4] */
export function serve(
  context: HttpContext,
  prepared: PreparedRoute,
  request: IncomingMessage,
  response: ServerResponse,
  match?: RouteMatch,
): void {
  const exchange = new Exchange(context, prepared, request, response, match);
  const { limits, options, timeouts } = context;
  if (prepared.isStreamed) limitSilence(request, timeouts.silence);
  else limitBodyTime(request, timeouts.body);
  if (options.logger.isLevelEnabled('debug')) exchange.startedAt = options.clock.now();
  options.unknownProxies?.check(exchange);
  const wait = limits ? waitOf(exchange, limits) : 0;
  if (wait > 0) {
    sendError(exchange, throttled(wait));
    return;
  }
  if (prepared.route === null) sendError(exchange, addressNotFound());
  else if (prepared.isStreamed) respond(exchange);
  else if (hasBody(request.headers))
    readBody(request, prepared.maxBodySize, (end, bytes) => {
      exchange.rawBody = bytes;
      if (end !== 'complete') refuseBody(exchange, end);
      else if (isSimpleJson(bytes)) respond(exchange);
      else void complexBodies.run(exchange.address, () => respondWithPause(exchange));
    });
  else respond(exchange);
}

/** Counts a request. Returns the time that its client must wait, in ms. */
function waitOf(exchange: Exchange, limits: RateLimits): number {
  const { context, prepared } = exchange;
  const { clock, isRobotToken } = context.options;
  const { token } = prepared.isRecordRead ? exchange : { token: null };
  return token !== null && isRobotToken?.(token)
    ? limits.consumeRobotRead(exchange, clock.now())
    : limits.consume(exchange, prepared.limit, clock.now());
}

/** Responds with an error to a request that was not routed. */
export function refuse(
  context: HttpContext,
  prepared: PreparedRoute,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  limitBodyTime(request, context.timeouts.body);
  sendError(new Exchange(context, prepared, request, response), error);
}

function refuseBody(exchange: Exchange, end: BodyEnd): void {
  const failure = new Failure('body_too_large');
  // [rule H12]
  const isPlainText = exchange.prepared.route?.maxBodySize !== undefined;
  send(
    exchange,
    isPlainText ? renderText(failure, exchange.reader) : renderFailure(failure, exchange.reader),
    end === 'endless',
  );
}

/** Bodies whose parsing takes 0.5 ms or more are parsed one at a time, with pauses: one takes up to 10 ms. */
const complexBodies = new FairSemaphore(1, Number.POSITIVE_INFINITY);

/** Parses the body and begins to respond; then pauses for as long as that took. */
async function respondWithPause(exchange: Exchange): Promise<void> {
  const began = performance.now();
  respond(exchange);
  await pauseForRequests(began);
}

/** Answers in the same turn where nothing has to be waited for. */
function respond(exchange: Exchange): void {
  let result: Eventual<HandlerResult>;
  try {
    result = handle(exchange);
  } catch (error) {
    respondWithError(exchange, error);
    return;
  }
  if (result instanceof Promise)
    result.then(
      (value) => respondWith(exchange, value),
      (error: unknown) => respondWithError(exchange, error),
    );
  else respondWith(exchange, result);
}

function respondWith(exchange: Exchange, result: HandlerResult): void {
  const { prepared, response } = exchange;
  try {
    const reply = toReply(result, exchange);
    sendChecked(exchange, prepared.isTagged ? tagged(exchange, reply) : reply);
    if (prepared.isStreamed) exchange.bodyStream.destroy();
  } catch (error) {
    respondWithError(exchange, error, response.headersSent);
  }
}

function respondWithError(exchange: Exchange, error: unknown, isSent = false): void {
  try {
    if (isSent) sendServerError(exchange, error);
    else sendError(exchange, error);
  } catch (another) {
    sendServerError(exchange, another);
  } finally {
    if (exchange.prepared.isStreamed) exchange.bodyStream.destroy();
  }
}

/** A suffix other than `.json` makes a path unknown, also after an id that is ignored: `/api/device/sync.xml`. [rule H1] */
const otherFormat = /\.[a-z]{1,5}$/i;

function handle(exchange: Exchange): Eventual<HandlerResult> {
  const { context, prepared } = exchange;
  const { route } = prepared;
  if (route === null || otherFormat.test(exchange.params.ignored ?? '')) throw new Failure('not_found');
  if (exchange.rawBody.length > 0 || route.body) parseBody(exchange, ruleOf(route));
  if (!route.acceptsAnyVersion && exchange.isRobot && context.isTooOld(exchange.robot))
    throw new Failure('upgrade_required');
  // Its scripts are not people, for whom these routes are. [ADR 93]
  if (!prepared.isForVirtualRobots && exchange.ownClient !== null) throw new Failure('forbidden', say.virtualRobot);
  return route.access === 'token' ? handleForDevice(exchange, route) : handlePublic(exchange, route);
}

function handleForDevice(exchange: Exchange, route: DeviceRoute): Eventual<HandlerResult> {
  const { options } = exchange.context;
  const ticket = route.takesTicket && exchange.headers.authorization === undefined ? exchange.query.ticket : undefined;
  if (exchange.token === null && ticket === undefined)
    throw new Failure(exchange.headers.authorization === undefined ? 'unauthenticated' : 'bad_token');
  const server = options.server(exchange);
  const session = ticket === undefined ? options.authenticate(server, exchange) : options.redeemTicket(server, ticket);
  return andThen(session, (found) => handleForSession(exchange, route, server, found));
}

function handleForSession(
  exchange: Exchange,
  route: DeviceRoute,
  server: ServerScope,
  session: Session,
): Eventual<HandlerResult> {
  exchange.session = session;
  assertAllowed(exchange.prepared, session);
  checkAfterToken(exchange);
  const scope = server.device(session.deviceId, exchange);
  if (exchange.prepared.isTransaction || route.confirms) return change(exchange, route, server, scope);
  const { entityTags } = exchange.context.options;
  const tables = route.reads?.(exchange);
  const { path, keeps } = route;
  const read = async () => route.handle(scope, exchange);
  if (entityTags && tables) return entityTags.answer(scope, exchange, { path, tables }, read);
  if (entityTags && keeps) return entityTags.keep(scope, exchange, path, read);
  return route.handle(scope, exchange);
}

/** Calls a handler that needs a confirmation or runs in a transaction. */
async function change(
  exchange: Exchange,
  route: DeviceRoute,
  server: ServerScope,
  scope: DeviceScope,
): Promise<HandlerResult> {
  const recheck = route.confirms ? await exchange.context.options.confirm(server, exchange) : null;
  const work = async (own: DeviceScope): Promise<HandlerResult> => {
    if (recheck !== null) await recheck(own);
    return route.handle(own, exchange);
  };
  return exchange.prepared.isTransaction ? await scope.transaction(work) : await work(scope);
}

/** Throws 403, which names the missing role or scope. */
export function assertAllowed({ guard }: PreparedRoute, session: Session): void {
  if (guard === null) return;
  const { rights, isTemporary, isAdministrator, kind } = session;
  const { need, isAdministrative, isForPeople } = guard;
  if (isAdministrative && !isAdministrator) throw new Failure('forbidden', say.administratorsOnly);
  if (isTemporary && need.scopes === 'session') throw new Failure('forbidden', say.temporaryToken);
  if (kind === 'robot' && isForPeople) throw new Failure('forbidden', robotRefusal);
  const reason = refusal(rights, need);
  if (reason !== null) throw new Failure('forbidden', reason);
}

function handlePublic(exchange: Exchange, route: PublicRoute): Eventual<HandlerResult> {
  checkAfterToken(exchange);
  const server = exchange.context.options.server(exchange);
  return exchange.prepared.isTransaction
    ? server.transaction(async (inner) => route.handle(inner, exchange))
    : route.handle(server, exchange);
}

/** The rule of a route's body, which contains at least the password where that confirms the request. */
const ruleOf = (route: Route): BodyRule | undefined =>
  route.body?.rule ?? (route.access === 'token' && route.confirms ? 'optional' : undefined);

/** Parses the body and checks it by its rule before authentication. [rule H3] */
function parseBody(exchange: Exchange, rule: BodyRule | undefined): void {
  const contentType = exchange.headers['content-type'];
  const isJson = isJsonContentType(typeof contentType === 'string' ? contentType : undefined);
  if (rule === undefined && !isJson) return;
  const value = parseJson(exchange.rawBody);
  exchange.body = value === malformed ? undefined : value;
  limitResets(exchange);
  if (rule === 'object' && !isObject(value)) throw new Failure('not_json');
  if (rule === undefined && value === malformed) throw new Failure('malformed_json');
}

/** Counts a password reset against its e-mail address. [rule H11] */
function limitResets(exchange: Exchange): void {
  const { context, prepared, body } = exchange;
  if (context.limits === null || prepared.limit !== 'reset' || prepared.route?.method !== 'POST') return;
  if (!isObject(body) || typeof body.email !== 'string') return;
  const wait = context.limits.consumeReset(exchange, body.email, context.options.clock.now());
  if (wait > 0) throw throttled(wait);
}

/** Checks the id in the path, bodies that only the handler reads, and names, if the client wants that. [rule H2, H3] */
function checkAfterToken(exchange: Exchange): void {
  const { prepared, params, rawBody, body } = exchange;
  if (prepared.hasId) parseId(params.id, 'Record');
  const rule = prepared.route ? ruleOf(prepared.route) : undefined;
  if (rule === 'late' && !isObject(body)) throw new Failure('not_json');
  if (rule === 'optional' && body !== undefined && !isObject(body)) throw new Failure('not_json');
  if ((rule === 'optional' || rule === 'json') && body === undefined && parseJson(rawBody) === malformed)
    throw new Failure('not_json');
  if (prepared.route && prepared.isApi && isStrict(exchange)) assertStrictlyValid(prepared.route, exchange);
}
