import createClient from 'openapi-fetch';
import { languageHeader } from '../../../src/core/languages.ts';
import { getLanguage } from '../ui/language.ts';
import { ApiError, apiError, noField } from './api-error.ts';
import { firstResponse } from './first-requests.ts';
import { afterEndOf } from './garden-reopening.ts';
import type { paths } from './generated/api.ts';
import { currentReads } from './reads.ts';
import { getSession, hasSessionEnded } from './session.ts';
import { dataText } from './text.ts';

let onNewTerms = (): void => undefined;

/** Sets the handler of responses that demand agreement to new terms of service. */
export function setNewTermsHandler(handler: () => void): void {
  onNewTerms = handler;
}

/** Sends a request with the token of the session. Throws an {@link ApiError} for an error response; see {@link received}. */
async function authorizedFetch(request: Request, isFirst = true): Promise<Response> {
  const session = getSession();
  const token = session?.token.encoded;
  const isOwn = !request.headers.has('authorization');
  const again = isOwn && isFirst ? request.clone() : null;
  if (token && isOwn) request.headers.set('authorization', token);
  request.headers.set(languageHeader, getLanguage());
  // Mails that the request causes are in the language of the page.
  request.headers.set('accept-language', getLanguage());
  if (token && isOwn && request.method === 'GET') await currentReads().begun;
  // The first requests of the page named no language for a failure.
  const first = await firstResponse(request);
  const response = first?.ok ? first : await fetch(request);
  if (response.ok) return response;
  // Without a session the pages of the garden ask to sign in again, and drafts stay.
  if (response.status === 401 && isOwn && session && (await afterEndOf(session)) && again)
    return authorizedFetch(again, false);
  // The sign-in replaces the page, which would report a failure until then.
  if (response.status === 401 && isOwn && request.method === 'GET' && hasSessionEnded()) return new Promise(() => {});
  if (response.status === 451 && isOwn && token) onNewTerms();
  const text = await response.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy's page, for example.
  }
  throw apiError(response.status, body);
}

/** Waits for a response with its body. Without a connection, which may break in the body, and for content other than the API's JSON, it throws an ApiError, too. */
async function received<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const text = dataText();
    throw new ApiError(0, { [noField]: error instanceof SyntaxError ? text.notPotager : text.unreachable });
  }
}

const client = createClient<paths>({ baseUrl: location.origin, fetch: (request) => authorizedFetch(request) });

/** The API of this server. Failed requests throw an {@link ApiError}. */
export const api = new Proxy(client, {
  get:
    (methods, name: keyof typeof client) =>
    (...parameters: readonly unknown[]) =>
      received(Reflect.apply(methods[name], methods, parameters)),
});

/** The body of a successful response; undefined where it is empty. */
export const bodyOf = async <T>(response: Promise<{ data?: T }>): Promise<T> => (await response).data as T;

/** Sends a request with a computed path and a body that the caller has checked. `label` identifies it in the history. Throws an ApiError. */
export function send<T>(
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'GET',
  path: string,
  body?: unknown,
  label?: string,
): Promise<T> {
  const headers = new Headers();
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (label !== undefined) headers.set('x-farmbot-rpc-id', label);
  const content = body === undefined ? null : JSON.stringify(body);
  const request = new Request(new URL(path, location.origin), { method, headers, body: content });
  return received(
    authorizedFetch(request)
      .then((response) => response.text())
      .then((text) => (text === '' ? undefined : JSON.parse(text)) as T),
  );
}

/** Reads an address of the API in another format than JSON: a file to save. Throws an ApiError. */
export const sendForFile = (path: string, format: string): Promise<Blob> =>
  received(
    authorizedFetch(new Request(new URL(path, location.origin), { headers: { accept: format } })).then((response) =>
      response.blob(),
    ),
  );
