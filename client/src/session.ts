import type { paths } from '../generated/api.ts';
import { failureOf, retryAfterOf } from './failure.ts';

/** A token with its claims, and the user to whom it belongs. */
export type Account = paths['/api/tokens']['post']['responses'][200]['content']['application/json'];

/** Sends requests with a token. */
export interface Session {
  /** `https://garden.example`, without a slash at the end. */
  readonly server: string;
  /** Returns a token that is valid for a while, signing in again if necessary. Throws a `Failure`. */
  token(): Promise<string>;
  /** Sends a request, with the token if it is for the server, which may ask to repeat it (`Retry-After`). */
  fetch(request: Request): Promise<Response>;
}

/** A session of a user who signed in with a password. */
export interface UserSession extends Session {
  /** The account as of the last sign-in. Throws a `Failure`. */
  account(): Promise<Account>;
}

export interface SessionOptions {
  readonly server: string;
  /** The `fetch` to use instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Seconds for which a request waits for its repetition; 60 by default, 0 repeats none. */
  readonly maxRetryDelay?: number;
}

/** A token is renewed when less than this part of its lifetime is left. */
const renewedPart = 0.1;
const maxAttempts = 3;
/** Seconds. */
const defaultRetryDelay = 60;

/** Signs in with e-mail address and password, and again before the token ends. Throws a `Failure`. */
export async function signIn(
  options: SessionOptions & { readonly email: string; readonly password: string },
): Promise<UserSession> {
  const { email, password, fetch = globalThis.fetch } = options;
  const server = originOf(options.server);
  let current = signedIn();
  async function signedIn(): Promise<Account> {
    const request = new Request(`${server}/api/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user: { email, password } }),
    });
    const response = await sendRepeatedly(request, fetch, options);
    if (!response.ok) throw await failureOf(response);
    return response.json();
  }
  async function account(): Promise<Account> {
    const known = current;
    const isOld = await known.then(
      ({ token: { unencoded } }) => unencoded.exp - Date.now() / 1000 < (unencoded.exp - unencoded.iat) * renewedPart,
      () => true,
    );
    // Requests that find the token old at the same time share one sign-in.
    if (isOld && current === known) current = signedIn();
    return current;
  }
  await current;
  return { ...session({ ...options, token: async () => (await account()).token.encoded }), account };
}

/** A session with a token of your own. Throws a TypeError if it is missing. */
export function session(options: SessionOptions & { readonly token: string | (() => Promise<string>) }): Session {
  const { token: given, fetch = globalThis.fetch } = options;
  // Such as a variable of the environment that is not set.
  if (!given) throw new TypeError('session needs a token');
  const token = async (): Promise<string> => (typeof given === 'string' ? given : given());
  const server = originOf(options.server);
  return {
    server,
    token,
    async fetch(request) {
      // Such as the address of a photo in a bucket.
      if (new URL(request.url).origin !== server) return fetch(request);
      const authorized = new Request(request);
      authorized.headers.set('authorization', `Bearer ${await token()}`);
      return sendRepeatedly(authorized, fetch, options);
    },
  };
}

/** Throws a TypeError if the address is not of http or https, as `localhost:3000`, whose scheme would be `localhost`. */
function originOf(server: string): string {
  const { protocol, origin } = new URL(server);
  if (!/^https?:$/.test(protocol)) throw new TypeError(`server must begin with http:// or https://: ${server}`);
  return origin;
}

/** Resolves after a time in ms. Rejects when the signal is aborted. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const endPause = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', endPause);
      resolve();
    }, ms);
    signal?.addEventListener('abort', endPause, { once: true });
  });

async function sendRepeatedly(
  request: Request,
  fetch: typeof globalThis.fetch,
  { maxRetryDelay = defaultRetryDelay }: SessionOptions,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(request.clone());
    // A change that got 503 may have been made.
    const isUndone = response.status === 429 || (response.status === 503 && request.method === 'GET');
    const delay = isUndone ? retryAfterOf(response) : null;
    if (delay === null || delay > maxRetryDelay || attempt >= maxAttempts) return response;
    await response.body?.cancel();
    await pause(delay * 1000, request.signal);
  }
}
