import type { components } from './generated/api.ts';

/** The key under which the tab keeps its session. */
export const sessionKey = 'session';

/** Returns a session that the tab keeps; null without one. */
export function storedSession(key = sessionKey): components['schemas']['Session'] | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** How long reads wait for the stream of changes, in ms: some proxies hold a stream back. */
const maxWait = 1000;

/** The reads of a session. They wait until the stream of changes is open, so that no change is between the two. */
export class Reads {
  /** The stream that was open before; null: none was. Undefined while they wait. */
  #stream: Response | null | undefined;
  #begin: () => void = () => undefined;
  /** Resolves when they may be sent. */
  readonly begun = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });

  constructor() {
    // A hidden tab opens no stream.
    if (document.hidden) this.begin(null);
    else setTimeout(() => this.begin(null), maxWait);
  }

  /** Has them sent, if they wait. Returns whether this stream was open before all of them. */
  begin(stream: Response | null): boolean {
    if (this.#stream === undefined) {
      this.#stream = stream;
      this.#begin();
    }
    return stream !== null && this.#stream === stream;
  }
}

/** Opens the stream of changes. */
export const openStream = (token: string, signal: AbortSignal, lastId: string | null): Promise<Response> =>
  fetch('/api/events?live=status,logs,telemetry', {
    headers: {
      authorization: token,
      accept: 'text/event-stream',
      ...(lastId === null ? {} : { 'last-event-id': lastId }),
    },
    signal,
  });

/** The first requests of the map. The build writes this file alone into a script, so that they do not wait for other scripts. */
const paths = ['/api/points', '/api/web_app_config', '/api/gardens'] as const;

const token = storedSession()?.token.encoded;
const isMap = location.pathname === `${import.meta.env.BASE_URL}map`;
const controller = new AbortController();
const responses = new Map<string, Promise<Response>>();

/** The requests of the session with which the tab began. */
export const firstReads = new Reads();
let stream: Promise<Response> | undefined;

if (token) {
  if (!document.hidden) {
    stream = openStream(token, controller.signal, null);
    stream.then(
      (response) => firstReads.begin(response.ok ? response : null),
      () => firstReads.begin(null),
    );
  }
  for (const path of isMap ? paths : []) {
    const response = firstReads.begun.then(() => fetch(path, { headers: { authorization: token } }));
    // The caller that takes it handles the failure.
    response.catch(() => undefined);
    responses.set(path, response);
  }
}

/** Returns the stream of changes that was opened already, once; undefined if it was not. */
export function firstStream(sessionToken: string, signal: AbortSignal): Promise<Response> | undefined {
  const taken = stream;
  stream = undefined;
  if (token !== sessionToken) controller.abort();
  else signal.addEventListener('abort', () => controller.abort());
  return token === sessionToken ? taken : undefined;
}

/** Returns the response to a request that was sent already, once; undefined if it was not. */
export function firstResponse({ method, url, headers }: Request): Promise<Response> | undefined {
  const path = url.replace(location.origin, '');
  const response = responses.get(path);
  if (!response || method !== 'GET' || headers.get('authorization') !== token) return undefined;
  responses.delete(path);
  return response;
}
