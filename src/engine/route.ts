import type { Readable } from 'node:stream';
import type { Timestamp } from '../core/clock.ts';
import type { DeviceScope, JsonText, ServerScope } from '../db/scope.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Rights, RightsDeclaration } from './rights.ts';
import { needOf } from './rights.ts';
import type { Scope, TagName } from './tags.ts';

/** The key under which a {@link QueryParameters} has the names of the parameters that were sent several times. */
export const repeated = Symbol('repeated');

/** Query parameters; the last of repeated ones. Bracketed names (`meta[a]`) stay as they are. */
export type QueryParameters = Readonly<Record<string, string>> & { readonly [repeated]?: ReadonlySet<string> };

/** The address at which a client reaches the server. */
export interface Origin {
  /** `host[:port]` of `PUBLIC_URL`, or else of the validated `Host` header. The latter must never be put into mail. */
  readonly host: string;
  readonly isSecure: boolean;
}

/** `http://host:port` under which the client reached the server, without the default port. */
export const requestOrigin = ({ host, isSecure }: Origin): string =>
  new URL(`${isSecure ? 'https' : 'http'}://${host}`).origin;

export interface RequestHeaders {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A request as handlers see it. */
export interface Call extends Origin, RequestHeaders {
  readonly method: string;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryParameters;
  /** The parsed JSON body; undefined if there is none or it is not JSON. */
  readonly body: unknown;
  /** The bytes of the body. */
  readonly rawBody: Buffer;
  /** The body of a route whose rule is `stream`; the handler must limit it. Empty for other routes. */
  readonly bodyStream: Readable;
  /** The client's IP address, from a trusted proxy if there is one; `virtual robot 5` for the one of garden 5, which the server runs. */
  readonly address: string;
  /** A proxy in a private network passed it on that is not trusted, or does not name its client: `address` is the proxy's. */
  readonly hidesClient: boolean;
  /** Sent by a program on this machine, and by no virtual robot of this process: not limited. [rule V6, ADR 33] */
  readonly isLocal: boolean;
  /** Sent by the robot's OS, or without a User-Agent. */
  readonly isRobot: boolean;
  /** The robot's version as sent, at most 17 characters; null if the client is not a robot or sent none. [decision 27] */
  readonly robotVersion: string | null;
  readonly userAgent: string;
  /** The token in the Authorization header, or null. */
  readonly token: string | null;
  /** The user of the token. Throws an Error in handlers of public routes. */
  readonly session: Session;
  /** The request's id, sent by the client or generated; the reply and the announcements carry it. */
  readonly label: string;
  /** Resolves when the response was sent. */
  readonly responseSent: Promise<void>;
}

/** A reply with a body that is text already. */
export class Reply {
  readonly status: number;
  /** JSON, plain text or HTML, sent as it is. */
  readonly body: JsonText;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: JsonText, type = jsonContentType, status = 200, headers: Readonly<Record<string, string>> = {}) {
    this.body = body;
    this.type = type;
    this.status = status;
    this.headers = headers;
  }

  get text(): string {
    return String(this.body);
  }
}

/** Options of a {@link StreamedReply}. */
export interface StreamedReplyOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** In bytes; without it the reply is chunked. */
  readonly length?: number;
}

/** A streamed reply. An error of the stream closes the connection; a client that disconnects destroys the stream. */
export class StreamedReply {
  readonly content: Readable;
  readonly type: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly length: number | null;

  constructor(content: Readable, type: string, options: StreamedReplyOptions = {}) {
    this.content = content;
    this.type = type;
    this.status = options.status ?? 200;
    this.headers = options.headers ?? {};
    this.length = options.length ?? null;
  }
}

export const jsonContentType = 'application/json; charset=utf-8';

/** Returns a reply with JSON that is text already. */
export const jsonReply = (text: JsonText): Reply => new Reply(text);

/** 200 with an empty body. [decision 3] */
export const emptyReply = new Reply('');

/** The result of a handler: a {@link Reply} or {@link StreamedReply}, undefined for an empty body, or a value to send as JSON. A Failure that is returned keeps the handler's changes, unlike one that is thrown. */
export type HandlerResult = Reply | StreamedReply | undefined | object | null | string | number | boolean;

/**
 * The parsing of a body. `object`: a JSON object, checked before the token. `late`: the same, checked after the token.
 * `optional`: a JSON object or none. `json`: any JSON or none. `any`: bytes. `stream`: read by the handler, outside a transaction. [decision 46]
 */
export type BodyRule = 'object' | 'late' | 'optional' | 'json' | 'any' | 'stream';

/**
 * The body of a route. `maxSize`: bytes that the handler of a stream accepts, which also limit the time of a body of unknown size.
 * `type`: the content type of a stream, if there is only one.
 */
export type RouteBody = { readonly schema: JsonSchema } & (
  | { readonly rule: Exclude<BodyRule, 'stream'> }
  | { readonly rule: 'stream'; readonly maxSize: number; readonly type?: string }
);

/** The content of a reply that is not JSON. */
export type NonJsonContent = 'empty' | 'text' | 'html' | 'binary';

/** The user, the garden and the rights of a token. */
export interface Session {
  readonly userId: number;
  readonly userName: string | null;
  /** The user's current device, even if the token names another. */
  readonly deviceId: number;
  /** The sign-in, with all tokens that were refreshed from it; null for personal tokens. */
  readonly id: number | null;
  /** Identifies the token when it is checked again or ends. */
  readonly jti: string;
  /** `robot`: opened with encrypted credentials, or by the robot's operating system. */
  readonly kind: 'person' | 'robot' | 'personal token';
  /** The name of the personal token; null for sessions. */
  readonly credential: string | null;
  readonly rights: Rights;
  readonly isTemporary: boolean;
  /** Whether it may administer the server, within its scopes. */
  readonly isAdministrator: boolean;
  /** The time at which the user entered the password with which the session began; null if it did not begin with one. */
  readonly signedInAt: Timestamp | null;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** Returns the methods under which a route is served: its own, and the other one of PATCH and PUT. [decision 4] */
export const servedMethods = ({ method }: RouteBase): readonly RouteBase['method'][] =>
  method === 'PATCH' ? ['PATCH', 'PUT'] : method === 'PUT' ? ['PUT', 'PATCH'] : [method];

/** A request that the server sends. */
export interface SentRequest {
  readonly summary: string;
  readonly description: string;
  readonly headers: JsonSchema;
  readonly body: JsonSchema;
}

interface RouteBase {
  /** PATCH is served as PUT, too, and the other way round: this method is documented. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** `/api/tools/:id`. Suffixes and trailing slashes are removed by the HTTP layer. */
  readonly path: string;
  readonly summary: string;
  /** Its action, result and consequences, in whole sentences. */
  readonly description: string;
  /** Groups routes in the documentation. */
  readonly tag: TagName;
  readonly body?: RouteBody;
  readonly query?: JsonSchema;
  /** Path parameters other than `id`. */
  readonly params?: JsonSchema;
  /** The schemas of JSON replies, or other content, by status. Errors that all routes share are added. */
  readonly replies: Readonly<Record<number, JsonSchema | NonJsonContent>>;
  /** The content type of 200: of text that is streamed, or of a stream that the query requests instead of JSON. */
  readonly streamedType?: string;
  /** Of the events that 200 streams, with their data as it is parsed; without it, 200 is text. */
  readonly streamedSchema?: JsonSchema;
  /** The requests that the server sends to addresses of clients, by their names in the description. */
  readonly sends?: Readonly<Record<string, SentRequest>>;
  /** Examples of responses that are text, by status. */
  readonly textExamples?: Readonly<Record<number, string>>;
  /** Served to robots below the minimum version, too. */
  readonly acceptsAnyVersion?: true;
  /** A rate limit in addition to the one of all requests; `none`: neither. */
  readonly rateLimit?: 'sync' | 'reset' | 'demo' | 'feed' | 'none';
  /** In bytes, if it differs from 1 MiB; a larger body is rejected with a line of plain text. */
  readonly maxBodySize?: number;
  /** An addition of Potager's to the API; the documentation says so. */
  readonly addition?: true;
  /** The path of the same operation, if this one is an alias. */
  readonly aliasOf?: string;
  /** Omitted from the OpenAPI document. */
  readonly hidden?: true;
  /** The reason why its answers have no entity tag, of a GET route with JSON. [ADR 66] */
  readonly untagged?: string;
}

/** A route that needs a token. Methods other than GET run in one transaction unless `transaction: false`. */
export interface DeviceRoute extends RouteBase, RightsDeclaration {
  readonly access: 'token';
  readonly transaction?: boolean;
  /** Can be part of a batch: an operation on JSON records that only uses the database, and may run inside a transaction. [ADR 60] */
  readonly batch?: true;
  /**
   * Returns the tables whose logged changes alone change the answer, the same list each time: its entity tag follows from the change
   * log, so that an unchanged answer is not read. Null, and without it: the tag follows from the answer. [ADR 65, 66]
   */
  reads?(call: Call): readonly string[] | null;
  /** The answer follows from the garden's rows alone, whose changes are not all logged: it is kept in memory until one of them changes. [ADR 73] */
  readonly keeps?: true;
  /** Without an Authorization header, the query parameter `ticket` may stand for a token. */
  readonly takesTicket?: true;
  handle(scope: DeviceScope, call: Call): Promise<HandlerResult> | HandlerResult;
}

/** Returns routes that need a token, with the properties that all of them share. */
export const deviceRoutes = <S extends Partial<DeviceRoute>>(
  shared: S,
  routes: readonly Omit<DeviceRoute, 'access' | keyof S>[],
): DeviceRoute[] => routes.map((route) => ({ access: 'token', ...shared, ...route }) as unknown as DeviceRoute);

/** A route that needs no token. Methods other than GET run in one transaction unless `transaction: false`. */
export interface PublicRoute extends RouteBase {
  readonly access: 'public';
  /** Virtual robots in the server may use it; by default only reads below `/api/`. [ADR 93] */
  readonly forVirtualRobots?: true;
  readonly transaction?: boolean;
  handle(scope: ServerScope, call: Call): Promise<HandlerResult> | HandlerResult;
}

export type Route = DeviceRoute | PublicRoute;

/** Whether the answers of a route have entity tags: answers of GET with JSON. [ADR 66] */
export const isTagged = ({ method, replies, untagged }: Route): boolean =>
  method === 'GET' && typeof replies[200] === 'object' && untagged === undefined;

/** Returns the replies of a route, with 304 if they have entity tags. */
export const repliesOf = (route: Route): Route['replies'] =>
  isTagged(route) ? { ...route.replies, 304: 'empty' } : route.replies;

/** Whether a route may be part of a batch. One that must be confirmed may not: a part has no password of its own. */
export const mayBePart = (route: Route): route is DeviceRoute =>
  route.access === 'token' && route.batch === true && !route.confirms;

/** Returns the right that a route needs, for the documentation: `none`, `any`, `session` for routes that only sessions may use, or a scope. */
export function scopeOf(route: Route): Scope | 'none' | 'any' | 'session' {
  if (route.access === 'public') return 'none';
  const { scopes } = needOf(route);
  return typeof scopes === 'string' ? scopes : (scopes[0] ?? 'any');
}
