import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Call, Route, Session } from '../engine/route.ts';
import type { HeaderSets } from './headers.ts';
import type { LimitKind, RateLimits } from './rate-limits.ts';
import type { Robot } from './robot-version.ts';

/** The logger of the edge; pino's fits. */
export interface HttpLogger extends Logger {
  isLevelEnabled(level: string): boolean;
}

/** How long the edge bears with clients, in ms. */
export interface HttpTimeouts {
  /** For a whole body that is read before its handler is called, or not at all. */
  readonly body: number;
  /** Without a byte of a body that its handler reads. */
  readonly silence: number;
  /** Without a byte that the client takes of an answer that is sent piece by piece. */
  readonly stall: number;
  /** Without a byte of a body that nobody needs any more, before its connection ends. */
  readonly linger: number;
}

/** What the composition root hands to the edge. */
export interface HttpOptions {
  readonly routes: readonly Route[];
  /** A fresh scope for one request. */
  server(log: Logger): ServerScope;
  /** Throws Failure `bad_token` or another one; called only when a token was sent. */
  authenticate(scope: ServerScope, call: Call): Promise<Session>;
  /** The oldest robot version that is served; read for each request of a robot. */
  minimumVersion(): string;
  readonly rateLimits: boolean;
  /** Whose `X-Forwarded-*` headers count: nobody's (false), those of whoever is connected (true), or those of these addresses. */
  readonly trustProxy: boolean | string;
  readonly publicUrl: URL | null;
  readonly logger: HttpLogger;
  readonly clock: Clock;
  /** Further sources that pages may connect to. */
  readonly csp: { readonly connect: readonly string[] };
  /** The program's version, for the documentation. */
  readonly version?: string;
  /** Others than usual, for tests. */
  readonly timeouts?: Partial<HttpTimeouts>;
  /** Sees every answer of a route before it is sent; what it throws becomes a 500. For tests. */
  readonly onReply?: (route: Route, status: number, type: string, text: string) => void;
}

/** What all requests of one server share. */
export interface HttpContext {
  readonly options: HttpOptions;
  readonly limits: RateLimits | null;
  readonly headers: HeaderSets;
  readonly isTooOld: (robot: Robot) => boolean;
  /** `host:port` and scheme of `PUBLIC_URL`, when it is set. */
  readonly host: string | null;
  readonly isPublicSecure: boolean;
  readonly times: HttpTimeouts;
  /** Answers end their connection now. */
  isStopping: boolean;
}

/** A route with what can be known about its requests beforehand. */
export interface PreparedRoute {
  /** Null for paths that nobody serves. */
  readonly route: Route | null;
  readonly isApi: boolean;
  readonly limit: LimitKind;
  /** The greatest body in bytes. */
  readonly bodyLimit: number;
  readonly hasId: boolean;
  /** Its handler reads the body. */
  readonly isStreamed: boolean;
  /** Its work is all or nothing. */
  readonly isTransaction: boolean;
}

const megabyte = 1024 * 1024;

/** Prepares a route. */
export function prepared(route: Route): PreparedRoute {
  return {
    route,
    isApi: route.path.startsWith('/api/'),
    limit: route.rateLimit ?? 'general',
    bodyLimit: route.maxBodySize ?? megabyte,
    hasId: /\/:id(?:\/|$)/.test(route.path),
    isStreamed: route.body?.rule === 'stream',
    isTransaction: route.method !== 'GET' && route.transaction !== false,
  };
}

/** Stands in for paths without a route. */
export const unrouted = (isApi: boolean): PreparedRoute => ({
  route: null,
  isApi,
  limit: 'general',
  bodyLimit: megabyte,
  hasId: false,
  isStreamed: false,
  isTransaction: false,
});
