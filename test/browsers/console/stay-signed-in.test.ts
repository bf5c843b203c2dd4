import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SignedInAccount } from '../../support/accounts.ts';
import { browserProgram } from '../../support/browser-program.ts';
import { createTempFolder } from '../../support/servers.ts';
import { consoleServer, gardener } from './garden-page.ts';

/** Starts Chromium with a profile, which it keeps. */
async function startBrowser(profile: string): Promise<BrowserContext> {
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: browserProgram,
    handleSIGTERM: false,
    locale: 'en-US',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
  onTestFinished(() => browser.close());
  browser.setDefaultTimeout(60_000);
  return browser;
}

describe('a browser', () => {
  const server = consoleServer();
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const startOf = async (browser: BrowserContext, path = '/console/account'): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(server.base + path);
    return page;
  };
  const emailIn = (page: Page): Promise<string> =>
    page.evaluate("JSON.parse(sessionStorage.getItem('session'))?.user.email ?? ''");

  async function signIn(browser: BrowserContext, { email, password }: SignedInAccount, isShared = false) {
    const page = await startOf(browser, '/console/sign-in');
    await page.getByLabel('E-mail', { exact: true }).fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    if (isShared) await page.getByText('This is a shared computer').click();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(({ pathname }) => pathname !== '/console/sign-in');
    await page.goto(`${server.base}/console/account`);
    await heading(page, 'Account');
    return page;
  }

  it('stays signed in in new tabs and after a restart, until a sign-out in one of them', async () => {
    const profile = await createTempFolder();
    const account = await gardener(server);
    const before = await startBrowser(profile);
    await signIn(before, account);
    const another = await startOf(before);
    await heading(another, 'Account');
    expect(await emailIn(another)).toBe(account.email);
    expect(await another.evaluate('document.cookie')).toBe('');
    await before.close();

    const after = await startBrowser(profile);
    const first = await startOf(after, '/console/account?part=sessions');
    const second = await startOf(after, '/console/map');
    await heading(first, 'Account');
    await second.getByRole('link', { name: 'Sign out' }).waitFor();
    await first.getByText('Stays signed in in this browser').waitFor();
    await first.goto(`${server.base}/logout`);
    await heading(first, 'Sign in');
    await second.reload();
    await heading(second, 'Sign in');
    await heading(await startOf(after), 'Sign in');
  });

  it('waits for a server that does not answer, and is signed out then, too', async () => {
    const browser = await startBrowser(await createTempFolder());
    await signIn(browser, await gardener(server));
    const page = await browser.newPage();
    await page.route('**/api/tokens/resume', (route) => route.abort());
    await page.goto(`${server.base}/console/account?part=sessions`);
    await heading(page, 'The server does not answer');
    await page.unroute('**/api/tokens/resume');
    await heading(page, 'Account');
    expect(page.url()).toContain('part=sessions');

    const another = await browser.newPage();
    // The page of a hotel's network.
    const hotel = { contentType: 'text/html', body: '<p>Hello' };
    await another.route('**/api/tokens/resume', (route) => route.fulfill(hotel));
    await another.goto(`${server.base}/console/account`);
    await another.getByRole('link', { name: 'Sign in instead' }).click();
    await heading(another, 'Sign in');
    await another.goto(`${server.base}/logout`);
    await heading(another, 'Sign in');
    await another.unroute('**/api/tokens/resume');
    await heading(await startOf(browser), 'Sign in');
  });

  it('opens the page from which it was sent to the sign-in', async () => {
    const browser = await startBrowser(await createTempFolder());
    await signIn(browser, await gardener(server));
    const page = await startOf(browser, '/console/sign-in?next=/account?part%3Dsessions');
    await page.getByText('Stays signed in in this browser').waitFor();
    // Whoever opens the sign-in chooses the account, and no other site is opened.
    await heading(await startOf(browser, '/console/sign-in'), 'Sign in');
    await heading(await startOf(browser, '/console/sign-in?next=//evil.example'), 'Sign in');
  });

  it('stays signed in after a new password, also if another tab has forgotten the key meanwhile', async () => {
    const browser = await startBrowser(await createTempFolder());
    const account = await gardener(server);
    const page = await signIn(browser, account);
    await page.route('**/api/users', async (route) => {
      const response = await route.fetch();
      if (route.request().method() === 'PATCH') await page.evaluate("localStorage.removeItem('resumption')");
      await route.fulfill({ response });
    });
    const typed = {
      password: account.password,
      new_password: 'another horse',
      new_password_confirmation: 'another horse',
    };
    for (const [name, value] of Object.entries(typed)) await page.locator(`input[name=${name}]`).fill(value);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password was changed').waitFor();
    await heading(await startOf(browser), 'Account');
  });

  it('of several people asks again in each tab, also after a sign-out', async () => {
    const browser = await startBrowser(await createTempFolder());
    const account = await gardener(server);
    const page = await signIn(browser, account, true);
    expect(await browser.cookies()).toEqual([]);
    const another = await startOf(browser);
    await heading(another, 'Sign in');
    await page.goto(`${server.base}/logout`);
    await heading(page, 'Sign in');
    expect(await page.getByRole('checkbox', { name: 'This is a shared computer' }).isChecked()).toBe(true);
  });

  it('is signed out from another device, and keeps a tab with another account', async () => {
    const browser = await startBrowser(await createTempFolder());
    const [first, second] = [await gardener(server, 'first'), await gardener(server, 'second')];
    const page = await signIn(browser, first);
    const other = await signIn(browser, second);
    const another = await startOf(browser);
    await heading(another, 'Account');
    expect(await emailIn(another)).toBe(second.email);
    // A sign-out of the first account leaves the second one.
    await page.goto(`${server.base}/logout`);
    await heading(page, 'Sign in');
    const third = await startOf(browser);
    await heading(third, 'Account');
    await second.call('DELETE', '/api/sessions', { password: second.password });
    await other.reload();
    await heading(other, 'Sign in');
    await heading(await startOf(browser), 'Sign in');
  });

  it('opens nothing for a page on another port of the host, which gets its cookies', async () => {
    const browser = await startBrowser(await createTempFolder());
    await signIn(browser, await gardener(server));
    const received: string[] = [];
    const evil = createServer((request, response) => {
      received.push(request.headers.cookie ?? '');
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Evil</title>');
    }).listen(0, new URL(server.base).hostname);
    await once(evil, 'listening');
    onTestFinished(() => void evil.close());
    const { hostname, host } = new URL(server.base);
    const page = await browser.newPage();
    await page.goto(`http://${hostname}:${(evil.address() as AddressInfo).port}/api/tokens/resume`);
    const cookies = received.find((cookie) => cookie.startsWith('potager='));
    // Browsers send cookies to all ports. They are worth nothing without the key.
    expect(cookies).toMatch(/^potager=\S+$/);
    const outcomes: unknown = await page.evaluate(`(async () => {
      const base = ${JSON.stringify(server.base)};
      const json = { 'content-type': 'application/json' };
      const read = (path, options) => fetch(base + path, { credentials: 'include', ...options })
        .then((response) => response.status, () => 'blocked');
      const until = (target, ...events) => new Promise((resolve) =>
        events.forEach((event) => target.addEventListener(event, () => resolve(event))));
      const form = document.createElement('form');
      Object.assign(form, { method: 'POST', action: base + '/api/tokens/resume', enctype: 'text/plain', target: 'hidden' });
      form.innerHTML = '<input name=\\'{"key":"x\\' value=\\'"}\\'>';
      const frame = Object.assign(document.createElement('iframe'), { name: 'hidden' });
      document.body.append(frame, form);
      form.submit();
      await until(frame, 'load');
      const socket = until(new WebSocket('ws://${host}/api/events'), 'open', 'error');
      const source = until(new EventSource(base + '/api/events', { withCredentials: true }), 'open', 'error');
      return [
        await read('/api/tokens/resume', { method: 'POST', headers: json, body: '{"key":"x"}' }),
        await read('/api/tokens/resume', { method: 'POST', mode: 'no-cors', body: '{"key":"x"}' }),
        await read('/api/tokens/resumable', { method: 'POST' }),
        await read('/api/device', {}),
        await socket,
        await source,
      ];
    })()`);
    expect(outcomes).toEqual(['blocked', 0, 'blocked', 'blocked', 'error', 'error']);
    // The session is as it was.
    await heading(await startOf(browser), 'Account');
  });
});
