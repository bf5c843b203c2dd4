import { isObject } from '../core/json.ts';
import { ServerUrls } from '../http/server-urls.ts';
import type { Settings } from '../settings/settings.ts';
import type { CheckResult } from './check-result.ts';

/** In ms. */
const timeout = 5_000;

/** Returns what `/health` says at a URL; null: nothing. */
const healthAt = (url: string): Promise<unknown> =>
  fetch(`${url}/health`, { redirect: 'manual', signal: AbortSignal.timeout(timeout) })
    .then((response) => response.json())
    .catch(() => null);

/** Asks the server, if it runs on this machine, whether a proxy that TRUST_PROXY does not name passes requests on. */
export async function checkProxy(settings: Settings): Promise<CheckResult[]> {
  const { PUBLIC_URL } = settings;
  // This request goes through the proxy, if there is one, so that the server notices it now.
  if (PUBLIC_URL !== null) await healthAt(PUBLIC_URL);
  const health = await healthAt(new ServerUrls(settings).local());
  const proxy = isObject(health) ? health.proxy : null;
  return isObject(proxy) && typeof proxy.message === 'string'
    ? [{ name: 'proxy', ok: proxy.ok === true, message: proxy.message }]
    : [];
}
