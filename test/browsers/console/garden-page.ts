import type { BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { type SignedInAccount, signUp, type TestServer } from '../../support/accounts.ts';
import type { Engine } from '../../support/engines.ts';
import { type Json, textAt } from '../../support/json.ts';
import { anyPort, type ServerProcess, sharedServer, suiteServer } from '../../support/servers.ts';

const settings = { RATE_LIMITS: 'off', MQTT_PORT: anyPort } as const;

/** The built server with its broker, without limits of rates, and with mail in its outbox. Other files share it, so its first account, which administers it, may be of another file. */
export const consoleServer = (): ServerProcess => sharedServer('sqlite', settings);

/** Like {@link consoleServer}, with further settings and for this suite alone, which may administer, stop and start it. */
export const ownConsoleServer = (engine: Engine, env: Readonly<Record<string, string>> = {}): ServerProcess =>
  suiteServer(engine, { ...settings, ...env });

/** An account whose garden pages can be opened. */
export interface Gardener extends SignedInAccount {
  /** Sends a request as this account; returns its JSON, null if it is empty. Throws unless it succeeds. */
  call(method: string, path: string, body?: Json): Promise<Json>;
}

/** Creates an account with an empty garden. */
export async function gardener(server: TestServer, name = 'ada'): Promise<Gardener> {
  const account = await signUp(server, name);
  return {
    ...account,
    async call(method, path, body) {
      const response = await server.client.send(method, path, {
        token: account.token,
        ...(body === undefined ? {} : { body }),
      });
      if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
      return response.text === '' ? null : response.json;
    },
  };
}

/** Seeds the demo garden of a product line. */
export const seedGarden = ({ call }: Gardener): Promise<Json> =>
  call('POST', '/api/device/seed', { product_line: 'genesis_1.8', demo: true });

/** Starts the virtual robot of the server for the garden until the end of the test, and waits until it is connected. */
export async function startRobot({ call }: Gardener): Promise<void> {
  await call('PUT', '/api/virtual_robot', { running: true });
  onTestFinished(async () => {
    await call('PUT', '/api/virtual_robot', { running: false });
  });
  for (;;) {
    const robot = await call('GET', '/api/robot');
    if (typeof robot === 'object' && robot !== null && 'connected' in robot && robot.connected && robot.status) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Opens a browser's page with empty storage. */
type Open = (options?: BrowserContextOptions) => Promise<Page>;

/** Opens a page of the console, such as `/map`, signed in as an account. */
export async function openConsole(
  open: Open,
  server: ServerProcess,
  account: SignedInAccount,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const { email, password } = account;
  const session = await server.client.send('POST', '/api/tokens', { body: { user: { email, password } } });
  if (session.status !== 200) throw new Error(`sign-in: ${session.status} ${session.text}`);
  return openSession(open, server, session.text, path, options);
}

/** Opens a page of the console with a session of the API, as JSON. */
async function openSession(
  open: Open,
  server: ServerProcess,
  session: string,
  path: string,
  options: BrowserContextOptions,
): Promise<Page> {
  const page = await open({ locale: 'en-US', ...options });
  // Before any script of the page: as if the tab had signed in.
  await page.addInitScript(`sessionStorage.setItem('session', ${JSON.stringify(session)})`);
  await page.goto(`${server.base}/console${path}`);
  return page;
}

/** Opens a page of an owner's garden as a guest who may only look. */
export async function openAsViewer(
  open: Open,
  server: ServerProcess,
  owner: Gardener,
  guest: Gardener,
  path: string,
): Promise<Page> {
  const invitation = await owner.call('POST', '/api/invitations', { email: guest.email, role: 'viewer' });
  const token = textAt(invitation, 'link').split('/').pop() ?? '';
  const session = await guest.call('POST', '/api/invitations/accept', { token });
  return openSession(open, server, JSON.stringify(session), path, {});
}

/** Returns the pixels by which a page is wider than the window, or its content wider than the room for it. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(`Math.max(
    ...[document.documentElement, document.querySelector('main')].map((each) => each.scrollWidth - each.clientWidth),
  )`);
