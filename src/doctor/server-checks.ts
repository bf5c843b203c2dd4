import { randomUUID } from 'node:crypto';
import { isObject } from '../core/json.ts';
import { nodeFetch, withLateErrors } from '../core/library-errors.ts';
import { errorCodeText } from '../core/system.ts';
import { hostOf, hostParts } from '../http/host.ts';
import { trustedProxy } from '../http/proxy.ts';
import { ServerUrls } from '../http/server-urls.ts';
import { proxiesIn } from '../http/unknown-proxies.ts';
import { servingProcess } from '../settings/data-folder-lock.ts';
import type { Settings } from '../settings/settings.ts';
import type { CheckResult } from './check-result.ts';
import { check } from './check-result.ts';
import { checkPort } from './port-check.ts';

/** In ms. */
const timeout = 5_000;

/** The answer of a URL to a request for `/health`. */
interface Answer {
  /** The report of a server; null: it is none. */
  readonly health: Readonly<Record<string, unknown>> | null;
  /** The reason why there is no report: a status, or the code of an error. */
  readonly problem: string;
  readonly isAnswered: boolean;
  /** The origin that a redirection leads to; null: it is none, or stays at the same one. */
  readonly redirectedTo: string | null;
}

/** Sends a request to a server, with a timeout. */
const request = (url: string): Promise<Response> =>
  withLateErrors(nodeFetch, () => fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeout) }));

/** Asks the server at a URL for its health. */
async function ask(url: string, nonce: string): Promise<Answer> {
  let response: Response;
  try {
    response = await request(`${url}/health?nonce=${nonce}`);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return { health: null, problem: errorCodeText(cause), isAnswered: false, redirectedTo: null };
  }
  const health: unknown = await response.json().catch(() => null);
  const isHealth = isObject(health) && isObject(health.database) && isObject(health.jobs);
  return {
    health: isHealth ? health : null,
    problem: `status ${response.status}`,
    isAnswered: true,
    redirectedTo: redirection(url, response),
  };
}

/** Returns the other origin to which a response redirects; null: none. */
function redirection(url: string, { headers }: Response): string | null {
  const location = headers.get('location') ?? url;
  if (!URL.canParse(location, url)) return null;
  const { origin } = new URL(location, url);
  return origin === new URL(url).origin ? null : origin;
}

/** The state of the server that runs with the settings, as it says itself. */
interface RunningServer {
  readonly atPublicUrl: Answer | null;
  readonly own: Answer;
}

/** Asks the server on this machine, after the one at `PUBLIC_URL`: it then knows of a proxy that `TRUST_PROXY` does not name, and whether it has the nonce of that request. */
async function askServer(settings: Settings): Promise<RunningServer> {
  const nonce = randomUUID();
  const atPublicUrl = settings.PUBLIC_URL === null ? null : await ask(settings.PUBLIC_URL, nonce);
  return { atPublicUrl, own: await ask(new ServerUrls(settings).local(), nonce) };
}

/** Checks the port of HTTP, and, if the server runs, whether it answers at `PUBLIC_URL`, and whether the proxy before it hides its clients. */
export async function checkServer(settings: Settings): Promise<CheckResult[]> {
  const { PORT: port, HOST: host } = settings;
  const running = await askServer(settings);
  const isServing = servingProcess(settings.DATA_DIR) !== null;
  const find = async () => {
    if (running.own.health === null) return 'another program';
    return isServing ? null : 'another server';
  };
  return [
    ...(port === 0 ? [] : [await check('port', () => checkPort({ setting: 'PORT', port, host, find }))]),
    ...(isServing ? await checkPublicUrl(settings, running) : []),
    ...checkProxy(settings, running),
  ];
}

/** Whether the server at a URL has the key of another one: both use the same database. */
async function hasSameKey(url: string, other: string): Promise<boolean> {
  const keyAt = async (base: string) => (await request(`${base}/api/public_key`)).text();
  return Promise.all([keyAt(url), keyAt(other)]).then(
    ([one, two]) => one === two,
    () => false,
  );
}

/** Checks that the requests to `PUBLIC_URL` reach the running server. */
async function checkPublicUrl(settings: Settings, { own, atPublicUrl }: RunningServer): Promise<CheckResult[]> {
  const { PUBLIC_URL, DATABASE_URL } = settings;
  if (PUBLIC_URL === null || atPublicUrl === null || own.health === null) return [];
  const run = async () => {
    if (own.health?.seen === true) return `This server answers at ${PUBLIC_URL}.`;
    const { health, problem, isAnswered, redirectedTo } = atPublicUrl;
    if (health !== null && DATABASE_URL !== null && (await hasSameKey(PUBLIC_URL, new ServerUrls(settings).local())))
      return `A server of the same database answers at ${PUBLIC_URL}.`;
    if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/.test(problem))
      throw new Error(
        `the certificate at ${PUBLIC_URL} is not trusted (${problem}), and robots do not connect. Renew it. If it is of an authority of your own, run this with NODE_EXTRA_CA_CERTS=FILE.`,
      );
    if (!isAnswered)
      throw new Error(
        `nothing answers at ${PUBLIC_URL} (${problem}). Correct PUBLIC_URL, or start the proxy there. If only this machine cannot reach it, add its host to /etc/hosts.`,
      );
    if (redirectedTo !== null)
      throw new Error(`${PUBLIC_URL} redirects to ${redirectedTo}. If that is this server, set PUBLIC_URL to it.`);
    const other = health === null ? `another program (${problem})` : 'another Potager';
    throw new Error(
      `${other} answers at ${PUBLIC_URL} instead of this server. Correct PUBLIC_URL, or the address to which the proxy there forwards requests.`,
    );
  };
  return [await check('public URL', run, 'PUBLIC_URL')];
}

/** Returns the report about proxies, for programs on this machine; null: none. */
const proxyIn = ({ health }: Answer): Readonly<Record<string, unknown>> | null =>
  isObject(health?.proxy) ? health.proxy : null;

/** Returns what to do about the proxies that a running server does not know: it may have begun before the settings named them. */
function proxyRemedy(problem: string, trustProxy: Settings['TRUST_PROXY']): string {
  const addresses = proxiesIn(problem);
  const isNamed = addresses.length > 0 && addresses.every(trustedProxy(trustProxy).isTrusted);
  return isNamed
    ? `TRUST_PROXY names ${addresses.join(' and ')}, but the running server was started without it, so the limits count all clients of the proxy as one. Restart the server.`
    : problem;
}

/** Checks whether the proxy before the server hides its clients. */
function checkProxy({ PUBLIC_URL, PORT, TRUST_PROXY }: Settings, { own, atPublicUrl }: RunningServer): CheckResult[] {
  const name = 'proxy';
  // At its own port, the server answers without a proxy.
  if (PUBLIC_URL !== null && Number(hostParts(hostOf(new URL(PUBLIC_URL)), false).port) !== PORT)
    if (atPublicUrl !== null && proxyIn(atPublicUrl)?.local === true) {
      // The request through the proxy counts as one of this machine: it adds no forwarding header.
      const message = `The proxy at ${PUBLIC_URL} adds no X-Forwarded-For, so the requests of all clients look like those of this machine, which are not limited. Have it add that header, and name it in TRUST_PROXY.`;
      return [{ name, ok: false, message }];
    }
  const report = proxyIn(own);
  if (typeof report?.message !== 'string') return [];
  const ok = report.ok === true;
  return [{ name, ok, message: ok ? report.message : proxyRemedy(report.message, TRUST_PROXY) }];
}
