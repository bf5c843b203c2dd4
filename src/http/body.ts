import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Failure } from '../core/errors.ts';

/** Deepest nesting of a JSON body. [reference 1.2] */
export const deepest = 100;

/** What {@link parseJson} gives for bytes that are no JSON we take. */
export const malformed = Symbol('malformed');

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Whether lists and objects are nested deeper than allowed; looks at bytes only, so that no depth can hurt it. */
function isTooDeep(bytes: Buffer): boolean {
  if (bytes.length <= deepest) return false;
  let depth = 0;
  let inText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inText) {
      if (byte === backslash) i++;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === openObject || byte === openList) {
      depth++;
      if (depth > deepest) return true;
    } else if (byte === closeObject || byte === closeList) depth--;
  }
  return false;
}

/** The value of a body: undefined when it is empty or white space, {@link malformed} when it is no JSON, no UTF-8 or nested too deeply. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) return malformed;
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = bytes.toString('utf8', hasMark ? 3 : 0);
  if (text.trim() === '') return undefined;
  if (isTooDeep(bytes)) return malformed;
  try {
    // `__proto__` becomes a key like any other; nobody further on assigns by the name of a key that was sent.
    return JSON.parse(text);
  } catch {
    return malformed;
  }
}

/** Whether a request announces a body. */
export const hasBody = (headers: IncomingMessage['headers']): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** Bytes beyond the limit that are still read and thrown away: a client that is cut off while it writes never sees the answer. */
const patience = 16 * 1024 * 1024;

/** How reading a body ended. `endless`: too large even to be skipped, the connection must be closed. */
export type BodyEnd = 'complete' | 'too large' | 'endless';

/** Reads a body of at most `limit` bytes. `done` is called once, or never when the client goes away before the body's end. */
export function readBody(request: IncomingMessage, limit: number, done: (end: BodyEnd, bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = (end: BodyEnd): void => {
    request.off('data', onData);
    request.off('end', onEnd);
    done(end, end !== 'complete' ? noBytes : chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else {
      chunks.length = 0;
      if (size > limit + patience) finish('endless');
    }
  };
  const onEnd = (): void => finish(size > limit ? 'too large' : 'complete');
  if (Number(request.headers['content-length']) > limit + patience) {
    finish('endless');
    return;
  }
  request.on('data', onData);
  request.on('end', onEnd);
}

/** A body as a handler reads it. Giving it up leaves the connection alone, so that the client can still be answered. */
export class BodyContent extends Readable {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    super();
    this.#request = request;
    request.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose).pause();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.push(chunk)) this.#request.pause();
  };
  readonly #onEnd = (): void => {
    this.push(null);
  };
  readonly #onClose = (): void => {
    if (!this.#request.readableEnded)
      this.destroy(new Failure('bad_request', 'The connection ended in the middle of the body.'));
  };

  override _read(): void {
    this.#request.resume();
  }

  /** The request itself goes on: what is left of it is thrown away, and a client that never ends is cut off. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const request = this.#request;
    request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    let size = 0;
    if (!request.readableEnded && !request.destroyed)
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > patience) request.destroy();
      });
    request.resume();
    done(error);
  }
}

/** No body. */
export const noBytes: Buffer = Buffer.alloc(0);
