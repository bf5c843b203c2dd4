import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from './body.ts';
import { onClientError } from './client-errors.ts';

/** Ends the connection of a request whose body is not there after so many ms. */
export function limitBodyTime(request: IncomingMessage, most: number): void {
  if (!isAwaited(request)) return;
  const timer = setTimeout(() => {
    if (!request.complete) end(request);
  }, most);
  timer.unref();
  onceOver(request, () => clearTimeout(timer));
}

/** Ends the connection of a request whose body brings no byte for so many ms; while nobody reads it, none is missed. */
export function limitSilence(request: IncomingMessage, most: number): void {
  if (!isAwaited(request)) return;
  let seen: number | null = null;
  const timer = setInterval(() => {
    const now = request.readableFlowing === true && !request.complete ? request.socket.bytesRead : null;
    if (now !== null && now === seen) end(request);
    seen = now;
  }, most);
  timer.unref();
  onceOver(request, () => clearInterval(timer));
}

const isAwaited = (request: IncomingMessage): boolean => hasBody(request.headers) && request.complete === false;

function onceOver(request: IncomingMessage, done: () => void): void {
  request.once('end', done);
  request.once('close', done);
}

/** As Node does with requests that take too long; one that was answered already is told nothing more. */
function end(request: IncomingMessage): void {
  const socket: Socket & { _httpMessage?: { readonly headersSent: boolean } | null } = request.socket;
  if (socket._httpMessage) onClientError(Object.assign(new Error('too late'), { code: lateCode }), socket);
  else socket.destroy();
}

/** How Node calls it. */
const lateCode = 'ERR_HTTP_REQUEST_TIMEOUT';
