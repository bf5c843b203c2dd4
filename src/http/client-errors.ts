import type { Socket } from 'node:net';
import { Failure } from '../core/errors.ts';
import { jsonContentType } from '../engine/route.ts';
import { crossOrigin } from './headers.ts';

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Status and sentence for what Node's parser refused. */
function told(code: string | undefined): readonly [number, string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const { status, message } = new Failure('headers_too_large');
    return [status, message];
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request took too long to arrive.'];
  return [400, 'This is not a request that HTTP knows.'];
}

/** The whole answer to a request that never became one. Its origin is unknown, so every origin may read it. */
export function clientErrorAnswer(code: string | undefined): string {
  const [status, sentence] = told(code);
  const body = JSON.stringify({ error: sentence });
  const lines = [`HTTP/1.1 ${status} ${reasons[status]}`];
  for (let i = 0; i < crossOrigin.length; i += 2) lines.push(`${crossOrigin[i]}: ${crossOrigin[i + 1]}`);
  lines.push(`content-type: ${jsonContentType}`, `content-length: ${Buffer.byteLength(body)}`, 'connection: close');
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** How long a client may go on sending what nobody reads, before its connection is cut. Cut at once, it would never see the answer. */
const patience = 1000;

/** Answers on the bare connection, unless an answer is on its way there already. */
export function onClientError(
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: { readonly headersSent: boolean } | null },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  socket.end(clientErrorAnswer(error.code));
  socket.resume();
  setTimeout(() => socket.destroy(), patience).unref();
}
