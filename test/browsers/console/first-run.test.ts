import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { register, signIn } from '../../support/accounts.ts';
import { describeEngines, itOnce } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { textAt } from '../../support/json.ts';
import { createTempFolder, ServerProcess } from '../../support/servers.ts';
import { suiteBrowser } from '../pages/browser.ts';
import { openConsole, ownConsoleServer } from './garden-page.ts';

const password = 'a rake in the shed';
const open = suiteBrowser();

const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click();
const follow = (page: Page, name: string): Promise<void> => page.getByRole('link', { name }).click();
const fill = (page: Page, label: string, text: string): Promise<void> =>
  page.getByLabel(label, { exact: true }).fill(text);
/** Waits for the page with this title. */
const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { name, level: 1 }).waitFor();
/** Waits for a sentence. */
const sentence = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
/** The session of the tab. */
const session = async (page: Page): Promise<{ token: { encoded: string } } | null> =>
  JSON.parse((await page.evaluate("sessionStorage.getItem('session')")) ?? 'null');

describeEngines('a new server', (engine) => {
  const server = ownConsoleServer(engine, { EMAIL_VERIFICATION: 'off' });
  const at = (path: string): string => server.base + path;

  it('leads by clicks to a garden with a virtual robot, and further accounts to one of their own', async () => {
    // Copying works without the API that only encrypted pages have.
    const page = await open({ locale: 'en-US', timezoneId: 'Europe/Paris' });
    await page.addInitScript('delete Navigator.prototype.clipboard');
    await page.goto(at('/'));
    await heading(page, 'Welcome to your garden server');
    await sentence(page, 'Time zone of the garden: Europe/Paris, as in this browser.');
    expect(await page.getByRole('textbox').count()).toBe(3);
    await press(page, 'Create account');
    await sentence(page, 'Name must not be blank.');
    expect(await page.getByLabel('E-mail', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await fill(page, 'Name', 'Ada');
    await fill(page, 'E-mail', 'ada@example.com');
    for (const [secret, isWeak] of [
      ['Password123', true],
      ['ADA@example.com', true],
      [password, false],
    ] as const) {
      await fill(page, 'Password', secret);
      await expect.poll(() => page.getByText('attackers').isVisible()).toBe(isWeak);
    }
    await press(page, 'Create account');
    await heading(page, 'How do you want to begin?');
    await press(page, 'Show me first');
    await page.waitForURL(at('/console/map'));
    await page.getByRole('status').filter({ hasText: 'Ready' }).waitFor();
    // The name of the garden is the seeded one at once.
    await page.getByRole('banner').getByText('FarmBot Genesis', { exact: true }).waitFor();
    const token = (await session(page))?.token.encoded ?? '';
    expect((await server.client.get('/api/device', token)).json).toMatchObject({ timezone: 'Europe/Paris' });
    expect((await server.client.get('/api/admin/server', token)).status).toBe(200);
    await expect
      .poll(async () => JSON.stringify((await server.client.get('/api/points', token)).json))
      .toContain('"pointer_type":"Plant"');

    // Signing out ends the session here and on the server.
    await follow(page, 'Sign out');
    await heading(page, 'Sign in');
    expect(await session(page)).toBeNull();
    expect((await server.client.get('/api/device', token)).status).toBe(401);

    // A further account has a robot.
    await follow(page, 'Create account');
    await fill(page, 'Name', 'Bea');
    await fill(page, 'E-mail', 'bea@example.com');
    await fill(page, 'Password', password);
    await press(page, 'Create account');
    await press(page, 'I have a robot');
    // The picture and the name of a model choose its newest version.
    await page.getByText('FarmBot Express XL', { exact: true }).click();
    await expect.poll(() => page.getByRole('radio', { name: 'FarmBot Express XL version 1.2' }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: 'FarmBot Genesis XL version 1.8' }).focus();
    await page.keyboard.press('Space');
    await press(page, 'Go on');
    await heading(page, 'Connect your robot');
    await page
      .getByRole('img', { name: /^QR code of http/ })
      .locator('path')
      .waitFor();
    await press(page, 'Copy');
    await sentence(page, 'Copied.');
    await sentence(page, 'Waiting for your robot…');
    const bea = (await session(page))?.token.encoded ?? '';
    await expect
      .poll(async () => (await server.client.get('/api/device', bea)).json)
      .toMatchObject({ name: 'FarmBot Genesis XL' });
    await server.client.send('PUT', '/api/virtual_robot', { token: bea, body: { running: true } });
    await sentence(page, 'Your robot is connected.');
    await press(page, 'To the map');
    await page.waitForURL(at('/console/map'));
    // The garden is made once.
    await page.goto(at('/seed'));
    await page.waitForURL(at('/console/map'));
  });

  itOnce(engine, 'opens the map of a garden that has plants and no robot', async () => {
    const { email, password: secret } = await register(server.client, 'fay');
    const account = await signIn(server.client, 'fay', email, secret);
    const page = await openConsole(open, server, account, '/');
    await heading(page, 'How do you want to begin?');
    const plant = { pointer_type: 'Plant', name: 'Leek', x: 100, y: 100, z: 0 };
    await server.client.send('POST', '/api/points', { token: account.token, body: plant });
    await page.goto(at('/console/'));
    await page.getByRole('button', { name: /^Leek, plant at/ }).waitFor();
    await sentence(page, 'No robot has been connected yet.');
  });

  itOnce(engine, 'keeps the time zone when the set-up is skipped, and offers the robot later', async () => {
    // Made by the API, as without a browser.
    const { email, password: secret } = await register(server.client, 'dan');
    const account = await signIn(server.client, 'dan', email, secret);
    const { token } = account;
    const page = await openConsole(open, server, account, '/set-up', {
      timezoneId: 'America/Lima',
    });
    await page.getByRole('link', { name: 'Skip, and go to the map' }).press('Enter');
    // Not the emergency stop, which the next Enter would press.
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Map');
    await expect
      .poll(async () => (await server.client.get('/api/device', token)).json)
      .toMatchObject({ timezone: 'America/Lima' });
    await sentence(page, /^Nothing grows here yet\./);
    await page.getByRole('button', { name: 'Add the first plant' }).waitFor();
    await sentence(page, 'No robot has been connected yet.');
    await follow(page, 'Connect a robot');
    await heading(page, 'Connect your robot');
    await page.goto(at('/console/robot'));
    await page.getByRole('link', { name: 'Connect a robot' }).waitFor();
    await press(page, 'Try the virtual robot');
    await page.getByRole('status').filter({ hasText: 'Ready' }).first().waitFor();
    await page.getByRole('button', { name: 'Try the virtual robot' }).waitFor({ state: 'detached' });
    await server.client.send('PUT', '/api/virtual_robot', { token, body: { running: false } });

    // A new account has a time zone immediately, and a garden in the language of the browser.
    const other = await open({ locale: 'fr-FR', timezoneId: 'Asia/Tokyo' });
    await other.goto(at('/console/sign-up'));
    await fill(other, 'Nom', 'Eve');
    await fill(other, 'Adresse e-mail', 'eve@example.com');
    await fill(other, 'Mot de passe', password);
    await press(other, 'Créer un compte');
    await heading(other, 'Comment voulez-vous commencer ?');
    const own = (await session(other))?.token.encoded ?? '';
    expect((await server.client.get('/api/device', own)).json).toMatchObject({ timezone: 'Asia/Tokyo' });
    // The garden is made without a robot, and the page gives the reason.
    const failure = { error: 'Ce serveur a déjà autant de robots virtuels qu’il peut. Réessayez plus tard.' };
    await other.route('**/api/virtual_robot', (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 422, json: failure }) : route.continue(),
    );
    await press(other, 'Montrez-moi d’abord');
    await other.waitForURL(at('/console/map'));
    await sentence(other, 'Ce serveur a déjà autant de robots virtuels qu’il peut. Réessayez plus tard.');
    await expect
      .poll(async () => JSON.stringify((await server.client.get('/api/tools', own)).json))
      .toContain('Semoir');
  });

  itOnce(
    engine,
    'says that a new e-mail address is already valid, and leads an invited person into the garden',
    async () => {
      const { email, password } = await register(server.client, 'cleo');
      const cleo = await signIn(server.client, 'cleo', email, password);
      const page = await openConsole(open, server, cleo, '/account');
      await fill(page, 'E-mail', `new-${email}`);
      await page.getByRole('button', { name: 'Save' }).first().click();
      await sentence(page, `Your address is now new-${email}.`);
      expect(await page.getByLabel('E-mail', { exact: true }).inputValue()).toBe(`new-${email}`);
      const body = { user: { email: `new-${email}`, password } };
      expect((await server.client.post('/api/tokens', body)).status).toBe(200);

      const invitation = { token: cleo.token, body: { email: 'dora@example.com', role: 'viewer' } };
      const { json } = await server.client.send('POST', '/api/invitations', invitation);
      const guest = await open({ locale: 'en-US' });
      const failed: string[] = [];
      guest.on('response', (response) => {
        if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
      });
      await guest.goto(at(new URL(textAt(json, 'link')).pathname));
      await fill(guest, 'Name', 'Dora');
      await fill(guest, 'Password', password);
      await press(guest, 'Create account');
      await sentence(guest, /^Your account is ready\. You are now in the garden “.+”, as viewer\.$/);
      await guest.waitForURL(at('/console/map'));
      await sentence(guest, 'View only');
      expect(failed).toEqual([]);
    },
  );
});

it('leads from an empty folder to a watered plant on the map, by clicks alone', async () => {
  const env = { MQTT_PORT: String(await freePort()) };
  const server = new ServerProcess(await createTempFolder(), await freePort(), env);
  try {
    await server.start();
    const page = await open({ locale: 'en-US' });
    await page.goto(server.base);
    await fill(page, 'Name', 'Ada');
    await fill(page, 'E-mail', 'ada@example.com');
    await fill(page, 'Password', password);
    await press(page, 'Create account');
    await press(page, 'Show me first');
    const plant = page.getByRole('button', { name: 'Spinach, plant at 600, 100' });
    await plant.click();
    await page.getByRole('button', { name: 'Water', exact: true }).click();
    await press(page, 'Start watering');
    await sentence(page, /: 1 of 1 done\./);
    await page.getByRole('img', { name: 'Robot at 600, 100' }).waitFor();
  } finally {
    await server.remove();
  }
});
