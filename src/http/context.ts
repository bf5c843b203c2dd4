import type { Clock } from '../core/clock.ts';
import type { Eventual } from '../core/eventual.ts';
import type { Logger } from '../core/logger.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { OwnConnections } from '../engine/own-connections.ts';
import type { Need, RightsDeclaration } from '../engine/rights.ts';
import { isForPeople, needOf } from '../engine/rights.ts';
import type { Call, DeviceRoute, Route, Session } from '../engine/route.ts';
import { isTagged } from '../engine/route.ts';
import type { Tag } from '../engine/tags.ts';
import { tags } from '../engine/tags.ts';
import type { EntityTags } from './entity-tags.ts';
import type { HeaderSets } from './headers.ts';
import type { TrustedProxy } from './proxy.ts';
import type { LimitKind, RateLimits } from './rate-limits.ts';
import type { Robot } from './robot-version.ts';
import type { UnknownProxies } from './unknown-proxies.ts';

/** The logger of the HTTP layer, implemented by pino. */
export interface HttpLogger extends Logger {
  isLevelEnabled(level: string): boolean;
}

/** Timeouts of the HTTP layer, in ms. */
export interface HttpTimeouts {
  /** For a whole body that is read before its handler is called, or discarded. */
  readonly body: number;
  /** Without a byte of a body that its handler reads. */
  readonly silence: number;
  /** For a whole body that its handler reads, at least: large ones have more time. */
  readonly upload: number;
  /** Without a byte of a streamed response that the client accepts. */
  readonly stall: number;
  /** Without a byte of a discarded body, before its connection ends. */
  readonly linger: number;
}

/** The dependencies of the HTTP layer, from the composition root. */
export interface HttpOptions {
  readonly routes: readonly Route[];
  /** A new scope for one request. */
  server(log: Logger): ServerScope;
  /** Throws Failure `bad_token` or another one; called only when a token was sent. */
  authenticate(scope: ServerScope, call: Call): Eventual<Session>;
  /** Whether a token is known to be a robot session's, which it never stops being. */
  isRobotToken?(token: string): boolean;
  /** The entity tags of answers; without them, no answer has one. For tests. */
  readonly entityTags?: EntityTags;
  /** Returns the session of a ticket. Throws Failure `bad_token`. */
  redeemTicket(scope: ServerScope, ticket: string): Promise<Session>;
  /**
   * Checks that the caller of a route that {@link RightsDeclaration.confirms} has the password or entered it recently. Throws 403, 422.
   * Returns a function that checks inside the transaction that this is still so.
   */
  confirm(scope: ServerScope, call: Call): Promise<(scope: DeviceScope) => Promise<void>>;
  /** The oldest robot version that is served; read for each request of a robot. */
  minimumVersion(): string;
  readonly rateLimits: boolean;
  /** The proxies with trusted `X-Forwarded-*` headers: none (false), the connected one (true), or the ones in these ranges. */
  readonly trustProxy: boolean | string;
  readonly publicUrl: URL | null;
  /** The connections of virtual robots in this process; without them, there are none. */
  readonly ownConnections?: OwnConnections;
  /** Logs requests that an unknown proxy passed on. */
  readonly unknownProxies?: UnknownProxies;
  readonly logger: HttpLogger;
  readonly clock: Clock;
  /** Further sources that pages may connect to. */
  readonly csp: { readonly connect: readonly string[] };
  /** The program's version, for the documentation. */
  readonly version?: string;
  /** Overrides the defaults, for tests. */
  readonly timeouts?: Partial<HttpTimeouts>;
  /** Called with every response of a route before it is sent; an error that it throws becomes a 500. For tests. */
  readonly onReply?: (route: Route, status: number, type: string, text: string) => void;
}

/** The router's result for a URL. */
export interface RouteMatch {
  readonly params: Call['params'];
  readonly query: Call['query'];
}

/** The shared parts of all requests to one server. */
export interface HttpContext {
  readonly options: HttpOptions;
  readonly limits: RateLimits | null;
  readonly headers: HeaderSets;
  readonly proxy: TrustedProxy;
  readonly isTooOld: (robot: Robot) => boolean;
  /** `host:port` and scheme of `PUBLIC_URL`, when it is set. */
  readonly host: string | null;
  readonly isPublicSecure: boolean;
  readonly timeouts: HttpTimeouts;
  /** A new id for a request, unique across processes. */
  nextRequestId(): string;
  /** Returns the route of a method and a path with its query; null if there is none. */
  findRoute(method: string, path: string): { readonly route: PreparedRoute; readonly match: RouteMatch } | null;
  /** While stopping, responses close their connection. */
  isStopping: boolean;
}

/** The needs of a route of a session. */
export interface Guard {
  readonly need: Need;
  /** Only administrators may use it. */
  readonly isAdministrative: boolean;
  /** Sessions of robots may not use it: their programs can read their tokens. [ADR 92] */
  readonly isForPeople: boolean;
}

function guardOf(route: DeviceRoute): Guard {
  const tag: Tag = tags[route.tag];
  const need = needOf(route);
  return { need, isAdministrative: tag.isAdministrative === true, isForPeople: isForPeople(need) };
}

/** A route with the facts about its requests that are known in advance. */
export interface PreparedRoute {
  /** Null for unknown paths. */
  readonly route: Route | null;
  readonly isApi: boolean;
  readonly limit: LimitKind;
  /** Bytes. */
  readonly maxBodySize: number;
  readonly hasId: boolean;
  /** Reads one record. */
  readonly isRecordRead: boolean;
  /** The handler reads the body. */
  readonly isStreamed: boolean;
  /** The handler runs in a transaction. */
  readonly isTransaction: boolean;
  /** Its answers have entity tags. */
  readonly isTagged: boolean;
  /** Its needs of a session; null if it needs none. */
  readonly guard: Guard | null;
  /** Virtual robots in the server may use it. */
  readonly isForVirtualRobots: boolean;
}

const megabyte = 1024 * 1024;

export function prepareRoute(route: Route): PreparedRoute {
  const isApi = route.path.startsWith('/api/');
  return {
    route,
    isApi,
    limit: route.rateLimit ?? 'general',
    maxBodySize: route.body?.rule === 'stream' ? route.body.maxSize : (route.maxBodySize ?? megabyte),
    hasId: /\/:id(?:\/|$)/.test(route.path),
    isRecordRead: isApi && route.method === 'GET' && route.access === 'token' && route.path.endsWith('/:id'),
    isStreamed: route.body?.rule === 'stream',
    isTransaction: route.method !== 'GET' && route.transaction !== false,
    isTagged: isTagged(route),
    guard: route.access === 'token' ? guardOf(route) : null,
    isForVirtualRobots:
      route.access === 'token' || route.forVirtualRobots === true || (isApi && route.method === 'GET'),
  };
}

/** Stands in for a route at unknown paths. */
export const unknownRoute = (isApi: boolean): PreparedRoute => ({
  route: null,
  isApi,
  limit: 'general',
  maxBodySize: megabyte,
  hasId: false,
  isRecordRead: false,
  isStreamed: false,
  isTransaction: false,
  isTagged: false,
  guard: null,
  isForVirtualRobots: true,
});
