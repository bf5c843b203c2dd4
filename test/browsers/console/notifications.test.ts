import type { Page, Worker } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { decryptPush, NotificationReceiver, receiverKeys } from '../../support/push-receiver.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';
import { desktop, phone, suiteBrowser } from '../pages/browser.ts';
import { faultsOf } from '../pages/page-faults.ts';
import { gardener, openConsole, overflowOf, ownConsoleServer } from './garden-page.ts';

const open = suiteBrowser();

/** Delivers a push to the worker of a page, as the browser's push service would. */
async function deliverPush(page: Page, data: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const registrationId = new Promise<string>((resolve) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
      if (first) resolve(first.registrationId);
    }),
  );
  await devtools.send('ServiceWorker.enable');
  const { origin } = new URL(page.url());
  await devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await registrationId, data });
}

/** Has a worker keep what it shows: a browser without windows shows no notifications, and none that can be clicked. */
const keepShown = (worker: Worker): Promise<void> =>
  worker.evaluate(`
    self.shown = [];
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => { shown.push({ title, ...options }); };
    WindowClient.prototype.focus = async function () { return this; };
  `);

/** Clicks the notification that a worker showed first. */
const clickShown = (worker: Worker): Promise<void> =>
  worker.evaluate(`new Promise((resolve) => {
    const notification = { ...shown[0], close: () => shown.shift() };
    const waitUntil = (work) => work.then(() => resolve());
    dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil }));
  })`);

describe('notifications', () => {
  const server = ownConsoleServer('sqlite', { FETCH_ALLOW: '127.0.0.1' });
  const receiver = suiteFixture(
    () => NotificationReceiver.start(),
    async (started) => started.close(),
  );
  /** The first account administers the server, and may use FETCH_ALLOW. */
  const administrator = suiteFixture(
    () => gardener(server, 'pusher'),
    async () => undefined,
  );
  const toast = (page: Page, text: string) => page.getByRole('alertdialog').filter({ hasText: text });

  it('are shown on every page, kept behind the bell, and switched off by kind', async () => {
    const account = await gardener(server);
    const log = (message: string, type: string, channels: string[] = []) =>
      account.call('POST', '/api/logs', { message, type, channels });
    const page = await openConsole(open, server, account, '/photos');
    await page.getByRole('heading', { name: 'Photos', level: 1 }).waitFor();
    const bell = page.getByRole('button', { name: /notices?$/ });
    const count = async () => Number.parseInt((await bell.getAttribute('aria-label')) ?? '', 10);
    await bell.waitFor();
    const hints = await count();
    await log('The Y axis is stuck', 'error');
    await toast(page, 'Error: The Y axis is stuck').waitFor();
    await log('All watered', 'success', ['toast']);
    await toast(page, 'All watered').waitFor();
    await expect.poll(count).toBe(hints + 2);
    await bell.click();
    const inbox = page.getByRole('region', { name: 'From the robot' });
    await inbox.getByText('Error: The Y axis is stuck').waitFor();
    expect(await faultsOf(page, [phone, desktop])).toEqual([]);
    await inbox.getByRole('link', { name: 'Choose what is reported, and how' }).click();
    // They have been seen, also by another tab.
    await expect.poll(count).toBe(hints);
    await page.getByText('Errors of the robot').first().click();
    await expect
      .poll(() => account.call('GET', '/api/notification_settings'))
      .toMatchObject({ kinds: ['message', 'assertion', 'missed_run', 'offline'] });
    await log('Another error', 'error');
    await log('Still watering', 'info', ['toast']);
    await toast(page, 'Still watering').waitFor();
    expect(await toast(page, 'Another error').count()).toBe(0);
  });

  it('are pushed to a browser that subscribed', async () => {
    const keys = receiverKeys();
    const subscription = {
      endpoint: `${receiver.base}/push/one`,
      keys: { p256dh: keys.own.getPublicKey().toString('base64url'), auth: keys.auth.toString('base64url') },
    };
    const page = await openConsole(open, server, administrator, '/account?part=notifications');
    // There is no push service without the internet: the test is one.
    await page.addInitScript(`
      let subscription = null;
      window.ended = 0;
      PushManager.prototype.getSubscription = async () => subscription;
      PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
        window.serverKey = applicationServerKey;
        const options = { applicationServerKey: applicationServerKey.buffer };
        const unsubscribe = async () => { window.ended++; };
        subscription = { options, unsubscribe, toJSON: () => (${JSON.stringify(subscription)}) };
        return subscription;
      };
      Notification.requestPermission = async () => 'granted';
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    `);
    await page.reload();
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    await page.getByRole('button', { name: /How/ }).click();
    await page.getByRole('option', { name: 'This browser (Web Push)' }).click();
    const add = () => page.getByRole('button', { name: 'Add', exact: true }).click();
    await add();
    const list = page.getByRole('list', { name: 'When you are away' });
    await list.getByRole('button', { name: 'Send a test' }).waitFor();
    expect(await page.evaluate('window.serverKey.length')).toBe(65);
    await list.getByRole('button', { name: 'Send a test' }).click();
    await expect.poll(() => receiver.received.length).toBe(1);
    const [{ body } = { body: Buffer.alloc(0) }] = receiver.received;
    const data = decryptPush(body, keys);
    expect(JSON.parse(data)).toMatchObject({ body: 'This is a test.' });
    // The subscription serves the rules of all gardens of this browser, and replaces a rule of the same garden.
    const rules = () => administrator.call('GET', '/api/notification_rules');
    const before = await rules();
    await add();
    await expect.poll(rules).not.toEqual(before);
    expect(await list.getByRole('button', { name: 'Send a test' }).count()).toBe(1);
    expect(await page.evaluate('window.ended')).toBe(0);
    // The key of the server is another one since.
    await page.evaluate('window.serverKey.reverse()');
    await add();
    await expect.poll(() => page.evaluate('window.ended')).toBe(1);

    // The worker controls pages that are opened after it.
    await page.reload();
    const [worker] = page.context().serviceWorkers();
    if (!worker) return expect.unreachable();
    await keepShown(worker);
    await deliverPush(page, data);
    const { title } = JSON.parse(data);
    const link = '/console/logs';
    await expect
      .poll(() => worker.evaluate('shown'))
      .toMatchObject([{ title, body: 'This is a test.', icon: '/console/icon-192.png', data: { link } }]);
    await clickShown(worker);
    expect(await worker.evaluate('shown')).toEqual([]);
    await page.waitForURL(`**${link}`);
    await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
  });

  it('fit on a phone, in French, and say why a page without https gets no pushes', async () => {
    const account = await gardener(server);
    const page = await openConsole(open, server, account, '/account?part=notifications', {
      viewport: phone,
      locale: 'fr-FR',
    });
    await page.addInitScript("Object.defineProperty(window, 'isSecureContext', { get: () => false })");
    await page.reload();
    await page.getByRole('heading', { name: 'Quand vous êtes absent' }).waitFor();
    await page.getByRole('button', { name: /Moyen/ }).click();
    await page.getByRole('option', { name: 'Ce navigateur (Web Push)' }).click();
    await page.getByText(/demande une page chiffrée/).waitFor();
    expect(await page.getByRole('button', { name: 'Ajouter', exact: true }).isDisabled()).toBe(true);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await faultsOf(page, [phone, desktop])).toEqual([]);
  });
});
