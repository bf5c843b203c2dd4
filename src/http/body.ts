import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Failure } from '../core/errors.ts';
import { say } from './messages.ts';

/** Whether a request announces a body. */
export const hasBody = (headers: IncomingMessage['headers']): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** Bytes beyond the limit that are still read and discarded: a client that is disconnected while it writes does not read the response. */
const maxDiscardedBytes = 16 * 1024 * 1024;

/** Total time for reading the rest of a body, in ms. */
const maxDiscardTime = 30_000;

/**
 * Reads and discards the rest of a body, until its end, too many bytes, or `silence` ms without one; then calls `done` once.
 * Ending the connection while the client still writes would lose the response.
 */
export function discardRest(request: IncomingMessage, silence: number, done: () => void): void {
  let size = 0;
  const finish = (): void => {
    clearTimeout(quiet);
    clearTimeout(late);
    request.off('data', onData).off('end', finish).off('close', finish);
    done();
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > maxDiscardedBytes) finish();
    else quiet.refresh();
  };
  const quiet = setTimeout(finish, silence);
  const late = setTimeout(finish, maxDiscardTime);
  request.on('data', onData).on('end', finish).on('close', finish).resume();
}

/** The end of reading a body. `endless`: too large even to be discarded, so the connection must be closed. */
export type BodyEnd = 'complete' | 'too large' | 'endless';

/** Reads a body of at most `limit` bytes. Calls `done` once, or never if the client disconnects first. */
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
      if (size > limit + maxDiscardedBytes) finish('endless');
    }
  };
  const onEnd = (): void => finish(size > limit ? 'too large' : 'complete');
  if (Number(request.headers['content-length']) > limit + maxDiscardedBytes) {
    finish('endless');
    return;
  }
  request.on('data', onData);
  request.on('end', onEnd);
}

/** A body that a handler reads. Destroying it leaves the connection open, so that the client still gets a response. */
export class BodyStream extends Readable {
  readonly #request: IncomingMessage;
  #onStart: (() => void) | null;

  /** `onStart`: called when the body is read or discarded, once. */
  constructor(request: IncomingMessage, onStart: () => void) {
    super();
    // A client may disconnect before the handler reads, such as while an import waits for its turn: without a listener, the error
    // would end the process. A later reader gets it all the same.
    this.on('error', () => undefined);
    this.#request = request;
    this.#onStart = onStart;
    request.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose).pause();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.push(chunk)) this.#request.pause();
  };
  readonly #onEnd = (): void => {
    this.push(null);
  };
  readonly #onClose = (): void => {
    if (!this.#request.readableEnded) this.destroy(new Failure('bad_request', say.cutOff));
  };

  override _read(): void {
    this.#start();
    this.#request.resume();
  }

  #start(): void {
    this.#onStart?.();
    this.#onStart = null;
  }

  /** Discards the rest of the request; a client that sends too much of it is disconnected. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const request = this.#request;
    this.#start();
    request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    let size = 0;
    if (!request.readableEnded && !request.destroyed)
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxDiscardedBytes) request.destroy();
      });
    request.resume();
    done(error);
  }
}

/** No body. */
export const noBytes: Buffer = Buffer.alloc(0);
