import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from './body.ts';
import { onClientError } from './client-errors.ts';

/** Ends the connection unless the whole body arrives within `timeout` ms. */
export function limitBodyTime(request: IncomingMessage, timeout: number): void {
  // Most bodies arrive with the head of their request: they are complete when its bytes are parsed.
  if (expectsBody(request)) process.nextTick(() => limitLateBody(request, timeout));
}

function limitLateBody(request: IncomingMessage, timeout: number): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => {
    if (!request.complete) end(request);
  }, timeout);
  timer.unref();
  onceFinished(request, () => clearTimeout(timer));
}

/** Ends the connection when no byte of the body arrives for `timeout` ms while it is being read. */
export function limitSilence(request: IncomingMessage, timeout: number): void {
  if (!expectsBody(request)) return;
  let previous: number | null = null;
  const timer = setInterval(() => {
    const current = request.readableFlowing === true && !request.complete ? request.socket.bytesRead : null;
    if (current !== null && current === previous) end(request);
    previous = current;
  }, timeout);
  timer.unref();
  onceFinished(request, () => clearInterval(timer));
}

/** The least speed of uploads, in bytes per second. */
const minUploadSpeed = 64 * 1024;

/**
 * Returns the time for a body that its handler reads, in ms: its declared size, or `maxSize` where none is declared, at 64 KiB/s, and at least
 * `minTime`.
 */
export function uploadTime({ headers }: IncomingMessage, maxSize: number, minTime: number): number {
  const declared = Number(headers['content-length'] ?? maxSize);
  return Math.max(minTime, (Math.min(declared, maxSize) / minUploadSpeed) * 1000);
}

const expectsBody = (request: IncomingMessage): boolean => hasBody(request.headers) && request.complete === false;

function onceFinished(request: IncomingMessage, callback: () => void): void {
  request.once('end', callback);
  request.once('close', callback);
}

/** Ends a connection as Node does on its request timeout, without a second response after one that was sent. */
function end(request: IncomingMessage): void {
  const socket: Socket & { _httpMessage?: { readonly headersSent: boolean } | null } = request.socket;
  if (socket._httpMessage) onClientError(Object.assign(new Error('timeout'), { code: timeoutCode }), socket);
  else socket.destroy();
}

/** Node's code for a request timeout. */
const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';
