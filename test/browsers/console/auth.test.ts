import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { register, signUp, uniqueEmail } from '../../support/accounts.ts';
import { desktop, phone, suiteBrowser } from '../pages/browser.ts';
import { faultsOf } from '../pages/page-faults.ts';
import { ownConsoleServer } from './garden-page.ts';

const password = 'a rake in the shed';
const smallPhone = { width: 320, height: 640 };
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
const session = async (page: Page): Promise<{ user: { email: string }; token: { encoded: string } } | null> =>
  JSON.parse((await page.evaluate("sessionStorage.getItem('session')")) ?? 'null');
const emailOf = async (page: Page): Promise<string | undefined> => (await session(page))?.user.email;

async function signIn(page: Page, email: string, secret: string): Promise<void> {
  await fill(page, 'E-mail', email);
  await fill(page, 'Password', secret);
  await press(page, 'Sign in');
}

describe('the pages before sign-in', () => {
  const server = ownConsoleServer('sqlite', {
    EMAIL_VERIFICATION: 'required',
    TOS_URL: 'https://garden.example/terms',
  });
  const at = (path: string): string => server.base + path;
  let page: Page;
  beforeEach(async () => {
    page = await open({ locale: 'en-US' });
  });

  /** Sends the form of a sign-up in French. */
  async function signUpInFrench(french: Page, name: string, email: string): Promise<void> {
    await french.goto(at('/sign_up'));
    await fill(french, 'Nom', name);
    await fill(french, 'Adresse e-mail', email);
    await fill(french, 'Mot de passe', password);
    await french.getByText('J’accepte').click({ position: { x: 5, y: 5 } });
    await press(french, 'Créer un compte');
  }

  it('show refusals of the server in French', async () => {
    const { email } = await signUp(server, 'taken');
    const french = await open({ locale: 'fr-FR' });
    await french.goto(at('/sign_in'));
    await fill(french, 'Adresse e-mail', 'nobody@garden.example');
    await fill(french, 'Mot de passe', 'not the password');
    await press(french, 'Se connecter');
    await sentence(french, 'L’adresse e-mail ou le mot de passe est faux.');
    await french.goto(at('/console/password-reset'));
    await sentence(french, /demandez-en un autre/);
    await french.getByRole('heading', { name: 'Demander un lien' }).waitFor();
    expect(await french.getByLabel('Nouveau mot de passe').count()).toBe(0);
    await signUpInFrench(french, 'Ada', email);
    await sentence(french, 'Il y a déjà un compte avec cette adresse.');
  });

  it('have mails written in their language', async () => {
    const email = uniqueEmail('zoe');
    // The choice counts, not the browser's preference.
    const french = await open({ locale: 'en-US' });
    await french.addInitScript("localStorage.setItem('language', 'fr')");
    await signUpInFrench(french, 'Zoé', email);
    const { subject, html } = await server.outbox.mailTo(email);
    expect(subject).toBe('Bienvenue dans votre jardin');
    expect(html).toContain('<html lang="fr">');
    // The account keeps it for mails that no page causes.
    await french.goto((await server.outbox.linkTo(email, 'verify')).href);
    await french.waitForURL(/console\/(map|set-up)/);
    const token = (await session(french))?.token.encoded ?? '';
    const { json } = await server.client.send('GET', '/api/users', { token });
    expect(json).toMatchObject([{ email, language: 'French' }]);
  });

  it('sign in the tab alone by a link of a sign-up elsewhere, which an attacker may have sent', async () => {
    await register(server.client, 'first');
    const email = uniqueEmail('mallory');
    const body = { name: 'Mallory', email, password, password_confirmation: password, agree_to_terms: true };
    await server.client.send('POST', '/api/users', { body });
    await page.goto((await server.outbox.linkTo(email, 'verify')).href);
    await heading(page, 'How do you want to begin?');
    expect(await emailOf(page)).toBe(email);
    const another = await page.context().newPage();
    await another.goto(at('/console/account'));
    await heading(another, 'Sign in');
    expect(await page.context().cookies()).toEqual([]);
  });

  it('sign up, confirm the address, reset the password, and ask for consent to new terms', async () => {
    // So that there is an account.
    await register(server.client, 'first');
    const email = uniqueEmail('ada');
    await page.goto(at('/sign_up'));
    await fill(page, 'Name', 'Ada');
    await fill(page, 'E-mail', email);
    await fill(page, 'Password', password);
    await page.getByText('Show password').click();
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text');
    await press(page, 'Create account');
    await sentence(page, 'Please agree to the terms of service.');
    const agreement = page.getByRole('checkbox', { name: /^I agree to the/ });
    await agreement.and(page.locator('[aria-invalid=true]:focus')).waitFor();
    await page.getByText('I agree to the').click({ position: { x: 5, y: 5 } });
    await press(page, 'Create account');
    await sentence(page, new RegExp(`finds the message to ${email}`));

    // Sign-in is refused before the address is confirmed; a deep link survives it.
    await page.goto(at('/console/map?point=5'));
    await signIn(page, email, password);
    await sentence(page, /confirm your e-mail address first/);
    await press(page, 'Resend message');
    await sentence(page, 'Please check your e-mail.');
    await page.reload();
    expect(await page.getByLabel('E-mail', { exact: true }).inputValue()).toBe(email);
    const link = await server.outbox.linkTo(email, 'verify');
    await page.goto(link.href);
    await heading(page, 'How do you want to begin?');
    expect(await emailOf(page)).toBe(email);
    // The browser in which the account was created stays signed in.
    const anotherTab = await page.context().newPage();
    await anotherTab.goto(at('/console/account'));
    await heading(anotherTab, 'Account');
    await anotherTab.close();
    await follow(page, 'Skip, and go to the map');
    const left = (await session(page))?.token.encoded ?? '';
    await follow(page, 'Sign out');
    await heading(page, 'Sign in');
    expect((await server.client.get('/api/device', left)).status).toBe(401);
    expect((await page.goto(link.href))?.status()).toBe(409);
    await heading(page, 'Already done');
    await follow(page, 'Sign in');

    // Keyboard alone, with a wrong password first.
    await page.getByLabel('E-mail', { exact: true }).press('Control+A');
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('a rake in the barn');
    await page.keyboard.press('Enter');
    await sentence(page, 'Bad email or password.');
    await page.getByLabel('Password', { exact: true }).press('Control+A');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await heading(page, 'How do you want to begin?');

    await page.goto(at('/logout'));
    await follow(page, 'Forgot password?');
    await heading(page, 'Reset password');
    await fill(page, 'E-mail', email);
    await press(page, 'Send link');
    await sentence(page, new RegExp(`account with the address ${email}`));
    const reset = await server.outbox.linkTo(email, 'password_reset');
    await page.goto(reset.href);
    await page.waitForURL(at('/console/password-reset'));
    const renewed = 'two rakes in the shed';
    await fill(page, 'New password', 'short');
    await press(page, 'Set password');
    await sentence(page, /too short/i);
    await fill(page, 'New password', 'Password1');
    await sentence(page, /first passwords that attackers try/);
    await fill(page, 'New password', renewed);
    await press(page, 'Set password');
    await heading(page, 'How do you want to begin?');
    // The link was used: another one is sent to its address.
    await page.goto(reset.href);
    await fill(page, 'New password', 'three rakes in the shed');
    await press(page, 'Set password');
    await page.getByRole('heading', { name: 'Link expired? Send another' }).waitFor();
    expect(await page.getByLabel('E-mail', { exact: true }).inputValue()).toBe(email);
    await press(page, 'Send another link');
    const another = await server.outbox.linkTo(email, 'password_reset', reset);
    await page.goto(another.href);
    await fill(page, 'New password', renewed);
    await press(page, 'Set password');
    await heading(page, 'How do you want to begin?');

    // New terms, in the middle of the garden.
    await page.route('**/api/points', (route) =>
      route.fulfill({ status: 451, json: { error: 'You must agree to the terms of service first.' } }),
    );
    await page.goto(at('/console/map?point=5'));
    await heading(page, 'The terms of service have changed');
    expect(await page.getByLabel('E-mail', { exact: true }).inputValue()).toBe(email);
    await page.unrouteAll();
    await fill(page, 'Password', renewed);
    await page.getByText('I agree to the').click({ position: { x: 5, y: 5 } });
    await press(page, 'Agree and continue');
    await page.waitForURL(at('/console/map?point=5'));

    // A session that ended, and the same page after the sign-in.
    const token = (await session(page))?.token.encoded ?? '';
    await server.client.send('DELETE', '/api/tokens', { token });
    await page.reload();
    await heading(page, 'Sign in');
    await signIn(page, email, renewed);
    await page.waitForURL(at('/console/map?point=5'));
  });

  it('show invitations: to people without an account, to the invited, and to another person', async () => {
    const ada = await signUp(server, 'ada');
    const bob = uniqueEmail('bob');
    const invite = async (email: string): Promise<string> => {
      const body = { email, role: 'viewer' };
      const { json } = await server.client.send('POST', '/api/invitations', { token: ada.token, body });
      return typeof json === 'object' && json !== null && 'link' in json ? String(json.link) : '';
    };
    const link = await invite(bob);
    await page.goto(at(new URL(link).pathname));
    await sentence(page, `The invitation is for ${bob}.`);
    await page.waitForURL(at('/console/invitation'));
    await fill(page, 'Name', 'Bob');
    await fill(page, 'Password', password);
    await page.getByText('I agree to the').click({ position: { x: 5, y: 5 } });
    await press(page, 'Create account');
    await sentence(page, new RegExp(`finds the message to ${bob}`));
    await sentence(page, /Then open the link of the invitation once more to join the garden “/);
    // The link was not mailed, so it confirms no address.
    await page.goto((await server.outbox.linkTo(bob, 'verify')).href);
    await page.getByRole('button', { name: 'Accept invitation' }).waitFor();
    await page.goto(at('/logout'));
    await heading(page, 'Sign in');
    await page.goto(at(new URL(link).pathname));
    await press(page, 'I have an account: sign in');
    expect(await page.getByLabel('E-mail', { exact: true }).inputValue()).toBe(bob);
    await signIn(page, bob, password);
    await press(page, 'Accept invitation');
    await page.waitForURL(at('/console/map'));
    await sentence(page, 'View only');
    // It works once.
    await page.goto(at(new URL(link).pathname));
    await sentence(page, /This invitation was not found/);
    await page.goto(at(new URL(await invite(uniqueEmail('cleo'))).pathname));
    await press(page, 'Accept invitation');
    await sentence(page, /another e-mail address/);
    await press(page, 'Use another account');
    await page.getByRole('button', { name: 'Create account' }).waitFor();
  });
});

describe('pages before sign-in', () => {
  const server = ownConsoleServer('sqlite', {
    EMAIL_VERIFICATION: 'required',
    TOS_URL: 'https://garden.example/terms',
  });
  const at = (path: string): string => server.base + path;
  let page: Page;
  beforeEach(async () => {
    page = await open({ locale: 'en-US' });
  });

  it('send another link when the one that confirms an address does not work', async () => {
    // The address of the first account needs no confirmation.
    await register(server.client, 'administrator');
    const { email } = await register(server.client, 'eve');
    const first = await server.outbox.linkTo(email, 'verify');
    const answers = new Set<string>();
    for (const address of [uniqueEmail('nobody'), email]) {
      expect((await page.goto(`${first.href.slice(0, -1)}!`))?.status()).toBe(404);
      await heading(page, 'This link did not work');
      await fill(page, 'E-mail', address);
      await press(page, 'Send another link');
      answers.add((await page.getByText('a message is on its way').textContent()) ?? '');
    }
    expect(answers.size).toBe(1);
    await expect.poll(async () => (await server.outbox.mailsTo(email)).length).toBe(2);
    // The link that confirms a changed address.
    await page.goto(at('/verify/a.b.c'));
    await page.getByRole('link', { name: 'Change address' }).waitFor();
  });

  it('sign in as another account only after a question', async () => {
    const ada = await signUp(server, 'ada');
    await page.goto(at('/sign_in'));
    await signIn(page, ada.email, ada.password);
    await heading(page, 'How do you want to begin?');
    for (const accepts of [false, true]) {
      const { email } = await register(server.client, 'eve');
      await page.goto((await server.outbox.linkTo(email, 'verify')).href);
      await heading(page, 'Your address is confirmed');
      await press(page, accepts ? `Sign in as ${email}` : `Stay signed in as ${ada.email}`);
      await heading(page, 'How do you want to begin?');
      expect(await emailOf(page)).toBe(accepts ? email : ada.email);
    }
  });

  it('start demo gardens with a button, never by opening a page', async () => {
    await page.goto(at('/try_farmbot'));
    await heading(page, 'Demo garden');
    expect(await session(page)).toBeNull();
    await page.getByRole('button', { name: /Your robot/ }).click();
    await page.getByRole('option', { name: 'FarmBot Express XL 1.2' }).click();
    await press(page, 'Start a demo garden');
    await page.waitForURL(at('/console/map'));
    expect(await emailOf(page)).toMatch(/^guest_/);
  });

  it('show errors of the server next to their fields, and keep the input', async () => {
    const { email } = await register(server.client, 'bea');
    await page.goto(at('/sign_up'));
    await fill(page, 'Name', 'Bea');
    await fill(page, 'E-mail', email);
    await fill(page, 'Password', 'password123');
    await page.getByText('I agree to the').click({ position: { x: 5, y: 5 } });
    await press(page, 'Create account');
    await sentence(page, 'Email is already registered.');
    await page.reload();
    expect(await page.getByLabel('E-mail', { exact: true }).inputValue()).toBe(email);
  });

  it('are readable on phones and desktops, in light and dark mode, in English and French', async () => {
    const paths = ['sign_in', 'sign_up', 'forgotten_password', 'password_reset/a.b.c', 'take_back/a.b.c'];
    paths.push('invitation/x', 'tos_update', 'os', 'featured', 'demo', 'verify/x', 'nothing/here');
    for (const [locale, viewports] of [
      ['en-US', [phone, desktop]],
      ['fr-FR', [smallPhone]],
    ] as const) {
      const other = await open({ locale });
      for (const path of paths) {
        await other.goto(at(`/${path}`));
        await other.getByRole('heading', { level: 1 }).waitFor();
        expect(await faultsOf(other, viewports), `${path} ${locale}`).toEqual([]);
      }
    }
  });

  it('explain a browser without JavaScript', async () => {
    const without = await open({ javaScriptEnabled: false });
    for (const path of ['/', '/sign_in', '/app', '/os', '/verify/x', '/nothing/here', '/docs']) {
      await without.goto(at(path));
      expect(await without.innerText('body'), path).toContain('This page needs JavaScript');
    }
  });
});

describe('a server without terms and sign-up', () => {
  const server = ownConsoleServer('sqlite', { SIGN_UP: 'closed', DEMO_ACCOUNTS: 'off' });

  it('offers neither', async () => {
    const page = await open({ locale: 'en-US' });
    await page.goto(`${server.base}/`);
    await heading(page, 'Welcome to your garden server');
    // Until there is an account, its administrator may sign up.
    await page.getByLabel('Administrator code').waitFor();
    await server.run(['user', 'create', 'ada@example.com', '--password', 'password123']);
    await page.goto(`${server.base}/sign_up`);
    await sentence(page, 'Sign-up is closed on this server. Ask its operator for an account.');
    await page.goto(`${server.base}/tos_update`);
    await sentence(page, 'This server has no terms of service.');
    expect(await page.getByText('Create account').count()).toBe(0);
    await page.goto(`${server.base}/demo`);
    await sentence(page, /Demo gardens are switched off/);
    await page.goto(`${server.base}/nothing`);
    await heading(page, 'Page not found');
  });
});
