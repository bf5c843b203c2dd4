import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lanAddress } from '../../src/http/server-urls.ts';
import { register, signIn } from '../support/accounts.ts';
import { suiteServer } from '../support/servers.ts';
import { desktop, storedIn, suiteBrowser } from './browser.ts';
import { faultsOf } from './page-faults.ts';

const narrowPhone = { width: 320, height: 640 };
const password = 'a rake in the shed';

const open = suiteBrowser();

/** Waits until an element contains a text. */
const waitForText = (page: Page, selector: string, words: string): Promise<unknown> =>
  page.locator(selector, { hasText: words }).waitFor();

/** Loads the page again, and returns the name of the robot. */
async function shownName(page: Page): Promise<string | null> {
  await page.reload();
  await page.locator('#robot-name', { hasNotText: '…' }).waitFor();
  return page.textContent('#robot-name');
}

const problemOf = (page: Page, field: string): Promise<string | null> => page.textContent(`#${field}-problem`);

describe('a new server', () => {
  const server = suiteServer('sqlite', {
    HOST: '0.0.0.0',
    RATE_LIMITS: 'off',
    EMAIL_VERIFICATION: 'off',
    // The session must work under every other address.
    PUBLIC_URL: 'https://garden.example',
  });
  let at: (path: string) => string;
  let page: Page;
  beforeAll(() => {
    at = (path) => `http://${lanAddress() ?? '127.0.0.1'}:${server.port}${path}`;
  });
  beforeEach(async () => {
    page = await open();
  });

  it('leads from an empty folder to a seeded garden, by clicks and under the address of the network', {
    timeout: 120_000,
  }, async () => {
    await page.goto(at('/'));
    expect(await page.textContent('h1')).toBe('Welcome to your garden server');
    await page.fill('#name', 'Ada');
    await page.fill('#email', 'ada@example.com');
    await page.fill('#password', password);
    await page.fill('#password_confirmation', password);
    await page.click('text=Create account');
    await page.waitForURL(at('/app'));
    expect(await page.textContent('h1:visible')).toBe('Hello, Ada');
    await waitForText(page, '#garden-size', '0 plants and 0 sequences.');

    // There is no clipboard API on unencrypted pages.
    await page.click('text=Copy');
    await waitForText(page, '#server-copied[role=status]', 'Copied.');
    await page.goto(at('/account'));
    await page.waitForSelector('#timezone option', { state: 'attached' });
    await page.fill('#name', '');
    await page.focus('#name');
    await page.keyboard.press('Control+V');
    expect(await page.inputValue('#name')).toBe('https://garden.example');

    await page.goto(at('/app'));
    await page.click('text=Set up the garden');
    await page.waitForURL(at('/seed'));
    await page.click('text=Create the garden');
    expect(await problemOf(page, 'product_line')).toBe('This field is required.');
    await page.selectOption('#product_line', { label: 'FarmBot Genesis XL 1.8' });
    expect(await page.inputValue('#product_line')).toBe('genesis_xl_1.8');
    await page.click('text=Create the garden');
    await page.click('text=Go to my garden');
    await page.waitForURL(at('/app'));
    await expect.poll(() => shownName(page)).toBe('FarmBot Genesis XL');
    expect(await page.isVisible('text=Set up the garden')).toBe(false);

    await page.click('nav >> text=Sign out');
    await page.waitForURL(at('/'));
    // There is an account now.
    expect(await page.textContent('h1')).toBe('Your garden robot server');
  });

  it('starts demo gardens with a button, never by opening a page', async () => {
    await page.goto(at('/demo'));
    await page.goto(at('/try_farmbot'));
    expect(await storedIn(page, 'session')).toBeNull();
    await page.selectOption('#product_line', { label: 'FarmBot Express XL 1.2' });
    await page.click('text=Start a demo garden');
    await page.waitForURL(at('/app'));
    await waitForText(page, '.when-demo', 'This is a demo garden.');
    expect(await page.isVisible('text=Connect a robot')).toBe(false);
    await expect.poll(() => shownName(page)).toBe('FarmBot Express XL');
    await page.goto(at('/account'));
    expect(await page.isVisible('#email-form')).toBe(false);
    await page.goto(at('/import'));
    await waitForText(page, '.when-demo', 'A demo garden cannot import files.');
    expect(await page.isVisible('#import-form')).toBe(false);
    await page.goto(at('/logout'));
    await page.waitForURL(at('/'));
    await page.click('text=Start a demo garden');
    await page.waitForURL(at('/app'));
    expect(JSON.parse((await storedIn(page, 'session')) ?? '').user.email).toMatch(/^guest_/);
  });

  describe('for a signed-in person', () => {
    let account: { email: string; password: string };
    beforeEach(async () => {
      account = await register(server.client, 'bea');
      const { text } = await server.client.post('/api/tokens', {
        user: { email: account.email, password: account.password },
      });
      await page.goto(at('/sign_in'));
      await page.evaluate(`localStorage.setItem('session', ${JSON.stringify(text)})`);
    });

    it('changes the account', { timeout: 60_000 }, async () => {
      await page.goto(at('/account'));
      await page.waitForSelector('#timezone option', { state: 'attached' });
      expect(await page.inputValue('#email')).toBe(account.email);
      await page.fill('#name', 'Bea Green');
      await page.click('text=Save name');
      await waitForText(page, '#name-form .message', 'Your name was saved.');
      await page.selectOption('#timezone', 'Europe/Paris');
      await page.click('text=Save time zone');
      await waitForText(page, '#zone-form .message', 'The time zone was saved.');

      await page.fill('#email-password', account.password);
      await page.click('text=Change address');
      expect(await problemOf(page, 'email')).toBe('This is your address already.');
      const email = `new-${account.email}`;
      await page.fill('#email', email);
      await page.fill('#email-password', 'wrong password');
      await page.click('text=Change address');
      await page.waitForSelector('#email-password[aria-invalid]');
      expect(await problemOf(page, 'email-password')).toBe('Password is not your current one.');
      await page.fill('#email-password', account.password);
      await page.keyboard.press('Enter');
      await waitForText(page, '#email-form .message', 'Your address was changed.');
      expect(await page.inputValue('#email-password')).toBe('');

      await page.fill('#current-password', account.password);
      await page.fill('#new_password', 'two rakes in the shed');
      await page.fill('#new_password_confirmation', 'two rakes in the barn');
      await page.click('text=Change password');
      expect(await problemOf(page, 'new_password_confirmation')).toBe('The passwords do not match.');
      await page.fill('#new_password_confirmation', 'two rakes in the shed');
      await page.click('text=Change password');
      await waitForText(page, '#password-form .message', 'Your password was changed.');

      await page.reload();
      await page.waitForSelector('#timezone option', { state: 'attached' });
      expect(await page.inputValue('#name')).toBe('Bea Green');
      expect(await page.inputValue('#timezone')).toBe('Europe/Paris');
      // What other pages show of the session has all changes.
      await page.goto(at('/app'));
      expect(await page.textContent('h1:visible')).toBe('Hello, Bea Green');
      expect(await page.textContent('#email')).toBe(email);
      const user = { email, password: 'two rakes in the shed' };
      expect((await server.client.post('/api/tokens', { user })).status).toBe(200);
    });

    it('imports a file after a report', { timeout: 60_000 }, async () => {
      const file = join(server.folder, 'garden.json');
      const other = await register(server.client, 'cal');
      const { token } = await signIn(server.client, 'cal', other.email, other.password);
      await server.client.post('/api/tools', { name: 'Trowel' }, token);
      const exported = (await server.client.post('/api/export_data', {}, token)).text;
      writeFileSync(file, exported.replace('{', '{"gnomes":[],'));
      await page.goto(at('/app'));
      await page.click('text=Import a garden');
      await page.waitForURL(at('/import'));
      await page.click('text=Check the file');
      expect(await problemOf(page, 'file')).toBe('This field is required.');
      await page.setInputFiles('#file', file);
      await page.click('text=Check the file');
      await waitForText(page, '#report', 'The file can be imported.');
      const report = (await page.textContent('#report-content')) ?? '';
      expect(report).toContain('Would be imported: tools (1), ');
      expect(report).toContain('/gnomes');
      await page.click('text=Import now');
      await waitForText(page, '#report', 'The garden was imported.');
      expect(await page.isVisible('text=Import now')).toBe(false);

      // Not empty any more, and a wrong password.
      await page.click('text=Check the file');
      await waitForText(page, '#report', 'The file cannot be imported: nothing was changed.');
      await page.selectOption('#mode', 'replace');
      expect(await page.isVisible('#report')).toBe(false);
      await page.fill('#password', 'wrong pässword');
      await page.click('text=Check the file');
      await waitForText(page, '#report', 'The file can be imported.');
      await page.click('text=Import now');
      await page.waitForSelector('#password[aria-invalid]');
      expect(await problemOf(page, 'password')).toBe('The password is wrong.');
      await page.fill('#password', account.password);
      await page.click('text=Check the file');
      await page.click('text=Import now');
      await waitForText(page, '#report', 'The former garden was stored on the server');

      writeFileSync(file, 'no JSON');
      await page.setInputFiles('#file', file);
      await page.click('text=Check the file');
      await page.waitForSelector('#import-form .message.error');
      expect(await page.isVisible('#report')).toBe(false);
      writeFileSync(file, exported.replace('"Trowel"', 'null'));
      await page.setInputFiles('#file', file);
      await page.click('text=Check the file');
      await waitForText(page, '#report', '/tools/0');
    });

    it('has readable pages, on the smallest phones, too', { timeout: 120_000 }, async () => {
      for (const path of ['/', '/app', '/account', '/import', '/seed', '/demo']) {
        await page.goto(at(path));
        const button = page.locator('form:visible button').last();
        if ((await button.count()) > 0 && path !== '/demo') await button.click();
        expect(await faultsOf(page, [narrowPhone, desktop]), path).toEqual([]);
      }
    });
  });

  it('says first that its pages need JavaScript', async () => {
    const without = await open({ javaScriptEnabled: false });
    for (const path of ['/', '/sign_in', '/sign_up', '/app', '/account', '/import', '/seed', '/demo', '/os']) {
      await without.goto(at(path));
      expect(await without.innerText('main'), path).toMatch(/^This page needs JavaScript/);
    }
  });
});
