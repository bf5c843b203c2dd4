import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { completeText, errorMessage, parseCompletionChunk } from './completion.ts';
import { EventStream, EventTooLongError } from './event-stream.ts';
import { ModelError } from './model-error.ts';

/** One message of a conversation with a model. */
export interface ModelMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** Where to ask, and as whom. */
export interface ModelService {
  /** The base address, as `http://localhost:11434/v1`. */
  readonly url: string;
  readonly key: string | null;
  readonly model: string | null;
}

/** How long a model may take, in ms. */
export interface ModelTimeouts {
  /** Between two signs of life. A model that has to be loaded into memory is silent for a minute. */
  readonly idle: number;
  /** For the whole answer. */
  readonly total: number;
}

const usualPatience: ModelTimeouts = { idle: 120_000, total: 600_000 };

/** Characters of an answer that are handed on. The longest that anybody has a use for is a script of 3,000. */
export const maxAnswerLength = 100_000;
/** Bytes that are read of one answer; pieces come in wrappings of some hundred bytes each. */
const mostBytes = 16 * 1024 * 1024;
/** Bytes that are read of a failure. */
const mostErrorBytes = 64 * 1024;

/** A model behind an OpenAI-compatible address. The address is the operator's own choice: private ones are as good as others. */
export class LanguageModel {
  readonly #service: ModelService;
  readonly #endpoint: URL;
  readonly #patience: ModelTimeouts;

  constructor(service: ModelService, patience: ModelTimeouts = usualPatience) {
    this.#service = service;
    this.#endpoint = endpointOf(service.url);
    this.#patience = patience;
  }

  /**
   * Asks, and gives the pieces of the answer's text as they come, none of them empty. Ends when the answer is whole; throws
   * ModelFailure when it is not, also after some pieces. `signal` ends the request at the service.
   */
  async *answer(messages: readonly ModelMessage[], signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const late = new AbortController();
    const both = AbortSignal.any([signal, late.signal]);
    const wholeTime = setTimeout(() => late.abort(), this.#patience.total).unref();
    try {
      yield* this.#pieces(messages, both, late);
    } catch (error) {
      throw this.#failureOf(error, late.signal.aborted);
    } finally {
      clearTimeout(wholeTime);
      // Whoever has seen enough, or had to give up, wants nothing more from the service.
      late.abort();
    }
  }

  async *#pieces(messages: readonly ModelMessage[], signal: AbortSignal, late: AbortController) {
    const timed = <T>(work: Promise<T>): Promise<T> => {
      const timer = setTimeout(() => late.abort(), this.#patience.idle).unref();
      return work.finally(() => clearTimeout(timer));
    };
    const response = await timed(this.#send(messages, signal));
    const chunks = bounded(response, mostBytes, timed);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw await refusal(response, status, timed);
    let size = 0;
    const texts = /^application\/json\b/.test(response.headers['content-type'] ?? '')
      ? whole(chunks)
      : streamed(chunks);
    for await (const text of texts) {
      size += text.length;
      if (size > maxAnswerLength) throw new ModelError('too long');
      yield text;
    }
    if (size === 0) throw new ModelError('empty');
  }

  #send(messages: readonly ModelMessage[], signal: AbortSignal): Promise<IncomingMessage> {
    const { key, model } = this.#service;
    const body = JSON.stringify({ ...(model !== null && { model }), messages, stream: true });
    const request = this.#endpoint.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#endpoint,
        {
          method: 'POST',
          // A connection that was kept may be gone when the next question comes, hours later.
          agent: false,
          signal,
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            accept: 'text/event-stream, application/json',
            'accept-encoding': 'identity',
            'user-agent': 'Potager',
            ...(key !== null && { authorization: `Bearer ${key}` }),
          },
        },
        resolve,
      );
      sent.on('error', (error) => reject(new ModelError('unreachable', codeOf(error))));
      sent.end(body);
    });
  }

  #failureOf(error: unknown, isLate: boolean): ModelError {
    if (isLate) return new ModelError('late');
    if (error instanceof EventTooLongError) return new ModelError('too long');
    if (error instanceof ModelError) return this.#withoutSecrets(error);
    return new ModelError('broken off', codeOf(error));
  }

  /** Some services repeat the key that they do not like. */
  #withoutSecrets(failure: ModelError): ModelError {
    const { key } = this.#service;
    const secrets = [key, decodeURIComponent(this.#endpoint.password)].filter((each) => each !== null && each !== '');
    let { message } = failure;
    for (const secret of secrets) if (secret) message = message.replaceAll(secret, '…');
    return message === failure.message ? failure : new ModelError(failure.problem, failure.code, message);
  }
}

/** The system's own code of an error. */
const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code.slice(0, 40) : null;

/** The address that completions are asked of; whoever wrote it out whole meant it so. */
function endpointOf(base: string): URL {
  const url = new URL(base);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/chat/completions') ? path : `${path}/chat/completions`;
  return url;
}

type Timed = <T>(work: Promise<T>) => Promise<T>;

/** The chunks of a body, each waited for no longer than a silence may last. Throws ModelFailure for too many bytes. */
async function* bounded(response: IncomingMessage, most: number, timed: Timed): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
  let size = 0;
  for (;;) {
    const { done, value } = await timed(chunks.next());
    if (done) return;
    size += value.length;
    if (size > most) throw new ModelError('too long');
    yield value;
  }
}

async function textFrom(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}

async function* whole(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const text = completeText(await textFrom(chunks));
  if (text !== '') yield text;
}

async function* streamed(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const stream = new EventStream();
  let isWhole = false;
  let hasEvents = false;
  function* texts(events: readonly string[]): Generator<string> {
    for (const event of events) {
      hasEvents = true;
      const { text, isLast } = parseCompletionChunk(event);
      isWhole ||= isLast;
      if (text !== '') yield text;
    }
  }
  for await (const chunk of chunks) {
    yield* texts(stream.take(chunk));
    if (isWhole) return;
  }
  yield* texts(stream.end());
  // A page for people, at a wrong address, has lines too, but no events.
  if (!isWhole) throw new ModelError(hasEvents ? 'broken off' : 'malformed');
}

/** What an answer without success tells. Throws when not even that can be read. */
async function refusal(response: IncomingMessage, status: number, timed: Timed): Promise<ModelError> {
  const code = `status ${status}`;
  const told = await textFrom(bounded(response, mostErrorBytes, timed)).then(errorMessage, (error: unknown) => {
    if (error instanceof ModelError) return null;
    throw error;
  });
  return new ModelError('refused', code, told);
}
