import { applyTheme, storedTheme } from '../ui/initial-theme.ts';
import type { components } from './generated/api.ts';

// Before anything is drawn with the colors of a theme.
applyTheme(storedTheme());

/** The key under which the tab keeps its session. */
export const sessionKey = 'session';

type Session = components['schemas']['Session'];

function parsed<T>(text: string | null): T | null {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

/** Returns a session that the tab keeps; null without one. */
export const storedSession = (key = sessionKey): Session | null => parsed(sessionStorage.getItem(key));

/** The key of the local storage under which the browser keeps what it resumes its session with. */
const resumptionKey = 'resumption';

/** The half of a resumable session that scripts know, and its user. The other half is a cookie that they cannot read. */
interface Resumption {
  readonly key: string;
  readonly user: number;
}

/** Returns the session that this browser resumes; null: none. */
export const storedResumption = (): Resumption | null => parsed(localStorage.getItem(resumptionKey));

/** Has new tabs of this browser resume a session; with null, none. */
export function storeResumption(resumption: Resumption | null): void {
  if (resumption) localStorage.setItem(resumptionKey, JSON.stringify(resumption));
  else localStorage.removeItem(resumptionKey);
}

/** Pauses before further attempts to resume a session, in ms; the last one repeats. */
const pauses = [500, 2000, 5000] as const;
/** Timeout of an attempt, in ms. */
const timeout = 15_000;

/** Returns the status and the body of the server's answer; null if it does not answer now, or a proxy's page did instead. */
async function attempt({ key }: Resumption): Promise<{ readonly status: number; readonly session: Session } | null> {
  try {
    const response = await fetch('/api/tokens/resume', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
      signal: AbortSignal.timeout(timeout),
    });
    const { status } = response;
    return status >= 500 || status === 429 ? null : { status, session: await response.json() };
  } catch {
    return null;
  }
}

/** Resumes the session of this browser; null if there is none, or it has ended. Asks until the server answers, or at most so many times. */
export async function resumeSession(attempts = Number.POSITIVE_INFINITY): Promise<Session | null> {
  for (let count = 0; count < attempts; count++) {
    // Another tab may have signed in or out since.
    const resumption = storedResumption();
    if (!resumption) return null;
    const answer = await attempt(resumption);
    if (answer?.status === 200) return answer.session;
    if (answer?.status === 401 && storedResumption()?.key === resumption.key) storeResumption(null);
    if (answer) return null;
    if (count + 1 < attempts)
      await new Promise((resolve) => setTimeout(resolve, pauses[Math.min(count, pauses.length - 1)]));
  }
  return null;
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

const base = import.meta.env.BASE_URL;
let token: string | undefined;
const controller = new AbortController();
const responses = new Map<string, Promise<Response>>();

/** The requests of the session with which the tab began. */
export const firstReads = new Reads();
let stream: Promise<Response> | undefined;

function sendFirst(session: Session): void {
  const { encoded } = session.token;
  token = encoded;
  if (!document.hidden) {
    stream = openStream(encoded, controller.signal, null);
    stream.then(
      (response) => firstReads.begin(response.ok ? response : null),
      () => firstReads.begin(null),
    );
  }
  for (const path of location.pathname === `${base}map` ? paths : []) {
    const response = firstReads.begun.then(() => fetch(path, { headers: { authorization: encoded } }));
    // The caller that takes it handles the failure.
    response.catch(() => undefined);
    responses.set(path, response);
  }
}

/** An address of the console; anything else would be an open redirect. */
export const isOwnAddress = (address: string | null | undefined): address is string =>
  /^\/(?![/\\])/.test(address ?? '');

async function begin(): Promise<void> {
  const search = new URLSearchParams(location.search);
  const isSignIn = location.pathname === `${base}sign-in`;
  const next = isSignIn && !search.has('terms') ? search.get('next') : null;
  // A user who opens the sign-in, as after a sign-out, chooses the account. One who was sent there wants the page.
  if (isSignIn && !isOwnAddress(next)) return;
  // The sign-out also clears what this browser keeps, without an answer.
  const session = await resumeSession(location.pathname === `${base}sign-out` ? 2 : undefined);
  if (!session) return;
  if (isOwnAddress(next)) history.replaceState(null, '', base + next.slice(1));
  sessionStorage.setItem(sessionKey, JSON.stringify(session));
  sendFirst(session);
}

const ofTab = storedSession();
if (ofTab) sendFirst(ofTab);

/** Resolves when the tab has its session, if there is one. */
export const begun: Promise<void> = ofTab ? Promise.resolve() : begin();

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
