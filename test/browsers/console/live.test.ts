import type { BrowserContextOptions, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Json, numberAt } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { suiteBrowser } from '../pages/browser.ts';
import { gardener, openConsole, ownConsoleServer } from './garden-page.ts';

const open = suiteBrowser();

describe('the console', () => {
  const server = ownConsoleServer('sqlite');

  it('shows changes of others immediately, says when the server is away, and recovers without a reload', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/map');
    await page.getByRole('heading', { name: 'Map' }).waitFor({ state: 'attached' });
    const other = await openConsole(open, server, ada, '/robot');
    await other.getByRole('heading', { name: 'Robot', exact: true }).waitFor();
    await page.getByText('No robot yet').waitFor();

    let tomato: Json = null;
    // A change after a list was sent may arrive before it.
    await other.route(
      '**/api/points',
      async (route) => {
        const response = await route.fetch();
        tomato = await ada.call('POST', '/api/points', {
          pointer_type: 'Plant',
          name: 'Tomato',
          openfarm_slug: 'tomato',
          x: 300,
          y: 400,
          z: 0,
        });
        const hasArrived = other.waitForRequest('**/api/device');
        await ada.call('PATCH', '/api/device', { name: 'Kitchen garden' });
        await hasArrived;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await other.getByRole('link', { name: 'Map' }).first().click();
    for (const each of [page, other]) await each.getByRole('button', { name: /Tomato/ }).waitFor({ state: 'attached' });

    await server.kill();
    await page.getByText(/Connecting|Offline/).waitFor();
    await other.getByRole('link', { name: 'Settings' }).first().click();
    await other.getByText('This page could not be loaded').waitFor();
    await server.start();
    await ada.call('DELETE', `/api/points/${numberAt(tomato, 'id')}`);
    await page.getByText('No robot yet').waitFor();
    await page.getByRole('button', { name: /Tomato/ }).waitFor({ state: 'detached' });
    // Its file is asked for again by itself.
    await other.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
  });

  it('reads each list once, after the stream of changes is open', async () => {
    const ada = await gardener(server);
    const requests: string[] = [];
    const counted = async (options?: BrowserContextOptions) => {
      const page = await open(options);
      // A page waits for its stream for a second, and reads again what it read before: a busy machine may take longer.
      await page.addInitScript(`{
        const { setTimeout } = window;
        window.setTimeout = (run, delay, ...values) => setTimeout(run, delay === 1000 ? 60_000 : delay, ...values);
      }`);
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        // It is asked for at intervals.
        if (pathname.startsWith('/api/') && pathname !== '/api/robot') requests.push(pathname);
      });
      return page;
    };
    const page = await counted();
    const opening = openConsole(async () => page, server, ada, '/map');
    // One of the last: it waits until the map is shown.
    await page.waitForResponse('**/api/alerts');
    await opening;
    // A message that is no report of a robot does not end the stream.
    const robot = await MqttTestClient.connect(server.mqtt, { username: ada.bot, password: ada.token });
    for (const topic of ['status', 'logs', 'telemetry'])
      await robot.publish(`bot/${ada.bot}/${topic}`, 'null', { qos: 1 });
    await ada.call('POST', '/api/points', { pointer_type: 'Plant', name: 'Leek', x: 100, y: 200, z: 0 });
    await page.getByRole('button', { name: /Leek/ }).waitFor({ state: 'attached' });
    await robot.end();
    expect(requests[0]).toBe('/api/events');
    expect(requests).toEqual([...new Set(requests)]);
    expect(requests).toContain('/api/points');
  });

  it('reads lists again when the stream of changes was refused at first', async () => {
    const ada = await gardener(server);
    let isRefused = true;
    const refused = async (options?: BrowserContextOptions) => {
      const page = await open(options);
      await page.route('**/api/events?*', (route) => (isRefused ? route.abort() : route.continue()));
      return page;
    };
    const page = await openConsole(refused, server, ada, '/map');
    await page.getByText(/^Nothing grows here yet/).waitFor();
    await ada.call('POST', '/api/points', { pointer_type: 'Plant', name: 'Leek', x: 100, y: 200, z: 0 });
    // Nor does a change of the user in between keep them from it.
    await page.getByRole('button', { name: 'Add a weed' }).click();
    const added = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.route('**/api/points', async (route) => {
      if (route.request().method() === 'GET') {
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await added;
      }
      await route.continue();
    });
    isRefused = false;
    await page.getByRole('button', { name: /Leek/ }).waitFor({ state: 'attached' });
  });

  it('continues without the notices when their files cannot be loaded', async () => {
    let isRefused: Promise<unknown> | undefined;
    const without = async (options?: BrowserContextOptions) => {
      const page = await open(options);
      await page.route('**/assets/notices-*', (route) => route.abort());
      isRefused = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/notices-'));
      return page;
    };
    const page = await openConsole(without, server, await gardener(server), '/map');
    await isRefused;
    await page.getByText('No robot yet').waitFor();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
  });

  it('gives the reason for a new sign-in when the session was ended elsewhere', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/map');
    await page.getByText('No robot yet').waitFor();
    await page.getByRole('button', { name: 'Add a weed' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Weed was added.').waitFor();
    await ada.call('DELETE', '/api/sessions');
    await page.getByText(/^Your session was ended/).waitFor();

    // The next user cannot undo the actions of the one before.
    const bea = await gardener(server, 'bea');
    await page.getByLabel('E-mail').fill(bea.email);
    await page.getByLabel('Password').fill(bea.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('No robot yet').waitFor();
    const undone = async () => {
      await page.keyboard.press('Control+z');
      return page.getByText('Nothing that was changed in this tab can be undone.').count();
    };
    // The first page after a sign-in takes keys once it is shown.
    await expect.poll(undone, { interval: 500 }).toBeGreaterThan(0);
  });

  it('asks to sign in again when the session ends while a page is opened, which is not its failure', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/map');
    await page.getByText('No robot yet').waitFor();
    const endSession = async (route: Route): Promise<void> => {
      await ada.call('DELETE', '/api/sessions');
      await route.continue();
    };
    await page.route('**/api/regimens', endSession, { times: 1 });
    await page.route('**/sign-in-page-*.js', async (route) => {
      await page.getByRole('link', { name: 'Set up a robot' }).waitFor();
      await route.continue();
    });
    await page.getByRole('link', { name: 'Regimens', exact: true }).click();
    await page.getByText(/^Your session was ended/).waitFor();
  });

  it('asks to sign in, and continues at the same address', async () => {
    const ada = await gardener(server);
    const page = await open({ locale: 'en-US' });
    await page.goto(`${server.base}/console/map?point=5`);
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/console/map?point=5');
    await page.getByRole('button', { name: 'Emergency stop' }).waitFor();
  });
});
