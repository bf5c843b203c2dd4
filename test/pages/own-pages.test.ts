import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { register, signUp, uniqueEmail } from '../support/accounts.ts';
import { suiteServer } from '../support/servers.ts';
import { desktop, phone, storedIn, suiteBrowser } from './browser.ts';
import { faultsOf } from './page-faults.ts';

const problemOf = (page: Page, field: string): Promise<string | null> => page.textContent(`#${field}-problem`);

const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement?.id');

/** Types into the focused field and moves to the next. */
async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text);
  await page.keyboard.press('Tab');
}

/** Waits until an element contains a text. */
const waitForText = (page: Page, selector: string, words: string): Promise<unknown> =>
  page.locator(selector, { hasText: words }).waitFor();

const open = suiteBrowser();

describe('pages of our own', () => {
  const server = suiteServer('sqlite', { RATE_LIMITS: 'off', TOS_URL: 'https://garden.example/terms' });
  const at = (path: string): string => server.base + path;
  let page: Page;
  beforeEach(async () => {
    page = await open();
  });

  const signIn = async (email: string, password: string): Promise<void> => {
    await page.goto(at('/sign_in'));
    await page.fill('#email', email);
    await page.fill('#password', password);
    await page.click('form button');
  };

  it('support sign-up, confirmation, sign-in, password reset, new terms and sign-out', {
    timeout: 120_000,
  }, async () => {
    const email = uniqueEmail('ada');
    const password = 'a rake in the shed';

    // Sign-up, with invalid fields first.
    await page.goto(at('/'));
    await page.click('text=Create account');
    await page.click('form button');
    for (const field of ['name', 'email', 'password', 'password_confirmation'])
      expect(await problemOf(page, field)).toBe('This field is required.');
    expect(await problemOf(page, 'agree_to_terms')).toBe('Please check this box.');
    expect(await focused(page)).toBe('name');
    await page.fill('#name', 'Ada');
    await page.fill('#email', 'ada');
    await page.fill('#password', 'short');
    await page.fill('#password_confirmation', 'shore');
    expect(await problemOf(page, 'name')).toBe('');
    await page.keyboard.press('Enter');
    expect(await problemOf(page, 'email')).toBe('Enter a valid e-mail address.');
    expect(await problemOf(page, 'password')).toBe('Use at least 8 characters.');
    expect(await problemOf(page, 'password_confirmation')).toBe('The passwords do not match.');
    await page.fill('#email', email);
    // A common password is accepted, with a warning.
    for (const [secret, warning] of [
      ['Password123', expect.stringContaining('attackers')],
      [email.toUpperCase(), expect.stringContaining('attackers')],
      [password, ''],
    ] as const) {
      await page.fill('#password', secret);
      expect(await page.textContent('#password-warning')).toEqual(warning);
    }
    await page.fill('#password_confirmation', password);
    await page.check('#agree_to_terms');
    await page.click('form button');
    await page.waitForSelector('#sent:not([hidden])');
    expect(await page.textContent('#sent')).toContain(email);
    expect(await page.isVisible('form')).toBe(false);

    // Sign-in is refused before the address is confirmed.
    await signIn(email, password);
    await page.waitForSelector('.message.error');
    expect(await page.textContent('form .message')).toContain('confirm your e-mail address');
    await page.click('text=Resend message');
    await waitForText(page, '#resent', 'e-mail');

    // The link in the mail.
    const link = await server.outbox.linkTo(email, 'verify');
    await page.goto(link.href);
    await page.waitForURL(at('/app/designer/messages'));
    expect(await page.textContent('h1:visible')).toBe('Hello, Ada');
    await waitForText(page, '#robot-state', 'No robot has signed in yet.');
    expect(await page.textContent('#email')).toBe(email);
    expect(await page.textContent('#server')).toBe(server.base);

    // Signing out ends the session here and on the server.
    const { token } = JSON.parse((await storedIn(page, 'session')) ?? '{}');
    await page.click('nav >> text=Sign out');
    await page.waitForURL(at('/'));
    expect(await storedIn(page, 'session')).toBeNull();
    expect((await server.client.get('/api/device', token.encoded)).status).toBe(401);
    await page.goto(at('/app'));
    await page.waitForURL(at('/sign_in'));

    const again = await page.goto(link.href);
    expect(again?.status()).toBe(409);
    expect(await page.textContent('main')).toContain('already verified');
    expect(await page.textContent('h1')).toBe('Already done');
    await page.click('main a >> text=Sign in');
    await page.waitForURL(at('/sign_in'));

    // Sign-in with the keyboard only.
    await page.goto(at('/sign_in'));
    await page.focus('#email');
    await type(page, email);
    await page.keyboard.type('a rake in the barn');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.message.error');
    expect(await page.textContent('form .message')).toBe('Bad email or password.');
    await page.focus('#password');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.waitForURL(at('/app'));
    await page.click('nav >> text=Sign out');
    await page.waitForURL(at('/'));

    // Password reset with the mailed link.
    await page.click('nav >> text=Sign in');
    await page.click('text=Forgot password?');
    await page.fill('#email', email);
    await page.click('form button');
    await page.waitForSelector('#sent:not([hidden])');
    const reset = await server.outbox.linkTo(email, 'password_reset');
    await page.goto(reset.href);
    const renewed = 'two rakes in the shed';
    await page.fill('#password', renewed);
    await page.fill('#password_confirmation', renewed);
    await page.check('text=Show password');
    expect(await page.getAttribute('#password', 'type')).toBe('text');
    await page.click('form button');
    await page.waitForURL(at('/app'));
    expect(await page.textContent('h1:visible')).toBe('Hello, Ada');
    await page.goto(reset.href);
    await page.fill('#password', 'three rakes in the shed');
    await page.fill('#password_confirmation', 'three rakes in the shed');
    await page.click('form button');
    // The link was used: another one is sent to its address.
    await page.click('text=Send another link');
    await waitForText(page, '[data-status] .message', 'Please check your e-mail');
    const another = await server.outbox.linkTo(email, 'password_reset', reset);
    await page.goto(another.href);
    await page.fill('#password', renewed);
    await page.fill('#password_confirmation', renewed);
    await page.click('form button');
    await page.waitForURL(at('/app'));
    await page.goto(at('/logout'));
    await page.waitForURL(at('/'));
    await signIn(email, password);
    await page.waitForSelector('.message.error');

    // New terms require agreement.
    const database = new Database(join(server.dataDir, 'potager.sqlite'));
    database.prepare('update users set agreed_to_terms_at = null where email = ?').run(email);
    database.close();
    await signIn(email, renewed);
    await page.waitForURL(at('/tos_update'));
    expect(await page.inputValue('#email')).toBe(email);
    await page.fill('#password', renewed);
    await page.click('form button');
    expect(await problemOf(page, 'agree_to_terms')).toBe('Please check this box.');
    await page.check('#agree_to_terms');
    await page.click('form button');
    await page.waitForURL(at('/app'));
    expect(await page.textContent('h1:visible')).toBe('Hello, Ada');
  });

  it('send another link when the one that confirms an address does not work', async () => {
    const { email } = await register(server.client, 'eve');
    const first = await server.outbox.linkTo(email, 'verify');
    const answers = [];
    for (const address of [uniqueEmail('nobody'), email]) {
      expect((await page.goto(`${first.href.slice(0, -1)}!`))?.status()).toBe(404);
      expect(await page.textContent('h2')).toBe('Link expired? Send another');
      await page.fill('#email', address);
      await page.click('text=Send another link');
      await page.waitForSelector('form .message:not(:empty)');
      answers.push(await page.textContent('form .message'));
    }
    expect(answers[0]).toBe(answers[1]);
    await expect.poll(async () => (await server.outbox.mailsTo(email)).length).toBe(2);
    await page.goto(first.href);
    await page.waitForURL(at('/app/designer/messages'));
    // The link that confirms a changed address.
    await page.goto(at('/verify/a.b.c'));
    await page.click('text=Change address');
    await page.waitForURL(at('/account'));
  });

  it('replace the session of another account only after a question', async () => {
    const ada = await signUp(server, 'ada');
    await signIn(ada.email, ada.password);
    await page.waitForURL(at('/app'));
    for (const answer of ['dismiss', 'accept'] as const) {
      const { email } = await register(server.client, 'eve');
      const questions: string[] = [];
      page.once('dialog', async (dialog) => {
        questions.push(dialog.message());
        await dialog[answer]();
      });
      await page.goto((await server.outbox.linkTo(email, 'verify')).href);
      await page.waitForURL(at('/app/designer/messages'));
      expect(questions).toEqual([`You are signed in as ${ada.email}. Sign in as ${email} instead?`]);
      const { user } = JSON.parse((await storedIn(page, 'session')) ?? '');
      expect(user.email).toBe(answer === 'accept' ? email : ada.email);
    }
  });

  it('show errors of the server next to their fields', async () => {
    const { email } = await register(server.client, 'bea');
    await page.goto(at('/sign_up'));
    await page.fill('#name', 'Bea');
    await page.fill('#email', email);
    await page.fill('#password', 'password123');
    await page.fill('#password_confirmation', 'password123');
    await page.check('#agree_to_terms');
    await page.click('form button');
    await page.waitForSelector('#email[aria-invalid=true]');
    expect(await problemOf(page, 'email')).toBe('Email is already registered.');
    expect(await focused(page)).toBe('email');
    expect(await page.getAttribute('#email', 'aria-describedby')).toBe('email-problem');
  });

  it('show when the robot was seen, and download all data', async () => {
    const ada = await signUp(server, 'ada');
    const robot = { 'user-agent': 'FARMBOTOS/17.1.2 (RPI4) RPI4 ()' };
    await server.client.send('GET', '/api/device', { token: ada.token, headers: robot });
    await signIn(ada.email, ada.password);
    await page.waitForURL(at('/app'));
    await page.waitForSelector('#robot-state.online');
    expect(await page.textContent('#robot-state')).toBe('Last seen less than a minute ago.');
    expect(await page.textContent('#robot-version')).toBe('17.1.2');
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
    expect(file.suggestedFilename()).toMatch(/^garden-\d{4}-\d\d-\d\d\.json$/);
    await page.waitForSelector('text=Your data was downloaded.');
    await page.check('#with-photos');
    const [archive] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
    expect(archive.suggestedFilename()).toMatch(/\.zip$/);
    // A revoked token.
    await server.client.send('DELETE', '/api/tokens', {
      token: JSON.parse((await storedIn(page, 'session')) ?? '{}').token.encoded,
    });
    await page.click('#download');
    await page.waitForURL(at('/sign_in'));
    expect(await storedIn(page, 'session')).toBeNull();
  });

  it('are readable on phones and desktops, in light and dark mode', async () => {
    const session = (
      await server.client.post('/api/tokens', {
        user: await signUp(server, 'ada').then(({ email, password }) => ({ email, password })),
      })
    ).text;
    const viewports = [phone, desktop];
    for (const path of [
      '/',
      '/sign_in',
      '/sign_up',
      '/forgotten_password',
      '/password_reset/a.b.c',
      '/take_back/a.b.c',
      '/tos_update',
      '/os',
      '/featured',
      '/verify/x',
      '/nothing/here',
    ]) {
      await page.goto(at(path));
      // The form of the front page starts a demo garden.
      if (path !== '/' && (await page.$('form'))) await page.click('form button');
      expect(await faultsOf(page, viewports), path).toEqual([]);
    }
    await page.evaluate(`localStorage.setItem('session', ${JSON.stringify(session)})`);
    await page.goto(at('/app'));
    await waitForText(page, '#robot-state', 'No robot');
    expect(await faultsOf(page, viewports), '/app').toEqual([]);
  });
});

describe('pages of a server without terms and sign-up', () => {
  const server = suiteServer('sqlite', { RATE_LIMITS: 'off', SIGN_UP: 'closed' });

  it('offer neither', async () => {
    // Until there is an account, its administrator may sign up.
    await server.run(['user', 'create', 'ada@example.com', '--password', 'password123']);
    const page = await open();
    await page.goto(`${server.base}/tos_update`);
    expect(await page.textContent('main')).toContain('This server has no terms of service.');
    await page.click('main >> text=Home');
    await page.waitForURL(`${server.base}/`);
    expect(await page.textContent('main')).not.toContain('Create account');
    await page.goto(`${server.base}/nothing`);
    expect(await page.textContent('h1')).toBe('Page not found');
  });
});
