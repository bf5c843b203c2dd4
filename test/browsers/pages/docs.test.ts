import type { AddressInfo } from 'node:net';
import type { FrameLocator, Locator, Page, Response } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { password, suiteAccount, suiteApp } from '../../support/app.ts';
import { suiteBrowser } from './browser.ts';
import { faultsOf } from './page-faults.ts';

const open = suiteBrowser();

describe('/docs', () => {
  const clock = { time: Date.UTC(2026, 3, 1), now: () => clock.time };
  const server = suiteApp('sqlite', { HOST: '127.0.0.1', PORT: '0' }, { now: clock.now });
  const account = suiteAccount(server);
  let base: string;
  beforeAll(async () => {
    await server.app.listen();
    base = `http://127.0.0.1:${(server.app.http.server.address() as AddressInfo).port}`;
  });

  const viewerOf = (page: Page): FrameLocator => page.frameLocator('#viewer');
  const operationOf = (page: Page, id: string): Locator => viewerOf(page).locator(`#${id}`);

  /** Sends the request of an open operation, and waits for its status. */
  async function send(operation: Locator, status: number): Promise<void> {
    await operation.getByRole('button', { name: 'Send request' }).click();
    await operation.locator('.message', { hasText: String(status) }).waitFor();
  }

  /** Stores a session in the browser, as signing in does. */
  async function signIn(page: Page): Promise<void> {
    // The page compares the expiry of the session with the time of the browser.
    await page.clock.install({ time: clock.time });
    await page.goto(`${base}/os`);
    const { text } = await server.call('POST', '/api/tokens', { body: { user: { email: account.email, password } } });
    await page.evaluate(`sessionStorage.setItem('session', ${JSON.stringify(text)})`);
  }

  /** Gives the viewer a token, and returns it. */
  async function authorize(page: Page): Promise<string> {
    const issued = page.waitForResponse((response) => response.url().endsWith('/api/tokens/temporary'));
    await page.click('#authorize');
    const { token } = await (await issued).json();
    await page.locator('#revoke').waitFor();
    return token.encoded;
  }

  it('lets visitors send requests that need no token, and explains the sign-in for the others', async () => {
    const page = await open();
    const response = await page.goto(`${base}/docs#/getPublicKey`);
    expect(response?.headers()['content-security-policy']).not.toContain('unsafe-inline');
    await send(operationOf(page, 'getPublicKey'), 200);
    expect(await operationOf(page, 'getPublicKey').locator('pre').first().textContent()).toContain('BEGIN PUBLIC KEY');
    expect(await page.isVisible('#authorize')).toBe(false);
    expect(await page.textContent('.bar .when-out')).toBe('To send requests with your account, sign in.');
    expect(await page.getAttribute('.bar .when-out a', 'href')).toBe('/sign_in');

    // The search field filters the operations; the address follows the open one, also with the keyboard.
    await viewerOf(page).locator('#search').fill('post create tool');
    const tool = operationOf(page, 'postTools');
    expect(await operationOf(page, 'getTools').isVisible()).toBe(false);
    await tool.locator('summary').first().press('Enter');
    expect(await tool.locator('.without-token').textContent()).toContain('sign in');
    await page.waitForURL(`${base}/docs#/postTools`);
    await send(tool, 401);
    await viewerOf(page).locator('#search').fill('no such thing');
    await viewerOf(page).getByText('No operation matches.').waitFor();

    // Outside of the API, the server does not respond to other origins.
    await viewerOf(page).locator('#search').fill('/health');
    const health = operationOf(page, 'getHealth');
    await health.locator('summary').first().click();
    await health.getByText('Responses').waitFor();
    expect(await health.locator('form').count()).toBe(0);
  });

  it('sends requests as shown with the account of a signed-in person, who pastes no token', async () => {
    const page = await open();
    await signIn(page);
    await page.goto(`${base}/docs#/postTools`);
    const create = operationOf(page, 'postTools');
    await authorize(page);
    const shown = JSON.parse(await create.locator('textarea').inputValue());
    expect(shown).toHaveProperty('name');
    await send(create, 200);
    const { json } = await server.call('GET', '/api/tools', { token: account.token });
    expect(json).toMatchObject([shown]);
    // The record in the response is suggested to requests of one record.
    await viewerOf(page).locator('#search').fill('/api/tools/{id}');
    const remove = operationOf(page, 'deleteToolsById');
    await remove.locator('summary').first().click();
    expect(await remove.getByLabel('id').inputValue()).toBe(String(json[0].id));
    await send(remove, 200);
    expect((await server.call('GET', '/api/tools', { token: account.token })).json).toEqual([]);
    // Errors are shown as they are.
    await viewerOf(page).locator('#search').fill('');
    // The frame follows the address of the page, and keeps the token.
    await page.goto(`${base}/docs#/postSensors`);
    const sensor = operationOf(page, 'postSensors');
    await sensor.locator('textarea').fill('{ "label": "Soil", "pin": 1000, "mode": 0 }');
    await send(sensor, 422);
    await sensor.locator('.answer pre', { hasText: 'Pin is too big' }).waitFor();
  });

  it('sends objects in the query by key, and gives the reason for a request that was not sent', async () => {
    const page = await open();
    await page.goto(`${base}/docs#/getPointsSearch`);
    const search = operationOf(page, 'getPointsSearch');
    await search.getByLabel('meta').fill('{ "color": "red" }');
    const sent = page.waitForRequest((request) => request.url().includes('/api/points/search'));
    await send(search, 401);
    expect(new URL((await sent).url()).search).toBe('?meta%5Bcolor%5D=red');
    await search.getByLabel('meta').fill('red');
    await search.getByRole('button', { name: 'Send request' }).click();
    await search.locator('.message.error', { hasText: 'The request failed' }).waitFor();
    // Required parameters have a value, others have none.
    await page.goto(`${base}/docs#/getReleases`);
    const releases = operationOf(page, 'getReleases');
    expect(await releases.getByLabel('platform').inputValue()).toBe('rpi');
    expect(await releases.getByLabel('channel').inputValue()).toBe('');
  });

  it('hides aliases', async () => {
    const page = await open();
    await page.goto(`${base}/docs#/patchToolsById`);
    await operationOf(page, 'patchToolsById').getByRole('button', { name: 'Send request' }).waitFor();
    expect(server.app.openapi()).toHaveProperty(['paths', '/api/tools/{id}', 'put', 'x-alias']);
    expect(await operationOf(page, 'putToolsById').count()).toBe(0);
  });

  it('is readable on a narrow phone and a desktop, in light and dark mode', async () => {
    const page = await open();
    await page.goto(`${base}/docs#/postTools`);
    const operation = operationOf(page, 'postTools');
    await send(operation, 401);
    await operation.getByText('Fields of the body').click();
    await operation.locator('.response summary').first().click();
    const frame = page.frames().find((each) => each.url().includes('/docs/viewer'));
    if (!frame) throw new Error('the page has no frame');
    const viewports = [320, 1280].map((width) => ({ width, height: 700 }));
    expect(await faultsOf(page, viewports, [page, frame])).toEqual([]);
  });

  it('transfers less than 300 KB, and on a second visit only changed files', async () => {
    const page = await open({ isNew: true });
    // Routing disables the browser's cache.
    await page.context().unrouteAll();
    const visit = async () => {
      const sizes: Promise<[string, number, number]>[] = [];
      const note = (response: Response): void => {
        const { request, status } = { request: response.request(), status: response.status() };
        sizes.push(request.sizes().then((size) => [new URL(response.url()).pathname, status, size.responseBodySize]));
      };
      page.on('response', note);
      await page.goto(`${base}/docs`);
      await viewerOf(page).locator('.tag').first().waitFor();
      page.off('response', note);
      return Promise.all(sizes);
    };
    const first = await visit();
    expect(first.map(([path]) => path)).toEqual(expect.arrayContaining(['/docs', '/docs/viewer', '/api/openapi.json']));
    // The size of a body from the browser's memory is negative.
    const sum = first.reduce((total, [, , size]) => total + Math.max(size, 0), 0);
    expect(sum).toBeGreaterThan(20_000);
    expect(sum).toBeLessThan(300_000);
    const again = new Map((await visit()).map(([path, , size]) => [path, size]));
    expect(again.get('/docs')).toBe(0);
    expect(again.get('/api/openapi.json')).toBe(0);
  });

  it('gives the viewer a token that is valid for 15 minutes, but no access to the session or the page', async () => {
    const page = await open();
    await signIn(page);
    await page.goto(`${base}/docs#/device/getDevice`);
    await page.locator('#authorize').waitFor();
    const device = operationOf(page, 'getDevice');
    await send(device, 401);

    const frame = page.frames().find((each) => each.url().includes('/docs/viewer'));
    for (const [expression, result] of [
      ['origin', 'null'],
      ['localStorage.session', 'SecurityError'],
      ['sessionStorage.length', 'SecurityError'],
      ['document.cookie', 'SecurityError'],
      ['parent.document', 'SecurityError'],
      ['parent.localStorage', 'SecurityError'],
    ]) {
      const attempt = `(() => { try { return String(${expression}); } catch (error) { return error.name; } })()`;
      expect([expression, await frame?.evaluate(attempt)]).toEqual([expression, result]);
    }

    // Other windows, and documents of other origins in the frame, receive no token.
    await page.evaluate(`(() => {
      const frame = document.querySelector('#viewer').contentWindow;
      globalThis.received = [];
      for (const init of [{ source: window, origin: 'null' }, { source: frame, origin: location.origin }]) {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => received.push(data);
        dispatchEvent(new MessageEvent('message', { data: 'ready', ports: [port2], ...init }));
      }
    })()`);
    const first = await authorize(page);
    await send(device, 200);
    expect(await page.evaluate('received')).toEqual([]);

    clock.time += 15 * 60_000;
    await send(device, 401);
    await page.clock.fastForward(15 * 60_000);
    await page.locator('#viewer-message', { hasText: 'expired' }).waitFor();
    await device.locator('.without-token').waitFor();

    const token = await authorize(page);
    expect(token).not.toBe(first);
    expect((await server.call('GET', '/api/device', { token })).status).toBe(200);
    await page.route('**/api/tokens', (route) => route.fulfill({ status: 503, json: {} }), { times: 1 });
    await page.click('#revoke');
    await page.locator('#viewer-message', { hasText: 'could not be revoked' }).waitFor();
    await page.click('#revoke');
    await page.locator('#authorize').waitFor();
    expect((await server.call('GET', '/api/device', { token })).status).toBe(401);
  });

  it('sandboxes the viewer also outside of the page', async () => {
    const page = await open();
    await page.goto(`${base}/docs/viewer`);
    expect(await page.evaluate('origin')).toBe('null');
  });

  it('gets responses without credentials', async () => {
    const { headers } = await server.call('GET', '/api/device', { token: account.token, headers: { origin: 'null' } });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(Object.keys(headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/allow-credentials|set-cookie/)]),
    );
  });
});
