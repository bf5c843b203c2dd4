import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Actor } from '../core/changes.ts';
import type { Origin } from '../core/events.ts';
import { knownLanguage, languageHeader } from '../core/languages.ts';
import type { Logger } from '../core/logger.ts';
import type { Reader } from '../core/message.ts';
import type { Identity } from '../db/scope.ts';
import { isLocalCall } from '../engine/local-call.ts';
import type { OwnClient } from '../engine/own-connections.ts';
import type { Call, Session } from '../engine/route.ts';
import { BodyStream, noBytes } from './body.ts';
import { limitBodyTime, uploadTime } from './body-timeout.ts';
import type { HttpContext, PreparedRoute, RouteMatch } from './context.ts';
import { requestLabel } from './headers.ts';
import { checkedHost, hostOfSocket } from './host.ts';
import type { Robot } from './robot-version.ts';
import { readRobot } from './robot-version.ts';
import { loggedPath } from './url.ts';

/** The last word of a header: the `x` of `Bearer x`, `Bearer: x` or `x`. [rule H5] */
function lastWord(header: string): string {
  // Usually there is one long word, in which searching backwards would be slow.
  if (!header.includes(' ') && !header.includes('\t')) return header;
  const value = header.trimEnd();
  return value.slice(Math.max(value.lastIndexOf(' '), value.lastIndexOf('\t')) + 1);
}

const languageKey = languageHeader.toLowerCase();

const noMatch: RouteMatch = { params: {}, query: {} };

/** One request and its response: the view of handlers ({@link Call}), its user ({@link Identity}), and its logger. Most properties are computed on demand. */
export class Exchange implements Call, Identity, Logger {
  readonly context: HttpContext;
  readonly prepared: PreparedRoute;
  readonly response: ServerResponse;
  readonly method: string;
  readonly headers: Call['headers'];
  readonly params: Call['params'];
  readonly query: Call['query'];
  body: unknown;
  rawBody: Buffer = noBytes;
  /** Start time in ms since the epoch; 0 unless it is logged. */
  startedAt = 0;
  readonly #request: IncomingMessage;
  #session: Session | null = null;
  #id: string | undefined;
  #label: string | undefined;
  #robot: Robot | undefined;
  #address: string | undefined;
  #isLocal: boolean | undefined;
  #token: string | null | undefined;
  #responseSent: Promise<void> | undefined;
  #bodyStream: Readable | undefined;

  constructor(
    context: HttpContext,
    prepared: PreparedRoute,
    request: IncomingMessage,
    response: ServerResponse,
    { params, query } = noMatch,
  ) {
    this.context = context;
    this.prepared = prepared;
    this.response = response;
    this.#request = request;
    this.method = request.method ?? 'GET';
    this.headers = request.headers;
    this.params = params;
    this.query = query;
  }

  /** The id in logs. */
  get id(): string {
    this.#id ??= this.context.nextRequestId();
    return this.#id;
  }

  get bodyStream(): Readable {
    this.#bodyStream ??= new BodyStream(this.#request, () => this.#limitUploadTime());
    return this.#bodyStream;
  }

  /** The time for a body does not include the handler's wait before it reads. */
  #limitUploadTime(): void {
    const { timeouts } = this.context;
    limitBodyTime(this.#request, uploadTime(this.#request, this.prepared.maxBodySize, timeouts.upload));
  }

  /** The virtual robot in this process that sent the request; null for other clients. */
  get ownClient(): OwnClient | null {
    const { socket } = this.#request;
    // Connections in the process have no address.
    if (socket.remoteAddress !== undefined) return null;
    return this.context.options.ownConnections?.clientOf(socket) ?? null;
  }

  get address(): string {
    this.#address ??= this.#findAddress();
    return this.#address;
  }
  #findAddress(): string {
    const client = this.ownClient;
    return client ? `virtual robot ${client.deviceId}` : this.context.proxy.clientAddress(this.#request);
  }

  get isLocal(): boolean {
    this.#isLocal ??= isLocalCall(this);
    return this.#isLocal;
  }

  get hidesClient(): boolean {
    return this.context.proxy.hidesClient(this.#request);
  }

  /** The address of a proxy that passed the request on although the settings do not name it; null: none did. */
  get unknownProxy(): string | null {
    return this.context.proxy.unknownProxy(this.#request);
  }

  get isSecure(): boolean {
    return this.context.host === null ? this.context.proxy.isSecure(this.#request) : this.context.isPublicSecure;
  }

  get host(): string {
    if (this.context.host !== null) return this.context.host;
    return checkedHost(this.context.proxy.host(this.#request), this.isSecure) ?? hostOfSocket(this.#request.socket);
  }

  get robot(): Robot {
    this.#robot ??= readRobot(this.#request.headers['user-agent']);
    return this.#robot;
  }
  get isRobot(): boolean {
    return this.robot.isRobot;
  }
  get robotVersion(): string | null {
    return this.robot.sent;
  }
  get userAgent(): string {
    return this.#request.headers['user-agent'] ?? '';
  }

  get token(): string | null {
    this.#token ??= this.#readToken();
    return this.#token;
  }
  #readToken(): string | null {
    const header = this.#request.headers.authorization;
    if (header === undefined) return null;
    const word = lastWord(header);
    return word === '' ? null : word;
  }

  get session(): Session {
    if (!this.#session) throw new Error('a public route has no session');
    return this.#session;
  }
  set session(session: Session) {
    this.#session = session;
  }
  get userId(): number | null {
    return this.#session?.userId ?? null;
  }
  get actor(): Actor {
    const { userId = null, userName: name = null, credential: via = null } = this.#session ?? {};
    return { kind: this.isOfRobot ? 'robot' : 'user', user_id: userId, name, via };
  }

  /** The reader of the messages of the response. */
  get reader(): Reader {
    const language = this.headers[languageKey];
    return language === undefined ? 'api' : (knownLanguage(language) ?? 'api');
  }

  /** A client without a User-Agent may be a person's. */
  get isOfRobot(): boolean {
    return this.#session?.kind === 'robot' || (this.isRobot && this.userAgent !== '');
  }

  get label(): string {
    this.#label ??= requestLabel(this.headers['x-farmbot-rpc-id']);
    return this.#label;
  }
  get origin(): Origin {
    return this.isRobot ? 'robot' : 'client';
  }

  /** Resolves when the response was sent, or its connection ended before. */
  get responseSent(): Promise<void> {
    const { response } = this;
    this.#responseSent ??=
      response.writableFinished || response.closed || response.destroyed
        ? Promise.resolve()
        : new Promise((resolve) => {
            response.once('finish', resolve);
            response.once('close', resolve);
          });
    return this.#responseSent;
  }

  /** The path for logs, without query and secrets. */
  get path(): string {
    return loggedPath(this.#request.url ?? '');
  }

  debug(object: object, message: string): void {
    this.context.options.logger.debug({ request: this.id, ...object }, message);
  }
  info(object: object, message: string): void {
    this.context.options.logger.info({ request: this.id, ...object }, message);
  }
  warn(object: object, message: string): void {
    this.context.options.logger.warn({ request: this.id, ...object }, message);
  }
  error(object: object, message: string): void {
    this.context.options.logger.error({ request: this.id, ...object }, message);
  }
}
