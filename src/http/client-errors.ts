import type { Socket } from 'node:net';
import { Failure } from '../core/errors.ts';
import { jsonContentType } from '../engine/route.ts';
import { crossOrigin } from './headers.ts';

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Status and message for an error of Node's parser. */
function statusAndMessage(code: string | undefined): readonly [number, string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const { status, message } = new Failure('headers_too_large');
    return [status, message];
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request took too long to arrive.'];
  return [400, 'The request is not valid HTTP.'];
}

/** The whole response to a request that could not be parsed. Its origin is unknown, so every origin may read it. */
function clientErrorResponse(code: string | undefined): string {
  const [status, message] = statusAndMessage(code);
  const body = JSON.stringify({ error: message });
  const lines = [`HTTP/1.1 ${status} ${reasons[status]}`];
  for (let i = 0; i < crossOrigin.length; i += 2) lines.push(`${crossOrigin[i]}: ${crossOrigin[i + 1]}`);
  lines.push(`content-type: ${jsonContentType}`, `content-length: ${Buffer.byteLength(body)}`, 'connection: close');
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Time that a client may continue to send before its connection is destroyed, in ms. Without it, the client would not read the response. */
const lingerTime = 1000;

/** Responds on the socket itself, unless a response is being sent already. */
export function onClientError(
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: { readonly headersSent: boolean } | null },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  socket.end(clientErrorResponse(error.code));
  socket.resume();
  setTimeout(() => socket.destroy(), lingerTime).unref();
}
