import type { components } from './generated/api.ts';

/** Where the tab keeps its session. */
export const sessionKey = 'session';

/** Returns a session that the tab keeps; null without one. */
export function storedSession(key = sessionKey): components['schemas']['Session'] | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** The first requests of the map. The build makes a script of this file alone, so that they do not wait for other scripts. */
const paths = ['/api/points', '/api/web_app_config', '/api/gardens'] as const;

const isMap = location.pathname === `${import.meta.env.BASE_URL}map`;
const token = isMap ? storedSession()?.token.encoded : undefined;
const responses = new Map<string, Promise<Response>>();
for (const path of token ? paths : []) {
  const response = fetch(path, { headers: { authorization: token ?? '' } });
  // The caller that takes it handles the failure.
  response.catch(() => undefined);
  responses.set(path, response);
}

/** Returns the response to a request that was sent already, once; undefined if it was not. */
export function firstResponse({ method, url, headers }: Request): Promise<Response> | undefined {
  const path = url.replace(location.origin, '');
  const response = responses.get(path);
  if (!response || method !== 'GET' || headers.get('authorization') !== token) return undefined;
  responses.delete(path);
  return response;
}
