import type { Readable } from 'node:stream';
import type { TSchema } from 'typebox';
import type { DeviceScope, JsonText, ServerScope } from '../db/scope.ts';

/** What a client sent, after the HTTP edge looked at it. */
export interface Call {
  readonly method: string;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters; the last of repeated ones. Bracketed names (`meta[a]`) stay as they are. */
  readonly query: Readonly<Record<string, string>>;
  /** The parsed JSON body; undefined when there is none or it is not JSON (routes that need one never see that). */
  readonly body: unknown;
  /** The body's bytes. */
  readonly rawBody: Buffer;
  /** The body of a route whose rule is `stream`, as it comes; its limit is the handler's business. What is left unread is thrown away. Elsewhere it is empty. */
  readonly bodyStream: Readable;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The client's address (that of the client before trusted proxies). */
  readonly address: string;
  /** `host[:port]` from `PUBLIC_URL`, else from the request's checked `Host`; with the scheme in `secure`. Never put into mail. */
  readonly host: string;
  readonly isSecure: boolean;
  /** Sent by the robot's operating system, or without any User-Agent. [reference 1.7] */
  readonly isRobot: boolean;
  /** The robot's version as sent, at most 17 characters; null when it is not a robot or has none. [decision 27] */
  readonly robotVersion: string | null;
  readonly userAgent: string;
  /** The token as sent (last word of the Authorization header), or null. */
  readonly token: string | null;
  /** The request's id, sent or made up; the answer and the announcements carry it. */
  readonly label: string;
  /** Settles when the answer has left. */
  readonly responseSent: Promise<void>;
}

/** An answer that is not simply a JSON value. */
export class Reply {
  readonly status: number;
  /** JSON text, plain text or HTML, sent as it is; empty string for a zero-length body. */
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

/** What else may be said of a {@link StreamedReply}. */
export interface StreamedReplyOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes; without it the answer is sent in chunks. */
  readonly length?: number;
}

/** An answer that leaves piece by piece, as its content comes. Content that fails on the way ends the connection; a client that goes away ends the content. */
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

/** JSON that is text already (a serializer's). */
export const jsonReply = (text: JsonText): Reply => new Reply(text);

/** A zero-length body with 200. [decision 3] */
export const emptyReply = new Reply('');

/** What a handler gives: undefined → empty body, a {@link Reply} or {@link StreamedReply} → as it says, anything else → its JSON. */
export type HandlerResult = Reply | StreamedReply | undefined | object | null | string | number | boolean;

/** How a body is read. `object`: must be a JSON object, checked before the token (creates and updates). `late`: the same after the token. `optional`: JSON object or none. `any`: whatever it is, as bytes. `stream`: the handler reads it, outside a transaction. */
export type BodyRule = 'object' | 'late' | 'optional' | 'any' | 'stream';

/** What a reply is where it is no JSON. */
export type NonJsonContent = 'empty' | 'text' | 'html' | 'binary';

/** Whom a token belongs to. */
export interface Session {
  readonly userId: number;
  /** The user's present device, whatever the token names. */
  readonly deviceId: number;
  readonly jti: string;
}

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `/api/tools/:id`. PATCH is served as PUT too; suffixes and slashes are the edge's business. */
  readonly path: string;
  readonly summary: string;
  /** Groups routes in the documentation. */
  readonly tag: string;
  readonly body?: { readonly rule: BodyRule; readonly schema: TSchema };
  readonly query?: TSchema;
  /** Path parameters other than `id`. */
  readonly params?: TSchema;
  /** Status → schema of the JSON body, or what else it is. Failures that every route shares are added. */
  readonly replies: Readonly<Record<number, TSchema | NonJsonContent>>;
  /** The type of what 200 holds instead when the query asks for it: a {@link StreamedReply}. */
  readonly streamedType?: string;
  /** Old robots may ask this too. [reference 1.7] */
  readonly acceptsAnyVersion?: true;
  /** How often one client may ask, besides the limit on all its requests; `none`: not even that. [reference 1.9] */
  readonly rateLimit?: 'sync' | 'reset' | 'demo' | 'none';
  /** The greatest body in bytes, where it is not 1 MiB; a greater one is refused in one line of text. [reference 1.5] */
  readonly maxBodySize?: number;
  /** Not part of the Spec: an addition of ours, said so in the documentation. */
  readonly addition?: true;
  /** Left out of the OpenAPI document (pages). */
  readonly hidden?: true;
}

/** A route that needs a token. Methods other than GET run in one transaction unless `transaction: false`. */
export interface DeviceRoute extends RouteBase {
  readonly access: 'token';
  readonly transaction?: boolean;
  handle(scope: DeviceScope, call: Call): Promise<HandlerResult> | HandlerResult;
}

/** A route that anybody may call. Methods other than GET run in one transaction unless `transaction: false`. */
export interface PublicRoute extends RouteBase {
  readonly access: 'public';
  readonly transaction?: boolean;
  handle(scope: ServerScope, call: Call): Promise<HandlerResult> | HandlerResult;
}

export type Route = DeviceRoute | PublicRoute;
