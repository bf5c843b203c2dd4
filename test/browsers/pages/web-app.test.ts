import { rmSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { register, signUp } from '../../support/accounts.ts';
import { freePort } from '../../support/free-port.ts';
import { createTempFolder, ServerProcess } from '../../support/servers.ts';
import { storedIn, suiteBrowser } from './browser.ts';
import { layouts, makeWebApp } from './web-app-folder.ts';

/** The report of the fake app about its start. */
interface Report {
  readonly order: string[];
  readonly problems: string[];
  readonly received: { topic: string; body: { name?: string } }[];
  readonly isConnected: boolean;
}

async function reportOf(page: Page): Promise<Report> {
  await page.waitForFunction('window.report && window.report.isDone');
  return (await page.evaluate('window.report')) as Report;
}

/** The group of each request at the start of the app. [rule W9] */
const groupOf: Readonly<Record<string, number>> = {
  '/api/users/': 0,
  '/api/device/': 0,
  '/api/firmware_config/': 0,
  '/api/farmware_envs/': 0,
  '/api/farmware_installations/': 0,
  '/api/web_app_config/': 0,
  '/api/saved_gardens/': 0,
  '/api/curves/': 0,
  '/api/plant_templates/': 1,
  '/api/peripherals/': 1,
  '/api/points/?filter=all': 1,
  '/api/sensors/': 1,
  '/api/tools/': 1,
  '/api/alerts/': 1,
  '/api/folders/': 1,
  '/api/sensor_readings/': 2,
  '/api/sequences/': 2,
  '/api/point_groups/': 2,
  '/api/fbos_config/': 3,
  '/api/regimens/': 3,
  '/api/pin_bindings/': 3,
  '/api/farm_events/': 4,
  '/api/images/': 4,
  '/api/logs/search': 4,
  '/api/webcam_feeds/': 4,
  '/api/wizard_step_results/': 4,
  '/api/telemetries/': 4,
  '/api/scene_objects/': 4,
};

function expectStarted(report: Report): void {
  expect(report.problems).toEqual([]);
  expect(report.isConnected).toBe(true);
  expect(report.order[0]).toBe('/api/tokens/');
  // The last request saves a tool.
  const loaded = report.order.slice(1, -1).filter((path) => path !== '/api/first_party_farmwares');
  expect([...loaded].sort()).toEqual(Object.keys(groupOf).sort());
  const groups = loaded.map((path) => groupOf[path] ?? -1);
  expect(groups).toEqual([...groups].sort());
  // Another announcement may come first.
  expect(report.received.filter(({ topic }) => topic.includes('/Tool/'))).toMatchObject([
    { topic: expect.stringMatching(/^bot\/device_\d+\/sync\/Tool\/\d+$/), body: { name: 'Trowel' } },
  ]);
}

async function signIn(page: Page, origin: string, account: { email: string; password: string }): Promise<void> {
  await page.goto(`${origin}/`);
  await page.fill('[name=email]', account.email);
  await page.fill('[name=password]', account.password);
  await page.click('button');
  await page.waitForURL(`${origin}/app`);
}

const open = suiteBrowser();

for (const layout of layouts)
  describe(`the vendor's web app in the layout ${layout}`, () => {
    let folder: string;
    let server: ServerProcess;

    beforeAll(async () => {
      folder = makeWebApp(layout);
      const env = {
        HOST: '127.0.0.1',
        MQTT_PORT: String(await freePort()),
        EMAIL_VERIFICATION: 'required',
        RATE_LIMITS: 'off',
        WEB_APP_DIR: folder,
      };
      server = new ServerProcess(await createTempFolder(), await freePort(), env);
      await server.start();
    });
    afterAll(async () => {
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    it('signs in, loads all resources, and receives changes', async () => {
      const ada = await signUp(server, 'ada');
      const page = await open();
      await signIn(page, server.base, ada);
      expectStarted(await reportOf(page));
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(1, 2, 3)');
      // With a session the front page redirects to the app.
      await page.goto(`${server.base}/`);
      await page.waitForURL(`${server.base}/app`);
    });

    it('works with pages and API on different origins', async () => {
      const port = await freePort();
      const env = { ...server.env, MQTT_PORT: String(await freePort()), PUBLIC_URL: `http://localhost:${port}` };
      const other = new ServerProcess(await createTempFolder(), port, env);
      await other.start();
      try {
        const bea = await signUp(other, 'bea');
        const page = await open();
        await signIn(page, other.base, bea);
        const session = JSON.parse((await storedIn(page, 'session')) ?? '{}');
        expect(session.token.unencoded.iss).toBe(`//localhost:${port}`);
        expectStarted(await reportOf(page));
      } finally {
        await other.remove();
      }
    });

    it('renders each page with its bundle, after the globals that bundles need', async () => {
      const pages = {
        '/': 'front_page',
        '/demo': 'demo',
        '/try_farmbot': 'try_farmbot',
        '/promo': 'promo',
        '/os': 'os_download',
        '/tos_update': 'tos_update',
        '/password_reset/eyJ.a.b': 'password_reset',
        '/terminal': 'terminal',
      };
      const page = await open();
      for (const [path, bundle] of Object.entries(pages)) {
        await page.goto(server.base + path);
        // The bundle of this test draws nothing, and the terminal has no text of its own.
        await page.waitForSelector(`body[data-bundle=${bundle}]`, { state: 'attached' });
        const found = await page.evaluate(`({
          config: window.globalConfig,
          mode: window.process.env.NODE_ENV,
          log: typeof window.logStore.log,
          hasText: document.querySelector('.initial-loading-text') !== null,
          root: document.querySelector('body > div#root') !== null,
        })`);
        expect(found).toMatchObject({
          config: {
            MQTT_WS: `ws://127.0.0.1:${server.port}/ws`,
            TOS_URL: '',
            NODE_ENV: 'production',
            rpi_release_url: null,
            rpi3_release_tag: null,
            rpi4_release_url: null,
          },
          mode: 'production',
          log: 'function',
          hasText: path !== '/terminal',
        });
        const styles = await page.$$eval('link[rel=stylesheet]', (links) =>
          links.map((one) => one.getAttribute('href')),
        );
        expect(styles[0]).toBe(`/assets/${layout}/css/_index.css`);
        expect(styles.some((href) => href?.includes('xterm') || href?.includes('terminal/'))).toBe(
          path === '/terminal',
        );
      }
    });

    it('gets a session from the mailed link, once', async () => {
      const { email } = await register(server.client, 'cleo');
      const link = await server.outbox.linkTo(email, 'verify');
      const page = await open();
      await page.goto(server.base + link.pathname);
      await page.waitForURL(`${server.base}/app/designer/messages`);
      expect(JSON.parse((await storedIn(page, 'session')) ?? '{}').user.email).toBe(email);
      expect((await reportOf(page)).problems).toEqual([]);
      const again = await page.goto(server.base + link.pathname);
      expect(again?.status()).toBe(409);
      await page.getByRole('main').getByText('already verified').waitFor();
    });

    it('gets a session from our own sign-in, and the console none unless it was asked for', async () => {
      const { email, password } = await signUp(server, 'dora');
      const page = await open({ locale: 'en-US' });
      for (const [path, end] of [
        ['/sign_in', '/app'],
        ['/console/', '/console/set-up'],
      ] as const) {
        await page.goto(server.base + path);
        await page.getByLabel('E-mail', { exact: true }).fill(email);
        await page.getByLabel('Password', { exact: true }).fill(password);
        await page.keyboard.press('Enter');
        await page.waitForURL(server.base + end);
        const stored = JSON.parse((await storedIn(page, 'session')) ?? 'null');
        expect(stored?.user.email).toBe(end === '/app' ? email : undefined);
        await page.goto(`${server.base}/logout`);
        await page.waitForURL(`${server.base}/`);
      }
    });

    it('signs out: clears the storage and revokes the token', async () => {
      const ada = await signUp(server, 'ada');
      const page = await open();
      await signIn(page, server.base, ada);
      const { token } = JSON.parse((await storedIn(page, 'session')) ?? '{}');
      await reportOf(page);
      await page.evaluate("sessionStorage.setItem('trace', 'here')");
      await page.goto(`${server.base}/logout`);
      await page.waitForURL(`${server.base}/`);
      expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
      expect((await server.client.get('/api/device', token.encoded)).status).toBe(401);
    });
  });
