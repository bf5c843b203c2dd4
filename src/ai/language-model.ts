import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { completeText, serviceErrorMessage } from './completion.ts';
import { completionTexts } from './completion-stream.ts';
import { ModelError } from './model-error.ts';

/** One message of a conversation with a model. */
export interface ModelMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** The service and its credentials. */
export interface ModelService {
  /** The base URL, for example `http://localhost:11434/v1`. */
  readonly url: string;
  readonly key: string | null;
  readonly model: string | null;
}

/** Timeouts of a model, in ms. */
export interface ModelTimeouts {
  /** Between two chunks. Loading a model into memory can take a minute. */
  readonly idle: number;
  /** For the whole answer. */
  readonly total: number;
}

const defaultTimeouts: ModelTimeouts = { idle: 120_000, total: 600_000 };

/** Maximum length of an answer, in characters. The longest usable answer is a script of 3,000. */
const maxAnswerLength = 100_000;
/** Maximum size of a response, in bytes. Each chunk has an overhead of some hundred bytes. */
const maxResponseBytes = 16 * 1024 * 1024;
/** Maximum size of an error response, in bytes. */
const maxErrorBytes = 64 * 1024;

/** A client of an OpenAI-compatible service. The operator configures its URL, so private addresses are allowed. */
export class LanguageModel {
  readonly #service: ModelService;
  readonly #endpoint: URL;
  readonly #timeouts: ModelTimeouts;

  constructor(service: ModelService, timeouts: ModelTimeouts = defaultTimeouts) {
    this.#service = service;
    this.#endpoint = endpointOf(service.url);
    this.#timeouts = timeouts;
  }

  /** Sends messages and yields the non-empty pieces of the answer as they arrive. Throws ModelError if the answer is incomplete, even after some pieces. `signal` aborts the request. */
  async *answer(messages: readonly ModelMessage[], signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const timeout = new AbortController();
    const both = AbortSignal.any([signal, timeout.signal]);
    const totalTimer = setTimeout(() => timeout.abort(), this.#timeouts.total).unref();
    try {
      yield* this.#pieces(messages, both, timeout);
    } catch (error) {
      throw this.#failureOf(error, timeout.signal.aborted);
    } finally {
      clearTimeout(totalTimer);
      // Ends the request if the caller stopped reading or the answer failed.
      timeout.abort();
    }
  }

  async *#pieces(messages: readonly ModelMessage[], signal: AbortSignal, timeout: AbortController) {
    const timed = <T>(work: Promise<T>): Promise<T> => {
      const timer = setTimeout(() => timeout.abort(), this.#timeouts.idle).unref();
      return work.finally(() => clearTimeout(timer));
    };
    const response = await timed(this.#send(messages, signal));
    const chunks = readChunks(response, maxResponseBytes, timed);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw await readError(response, status, timed);
    let size = 0;
    const texts = /^application\/json\b/.test(response.headers['content-type'] ?? '')
      ? completeAnswer(chunks)
      : completionTexts(chunks);
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
          // Requests are rare: a kept-alive connection would be closed before the next one.
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

  #failureOf(error: unknown, isTimeout: boolean): ModelError {
    if (isTimeout) return new ModelError('timeout');
    if (error instanceof ModelError) return this.#withoutSecrets(error);
    return new ModelError('incomplete', codeOf(error));
  }

  /** Removes secrets from a message: some services include an invalid key in it. */
  #withoutSecrets(failure: ModelError): ModelError {
    const { key } = this.#service;
    const secrets = [key, decodeURIComponent(this.#endpoint.password)].filter((each) => each !== null && each !== '');
    let { message } = failure;
    for (const secret of secrets) if (secret) message = message.replaceAll(secret, '…');
    return message === failure.message ? failure : new ModelError(failure.problem, failure.code, message);
  }
}

/** Returns the system's error code. */
const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code.slice(0, 40) : null;

/** Returns the URL of chat completions; a base URL that already ends with that path is used as it is. */
function endpointOf(base: string): URL {
  const url = new URL(base);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/chat/completions') ? path : `${path}/chat/completions`;
  return url;
}

type Timed = <T>(work: Promise<T>) => Promise<T>;

/** Yields the chunks of a body, each within the idle timeout. Throws ModelError for too many bytes. */
async function* readChunks(response: IncomingMessage, maxBytes: number, timed: Timed): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
  let size = 0;
  for (;;) {
    const { done, value } = await timed(chunks.next());
    if (done) return;
    size += value.length;
    if (size > maxBytes) throw new ModelError('too long');
    yield value;
  }
}

async function textFrom(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}

async function* completeAnswer(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const text = completeText(await textFrom(chunks));
  if (text !== '') yield text;
}

/** Reads an error response. Throws if its body cannot be read. */
async function readError(response: IncomingMessage, status: number, timed: Timed): Promise<ModelError> {
  const code = `status ${status}`;
  const message = await textFrom(readChunks(response, maxErrorBytes, timed)).then(
    serviceErrorMessage,
    (error: unknown) => {
      if (error instanceof ModelError) return null;
      throw error;
    },
  );
  return new ModelError('refused', code, message);
}
