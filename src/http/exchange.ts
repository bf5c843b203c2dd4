import type { ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Origin } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { Identity } from '../db/scope.ts';
import type { Call } from '../engine/route.ts';
import { BodyContent, noBytes } from './body.ts';
import type { HttpContext, PreparedRoute } from './context.ts';
import { requestLabel } from './headers.ts';
import { checkedHost, hostOfSocket, plainAddress } from './host.ts';
import type { Robot } from './robot-version.ts';
import { readRobot } from './robot-version.ts';
import { loggedPath } from './url.ts';

/** The last word, whatever stands before it: `Bearer x`, `Bearer: x`, `x`. [reference 1.3] */
function lastWord(header: string): string {
  // Most are one long word; searching backwards is slow there.
  if (!header.includes(' ') && !header.includes('\t')) return header;
  const value = header.trimEnd();
  return value.slice(Math.max(value.lastIndexOf(' '), value.lastIndexOf('\t')) + 1);
}

/** One request and its answer: what handlers see of it ({@link Call}), in whose name it acts ({@link Identity}), and its logger. Most is worked out only when asked for. */
export class Exchange implements Call, Identity, Logger {
  readonly edge: HttpContext;
  readonly prepared: PreparedRoute;
  readonly response: ServerResponse;
  readonly id: string;
  readonly method: string;
  readonly headers: Call['headers'];
  readonly params: Call['params'];
  readonly query: Call['query'];
  body: unknown;
  rawBody: Buffer = noBytes;
  userId: number | null = null;
  /** When it began, in milliseconds; 0 when nobody needs to know. */
  began = 0;
  readonly #request: FastifyRequest;
  #label: string | undefined;
  #robot: Robot | undefined;
  #address: string | undefined;
  #answered: Promise<void> | undefined;
  #content: Readable | undefined;

  constructor(edge: HttpContext, prepared: PreparedRoute, request: FastifyRequest, response: ServerResponse) {
    this.edge = edge;
    this.prepared = prepared;
    this.response = response;
    this.#request = request;
    this.id = request.id;
    this.method = request.raw.method ?? 'GET';
    this.headers = request.raw.headers;
    this.params = request.params as Call['params'];
    this.query = request.query as Call['query'];
  }

  get bodyStream(): Readable {
    this.#content ??= new BodyContent(this.#request.raw);
    return this.#content;
  }

  get address(): string {
    this.#address ??= this.#clientAddress();
    return this.#address;
  }

  #clientAddress(): string {
    const connected = this.#request.raw.socket.remoteAddress ?? '';
    const told = this.edge.options.trustProxy === false ? connected : this.#request.ip;
    // Proxies may put words there: `unknown`, or a name.
    return plainAddress(isIP(told) === 0 ? connected : told);
  }

  get isSecure(): boolean {
    if (this.edge.host !== null) return this.edge.isPublicSecure;
    return this.edge.options.trustProxy !== false && this.#request.protocol === 'https';
  }

  get host(): string {
    if (this.edge.host !== null) return this.edge.host;
    const sent = this.edge.options.trustProxy === false ? this.#request.raw.headers.host : this.#request.host;
    return checkedHost(sent, this.isSecure) ?? hostOfSocket(this.#request.raw.socket);
  }

  get robot(): Robot {
    this.#robot ??= readRobot(this.#request.raw.headers['user-agent']);
    return this.#robot;
  }
  get isRobot(): boolean {
    return this.robot.isRobot;
  }
  get robotVersion(): string | null {
    return this.robot.sent;
  }
  get userAgent(): string {
    return this.#request.raw.headers['user-agent'] ?? '';
  }

  get token(): string | null {
    const header = this.#request.raw.headers.authorization;
    if (header === undefined) return null;
    const word = lastWord(header);
    return word === '' ? null : word;
  }

  get label(): string {
    this.#label ??= requestLabel(this.headers['x-farmbot-rpc-id']);
    return this.#label;
  }
  get origin(): Origin {
    return this.isRobot ? 'robot' : 'client';
  }

  /** Settles when the answer has left, or its connection ended before. */
  get responseSent(): Promise<void> {
    const { response } = this;
    this.#answered ??=
      response.writableFinished || response.closed || response.destroyed
        ? Promise.resolve()
        : new Promise((resolve) => {
            response.once('finish', resolve);
            response.once('close', resolve);
          });
    return this.#answered;
  }

  /** The path for logs: without query and secrets. */
  get path(): string {
    return loggedPath(this.#request.raw.url ?? '');
  }

  debug(object: object, message: string): void {
    this.edge.options.logger.debug({ request: this.id, ...object }, message);
  }
  info(object: object, message: string): void {
    this.edge.options.logger.info({ request: this.id, ...object }, message);
  }
  warn(object: object, message: string): void {
    this.edge.options.logger.warn({ request: this.id, ...object }, message);
  }
  error(object: object, message: string): void {
    this.edge.options.logger.error({ request: this.id, ...object }, message);
  }
}
