import { isObject } from '../core/json.ts';
import { nodeFetch, withLateErrors } from '../core/library-errors.ts';
import { hostOf, hostParts } from '../http/host.ts';
import { ServerUrls } from '../http/server-urls.ts';
import type { Settings } from '../settings/settings.ts';
import type { CheckResult } from './check-result.ts';

/** In ms. */
const timeout = 5_000;

/** Returns the report of `/health` at a URL about proxies, for programs on this machine; null: none. */
const proxyAt = (url: string): Promise<Readonly<Record<string, unknown>> | null> =>
  withLateErrors(nodeFetch, () => fetch(`${url}/health`, { redirect: 'manual', signal: AbortSignal.timeout(timeout) }))
    .then(async (response) => {
      const health: unknown = await response.json();
      return isObject(health) && isObject(health.proxy) ? health.proxy : null;
    })
    .catch(() => null);

/** Returns whether a request through the proxy at a URL counts as one of this machine: the proxy adds no forwarding header. */
async function looksLocal(url: string, port: number): Promise<boolean> {
  const proxy = await proxyAt(url);
  // At its own port, the server answers without a proxy.
  return proxy?.local === true && Number(hostParts(hostOf(new URL(url)), false).port) !== port;
}

/** Asks the server, if it runs on this machine, whether the proxy before it hides its clients. */
export async function checkProxy(settings: Settings): Promise<CheckResult[]> {
  const { PUBLIC_URL, PORT } = settings;
  const name = 'proxy';
  // First: the server knows of a proxy that TRUST_PROXY does not name when a request came through it.
  if (PUBLIC_URL !== null && (await looksLocal(PUBLIC_URL, PORT))) {
    const message = `The proxy at ${PUBLIC_URL} adds no X-Forwarded-For, so the requests of all clients look like those of this machine, which are not limited. Have it add that header, and name it in TRUST_PROXY.`;
    return [{ name, ok: false, message }];
  }
  const own = await proxyAt(new ServerUrls(settings).local());
  return typeof own?.message === 'string' ? [{ name, ok: own.ok === true, message: own.message }] : [];
}
