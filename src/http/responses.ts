import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { Failure } from '../core/errors.ts';
import type { HandlerResult } from '../engine/route.ts';
import { emptyReply, jsonContentType, Reply, StreamedReply } from '../engine/route.ts';
import { hasBody, skipRest } from './body.ts';
import { renderFailure, renderUnknown } from './error-renderer.ts';
import type { Exchange } from './exchange.ts';
import { overridden } from './headers.ts';

/** What a handler gave, as a reply: undefined is an empty one, everything but a reply becomes JSON. */
export const replyOf = (answer: HandlerResult): Reply | StreamedReply =>
  answer instanceof Reply || answer instanceof StreamedReply
    ? answer
    : answer === undefined
      ? emptyReply
      : new Reply(JSON.stringify(answer));

/** Answers with a failure. One that nobody foresaw is told by its id only; the log has the rest. */
export function fail(exchange: Exchange, error: unknown): void {
  if (error instanceof Failure) {
    const isEmptyHeader = error.code === 'bad_token' && exchange.token === null;
    if (error.status >= 500) exchange.warn({ ...failureOf(error), path: exchange.path }, 'a request failed');
    check(exchange, renderFailure(error, isEmptyHeader ? null : 'jwt'));
    return;
  }
  exchange.error({ ...failureOf(error), path: exchange.path }, 'a request failed unexpectedly');
  check(exchange, renderUnknown(exchange.id));
}

/** Lets the response guard see a reply, then sends it. */
export function check(exchange: Exchange, reply: Reply | StreamedReply): void {
  const { route } = exchange.prepared;
  const { onReply } = exchange.edge.options;
  if (onReply && route) {
    try {
      onReply(route, reply.status, reply.type, reply instanceof Reply ? reply.text : '');
    } catch (error) {
      if (reply instanceof StreamedReply) reply.content.destroy();
      exchange.error({ ...failureOf(error), path: exchange.path }, 'a reply is not as declared');
      send(exchange, renderUnknown(exchange.id));
      return;
    }
  }
  if (reply instanceof Reply) send(exchange, reply);
  else sendStreamed(exchange, reply);
}

/** The headers that every answer of its kind has, and those of this one. */
function headersOf(
  { edge, prepared, isSecure, headers, label }: Exchange,
  reply: Pick<Reply, 'status' | 'headers'>,
): string[] {
  const base = edge.headers.of(prepared.isApi, isSecure, prepared.isApi && headers.origin !== undefined);
  const list = Object.keys(reply.headers).length === 0 ? base.slice() : overridden(base, reply.headers);
  // Throttled and oversized requests never got as far as an id. [reference 1.3]
  if (prepared.isApi && reply.status !== 429 && reply.status !== 413) list.push('x-farmbot-rpc-id', label);
  return list;
}

/** Sends a reply with the headers that every answer of its kind has. */
export function send(exchange: Exchange, reply: Reply, isClosing = false): void {
  const { edge, response } = exchange;
  const { status, body, type } = reply;
  const list = headersOf(exchange, reply);
  const isBodiless = status === 204 || status === 304;
  if (!isBodiless) list.push('content-type', type, 'content-length', String(Buffer.byteLength(body)));
  const isLast = isClosing || edge.isStopping;
  if (isLast) list.push('connection', 'close');
  response.writeHead(status, list);
  const content = isBodiless || exchange.method === 'HEAD' ? '' : body;
  // Of requests that were not read to their end; those of tests that never went over a connection have none.
  if ((isLast || !response.shouldKeepAlive) && hasBody(exchange.headers) && response.req.complete === false) {
    if (content.length > 0) response.write(content);
    else response.flushHeaders();
    skipRest(response.req, edge.times.linger, () => response.end());
  } else response.end(content);
  if (exchange.began !== 0) logAnswer(exchange, status);
}

/** Sends a reply whose body is yet to come. */
function sendStreamed(exchange: Exchange, reply: StreamedReply): void {
  const { edge, response } = exchange;
  const { content, length, status, type } = reply;
  const list = headersOf(exchange, reply);
  list.push('content-type', type);
  if (length !== null) list.push('content-length', String(length));
  if (edge.isStopping) list.push('connection', 'close');
  response.writeHead(status, list);
  if (exchange.method === 'HEAD') {
    content.destroy();
    response.end();
  } else {
    response.flushHeaders();
    const { socket } = response;
    const stopWatching = endWhenStalled(exchange, content);
    pipeline(content, response, (error) => {
      stopWatching();
      // A stop that began meanwhile has closed the connections that were idle then, and not this one.
      if (edge.isStopping) socket?.end();
      // Whoever has seen enough leaves; that is no failure.
      const isLeft = error?.code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (error && !isLeft) exchange.error({ ...failureOf(error), path: exchange.path }, 'an answer broke off');
    });
  }
  if (exchange.began !== 0) logAnswer(exchange, status);
}

/** Ends the connection of a client that takes nothing of what is sent to it: its content holds a file open, or a connection to a bucket. Gives the function that ends this. */
function endWhenStalled({ edge, response }: Exchange, content: Readable): () => void {
  // An answer behind others on its connection has none yet, but its request has.
  const socket: (Socket & { _handle?: { readonly writeQueueSize?: number } | null }) | undefined = response.req.socket;
  if (!socket) return () => undefined;
  const left = (): string => `${socket.bytesWritten} ${socket.writableLength} ${socket._handle?.writeQueueSize}`;
  let before = left();
  const timer = setInterval(() => {
    const now = left();
    // Where nothing waits to be taken, the client waits for the content.
    const isWaiting = response.writableLength > 0 || socket.writableLength > 0;
    if (isWaiting && now === before) socket.destroy();
    before = now;
  }, edge.times.stall);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    socket.off('close', onClose);
  };
  // An answer that never got its turn does not learn by itself that its client left.
  const onClose = (): void => {
    stop();
    content.destroy();
  };
  socket.once('close', onClose);
  return stop;
}

/** Answers for the connection, when even sending failed. */
export function abandon(exchange: Exchange, error: unknown): void {
  exchange.error({ ...failureOf(error), path: exchange.path }, 'an answer could not be sent');
  if (exchange.response.headersSent) exchange.response.destroy();
  else send(exchange, new Reply(renderUnknown(exchange.id).text, jsonContentType, 500));
}

function logAnswer(exchange: Exchange, status: number): void {
  const { method, path, began, edge } = exchange;
  exchange.debug({ method, path, status, ms: edge.options.clock.now() - began }, 'answered');
}

/** What the log may know of an error. Drivers put values of rows into further properties: those stay out. */
function failureOf(error: unknown): object {
  if (!(error instanceof Error)) return { problem: typeof error };
  const cause = error.cause instanceof Error ? { cause: `${error.cause.name}: ${error.cause.message}` } : {};
  return { problem: error.stack ?? `${error.name}: ${error.message}`, ...cause };
}
