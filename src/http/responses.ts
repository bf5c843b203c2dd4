import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { Failure } from '../core/errors.ts';
import { jsonFor } from '../core/message.ts';
import { isDiskOutage } from '../core/outage.ts';
import type { HandlerResult } from '../engine/route.ts';
import { emptyReply, Reply, StreamedReply } from '../engine/route.ts';
import { discardRest, hasBody } from './body.ts';
import { compressed } from './compression.ts';
import { renderFailure, renderUnknown } from './error-renderer.ts';
import type { Exchange } from './exchange.ts';
import { say } from './messages.ts';
import { isStrict, strictHandling } from './strict-handling.ts';

/** The reply for a handler's result: empty for undefined, the JSON of anything that is not a reply, with its messages for the reader. */
export function toReply(result: HandlerResult, call: Pick<Exchange, 'reader'>): Reply | StreamedReply {
  if (result instanceof Reply || result instanceof StreamedReply) return result;
  if (result === undefined) return emptyReply;
  return result instanceof Failure ? renderFailure(result, call.reader) : new Reply(jsonFor(call.reader, result));
}

/**
 * Sends the response for an error. An unexpected one is logged; the response contains only the request's id. A client without permission to upload is
 * disconnected, instead of its upload being discarded.
 */
export function sendError(exchange: Exchange, error: unknown): void {
  if (error instanceof Failure) {
    const isEmptyHeader = error.code === 'bad_token' && exchange.token === null;
    if (error.status >= 500) exchange.warn({ ...errorDetails(error), path: exchange.path }, 'a request failed');
    sendChecked(
      exchange,
      renderFailure(error, exchange.reader, isEmptyHeader ? null : 'jwt'),
      exchange.prepared.isStreamed && error.status === 401,
    );
    return;
  }
  if (isDiskOutage(error)) {
    exchange.error({ ...errorDetails(error), path: exchange.path }, 'the disk cannot be used');
    sendChecked(exchange, renderFailure(new Failure('unavailable', say.disk), exchange.reader));
    return;
  }
  exchange.error({ ...errorDetails(error), path: exchange.path }, 'a request failed unexpectedly');
  sendChecked(exchange, renderUnknown(exchange.id, exchange.reader));
}

/** Sends a reply after `onReply` was called with it. `closes`: the connection ends with it. */
export function sendChecked(exchange: Exchange, reply: Reply | StreamedReply, closes = false): void {
  const { route } = exchange.prepared;
  const { onReply } = exchange.context.options;
  if (onReply && route) {
    try {
      onReply(route, reply.status, reply.type, reply instanceof Reply ? reply.text : '');
    } catch (error) {
      if (reply instanceof StreamedReply) reply.content.destroy();
      exchange.error({ ...errorDetails(error), path: exchange.path }, 'a reply differs from its declaration');
      send(exchange, renderUnknown(exchange.id, exchange.reader));
      return;
    }
  }
  send(exchange, reply, closes);
}

/** The headers of a reply, default ones included. */
function headersOf(
  { context, prepared, isSecure, headers, label }: Exchange,
  reply: Pick<Reply, 'status' | 'headers'>,
): string[] {
  const isCrossOrigin = prepared.isApi && headers.origin !== undefined;
  const list = context.headers.of(prepared.isApi, isSecure, isCrossOrigin).with(reply.headers);
  // Scripts of other origins may read further headers if they use them; other replies stay as clients know them. [rule H15]
  if (isCrossOrigin && ('x-total-count' in reply.headers || headers['if-none-match'] !== undefined))
    list.push('access-control-expose-headers', 'ETag, Link, X-Total-Count');
  if (prepared.isApi && isStrict({ headers })) list.push('preference-applied', strictHandling);
  // [rule H6]
  if (prepared.isApi && reply.status !== 429 && reply.status !== 413) list.push('x-farmbot-rpc-id', label);
  return list;
}

/** Sends a reply, compressed if the client accepts it. `closes`: the connection ends with it. */
export function send(exchange: Exchange, reply: Reply | StreamedReply, closes = false): void {
  const smaller = closes ? reply : compressed(exchange, reply);
  if (smaller instanceof Promise)
    smaller
      .then((each) => sendWhole(exchange, each, closes))
      .catch((error: unknown) => sendServerError(exchange, error));
  else if (smaller instanceof Reply) sendWhole(exchange, smaller, closes);
  else sendStreamed(exchange, smaller);
}

function sendWhole(exchange: Exchange, reply: Reply, closes: boolean): void {
  const { context, response } = exchange;
  const { status, body, type } = reply;
  const list = headersOf(exchange, reply);
  const hasNoContent = status === 204 || status === 304;
  if (!hasNoContent) list.push('content-type', type, 'content-length', String(Buffer.byteLength(body)));
  const isLast = closes || context.isStopping;
  if (isLast) list.push('connection', 'close');
  response.writeHead(status, list);
  const content = hasNoContent || exchange.method === 'HEAD' ? '' : body;
  // The body was not read to its end; requests that tests inject have no such property.
  if ((isLast || !response.shouldKeepAlive) && hasBody(exchange.headers) && response.req.complete === false) {
    if (content.length > 0) response.write(content);
    else response.flushHeaders();
    discardRest(response.req, context.timeouts.linger, () => response.end());
  } else endWith(response, content);
  if (exchange.startedAt !== 0) logResponse(exchange, status);
}

/** Ends a response. Node writes the text given to `end` and its end separately, which costs more than one write of both. */
function endWith(response: ServerResponse, content: Reply['body']): void {
  const { socket } = response;
  // A response queued behind others has no socket yet.
  if (typeof content !== 'string' || content === '' || !socket) {
    response.end(content);
    return;
  }
  socket.cork();
  response.write(content);
  socket.uncork();
  response.end();
}

function sendStreamed(exchange: Exchange, reply: StreamedReply): void {
  const { context, response } = exchange;
  const { content, length, status, type } = reply;
  const list = headersOf(exchange, reply);
  list.push('content-type', type);
  if (length !== null) list.push('content-length', String(length));
  if (context.isStopping) list.push('connection', 'close');
  response.writeHead(status, list);
  if (exchange.method === 'HEAD') {
    content.destroy();
    response.end();
  } else {
    response.flushHeaders();
    const { socket } = response;
    const stopWatching = destroyWhenStalled(exchange, content);
    pipeline(content, response, (error) => {
      stopWatching();
      // A stop that began in the meantime closed idle connections only.
      if (context.isStopping) socket?.end();
      const isDisconnect = error?.code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (error && !isDisconnect)
        exchange.error({ ...errorDetails(error), path: exchange.path }, 'a response was aborted');
    });
  }
  if (exchange.startedAt !== 0) logResponse(exchange, status);
}

/** Destroys the connection of a client that stops reading: the content holds a file or a connection to a bucket open. Returns a function that stops watching. */
function destroyWhenStalled({ context, response }: Exchange, content: Readable): () => void {
  // A response queued behind others has no socket yet, but its request has.
  const socket: (Socket & { _handle?: { readonly writeQueueSize?: number } | null }) | undefined = response.req.socket;
  if (!socket) return () => undefined;
  const progress = (): string => `${socket.bytesWritten} ${socket.writableLength} ${socket._handle?.writeQueueSize}`;
  let previous = progress();
  const timer = setInterval(() => {
    const current = progress();
    // With nothing to write, the client is waiting for the content.
    const isWriting = response.writableLength > 0 || socket.writableLength > 0;
    if (isWriting && current === previous) socket.destroy();
    previous = current;
  }, context.timeouts.stall);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    socket.off('close', onClose);
  };
  // A queued response gets no event when its client disconnects.
  const onClose = (): void => {
    stop();
    content.destroy();
  };
  socket.once('close', onClose);
  return stop;
}

/** Responds with 500, or destroys the connection, after sending failed. */
export function sendServerError(exchange: Exchange, error: unknown): void {
  exchange.error({ ...errorDetails(error), path: exchange.path }, 'a response could not be sent');
  if (exchange.response.headersSent) exchange.response.destroy();
  else send(exchange, renderUnknown(exchange.id, exchange.reader));
}

function logResponse(exchange: Exchange, status: number): void {
  const { method, path, startedAt, context } = exchange;
  exchange.debug({ method, path, status, ms: context.options.clock.now() - startedAt }, 'request completed');
}

/** The loggable part of an error. Its other properties stay out: drivers put values of rows there. */
function errorDetails(error: unknown): object {
  if (!(error instanceof Error)) return { problem: typeof error };
  const cause = error.cause instanceof Error ? { cause: `${error.cause.name}: ${error.cause.message}` } : {};
  return { problem: error.stack ?? `${error.name}: ${error.message}`, ...cause };
}
