import type { paths } from '../generated/api.ts';
import { textStreams } from '../generated/streams.ts';
import { Failure, failureOf } from './failure.ts';
import { serverEvents } from './server-events.ts';
import { pause, type Session } from './session.ts';

type Method = 'get' | 'post';

/** The content of an operation's event stream; never for other operations. */
type Content<P extends keyof paths, M extends Method> = paths[P][M] extends {
  responses: { 200: { content: { 'text/event-stream': infer C } } };
}
  ? C
  : never;

/** The paths whose operation responds with an event stream. */
export type StreamPath<M extends Method> = {
  [P in keyof paths]: [Content<P, M>] extends [never] ? never : P;
}[keyof paths];

/** An event with its data. */
interface StreamEvent {
  /** The type of the event; `message` by default. */
  readonly event: string;
  /** Its id, with which a stream resumes; empty if it has none. */
  readonly id: string;
  readonly data: unknown;
}

/** A piece of streamed text, or an event, whose name gives its data a type. */
export type StreamItem<P extends keyof paths, M extends Method> = [Content<P, M>] extends [string]
  ? string
  : Content<P, M>;

type Body<P extends keyof paths, M extends Method> = paths[P][M] extends { requestBody: { content: infer C } }
  ? C[keyof C]
  : never;

type Query<P extends keyof paths, M extends Method> = paths[P][M] extends { parameters: { query?: infer Q } }
  ? Q
  : never;

/** The content of the request, and a signal that ends the stream. */
export interface StreamRequest<P extends keyof paths, M extends Method> {
  readonly body?: Body<P, M>;
  readonly query?: Query<P, M>;
  readonly signal?: AbortSignal;
}

/** Milliseconds before a stream that broke is requested again, unless the server says otherwise. */
const defaultRetryDelay = 2_000;

/**
 * Iterates over the response of an operation that streams it. Events of GET operations resume after a lost connection, from
 * the last event that arrived; end them with the signal, or by leaving the loop. Throws a `Failure`; for an invalid URL at
 * once a TypeError.
 */
export function stream<M extends Method, P extends StreamPath<M>>(
  session: Session,
  method: M,
  path: P,
  request: StreamRequest<P, M>,
): AsyncGenerator<StreamItem<P, M>, void, undefined>;
export function stream(
  session: Session,
  method: Method,
  path: string,
  request: { readonly body?: unknown; readonly query?: unknown; readonly signal?: AbortSignal },
): AsyncGenerator<unknown, void, undefined> {
  const isText = textStreams.includes(`${method} ${path}`);
  const query = new URLSearchParams(Object.entries(request.query ?? {}).map(([key, value]) => [key, String(value)]));
  // Here, as an invalid one is no outage.
  const url = new URL(`${session.server}${path}${query.size > 0 ? `?${query}` : ''}`);
  const open = (lastId: string): Promise<Response> =>
    session.fetch(
      new Request(url, {
        method: method.toUpperCase(),
        headers: {
          accept: 'text/event-stream',
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(lastId === '' ? {} : { 'last-event-id': lastId }),
        },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        ...(request.signal ? { signal: request.signal } : {}),
      }),
    );
  return isText ? texts(open, request.signal) : events(open, method === 'get', request.signal);
}

/** Whether a connection broke, which `fetch` reports as a TypeError, or a proxy did not reach the server. */
const isOutage = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Failure && [502, 503, 504].includes(error.status));

type Open = (lastId: string) => Promise<Response>;

async function* texts(open: Open, signal?: AbortSignal): AsyncGenerator<string, void, undefined> {
  yield* piecesOf(await open(''), signal);
}

async function* events(
  open: Open,
  isResumed: boolean,
  signal?: AbortSignal,
): AsyncGenerator<StreamEvent, void, undefined> {
  let lastId = '';
  let delay = defaultRetryDelay;
  for (;;) {
    try {
      for await (const { event, id, data, retry } of serverEvents(piecesOf(await open(lastId), signal), lastId)) {
        lastId = id;
        delay = retry ?? delay;
        if (data !== '') yield { event, id, data: JSON.parse(data) };
      }
    } catch (error) {
      if (!isResumed || !isOutage(error)) throw error;
    }
    if (!isResumed) return;
    await pause(delay, signal);
  }
}

/** The body of a response as text, in the pieces that arrive. Throws a `Failure`, and the reason of the signal. */
async function* piecesOf(response: Response, signal?: AbortSignal): AsyncGenerator<string, void, undefined> {
  if (!response.ok) throw await failureOf(response);
  // The signal again: Node.js drops that of a request when the request is garbage collected.
  const reader = response.body?.pipeThrough(new TextDecoderStream(), signal ? { signal } : {}).getReader();
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) yield read.value;
  } finally {
    await reader?.cancel();
  }
}
