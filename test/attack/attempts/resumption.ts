import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { BrowserSession } from '../../support/browser-session.ts';
import type { AttackContext } from '../attack-context.ts';
import type { AttackedAccount } from '../attacked-server.ts';
import type { Attempt } from '../attempt.ts';
import { always } from '../attempt.ts';

/** Signs in with a browser of an account, which stays signed in. Its page is open at another name than that of the proxy. */
async function signedInBrowser({ server }: AttackContext, { token }: AttackedAccount, scheme = 'http') {
  const from = server.newAddress();
  const browser = new BrowserSession(`${scheme}://garden.example`, (path, { headers, ...options }) =>
    server.send(from, 'POST', path, { ...options, headers: { host: 'garden.example', ...headers } }),
  );
  await browser.keep(token);
  return browser;
}

/** A cookie of a key as a copy has it that was made some uses ago: the server knows it by its second half only. */
function olderCookie(key: string): string {
  const random = 'r'.repeat(24);
  return `potager=${random}.${createHmac('sha256', key).update(random).digest('base64url')}`;
}

/** Requests that a page of another site can have a browser send with its cookies: a fetch, an image, a form, an event source, a WebSocket. */
const requests: readonly (readonly [string, string, Record<string, string>?])[] = [
  ['GET', '/api/device'],
  ['GET', '/api/points', { 'sec-fetch-dest': 'image' }],
  ['GET', '/api/tokens'],
  ['GET', '/api/users'],
  ['GET', '/api/sessions'],
  ['GET', '/api/admin/users'],
  ['GET', '/api/events?live=status,logs', { accept: 'text/event-stream' }],
  ['GET', '/api/events', { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13' }],
  ['POST', '/api/points', { 'content-type': 'text/plain' }],
  ['POST', '/api/robot/emergency_stop', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['POST', '/api/tokens/resumable'],
  ['POST', '/api/personal_tokens'],
  ['PATCH', '/api/users'],
  ['DELETE', '/api/sessions'],
  ['DELETE', '/api/tokens'],
];

/** Headers of requests to resume a session that pages of others, and programs, send. */
const foreign: readonly Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://evil.garden.example' },
  { origin: 'http://garden.example.evil.example' },
  { origin: 'http://garden.example:8123' },
  { origin: 'http://garden.example@evil.example' },
  { origin: 'file://' },
  { origin: '' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
];

export const resumptionAttempts: readonly Attempt[] = [
  {
    name: 'Use the API with the cookie of a browser that is signed in',
    property: 'Staying signed in',
    defense: '401: no route takes a cookie for a token',
    tries: always(requests.length),
    async run(context) {
      const browser = await signedInBrowser(context, await context.server.createAccount('kept'));
      for (const [method, path, headers] of requests) {
        const { cookie } = browser;
        const all = { cookie, origin: 'http://garden.example', host: 'garden.example', ...headers };
        const sent = { headers: all, ...(method === 'GET' ? {} : { body: {} }) };
        const { status } = await context.attack(context.server.newAddress(), method, path, sent);
        // There is no WebSocket at that address.
        expect(status, path).toBe(headers?.upgrade === undefined ? 401 : 404);
      }
      expect((await browser.resume()).status).toBe(200);
    },
  },
  {
    name: 'Resume the session of a browser from a page of another origin, with its key',
    property: 'Staying signed in',
    defense: '403: the origin must be that of the server, with its port; the session stays',
    tries: always(foreign.length),
    async run(context) {
      const browser = await signedInBrowser(context, await context.server.createAccount('visited'));
      for (const headers of foreign) {
        const { status } = await browser.resume(headers);
        context.record(status);
        expect(status, JSON.stringify(headers)).toBe(403);
      }
      expect((await browser.resume()).status).toBe(200);
    },
  },
  {
    name: 'Toss cookies into a browser, or plant a session of one’s own there',
    property: 'Staying signed in',
    defense: '403: a cookie counts with its own key only, and over HTTPS with the name that only the host can store',
    tries: always(8),
    async run(context) {
      const { server } = context;
      const victim = await signedInBrowser(context, await server.createAccount('victim'));
      const evil = await signedInBrowser(context, await server.attacker());
      const secure = await signedInBrowser(context, await server.createAccount('secure'), 'https');
      const expectRefusal = async (browser: BrowserSession, cookie: string, key = browser.key): Promise<void> => {
        const { status } = await browser.resume({ cookie }, key);
        context.record(status);
        expect(status, cookie).toBe(403);
      };
      await expectRefusal(victim, evil.cookie);
      await expectRefusal(victim, victim.cookie, evil.key);
      await expectRefusal(victim, 'potager=tossed');
      await expectRefusal(victim, `${victim.cookie}x`);
      await expectRefusal(victim, victim.cookie.replace('potager', 'Potager'));
      await expectRefusal(secure, secure.cookie.replace('__Host-', ''));
      await expectRefusal(secure, secure.cookie.replace('__Host-', '__Secure-'));
      const own = victim.cookie;
      const both = await victim.resume({ cookie: `potager=tossed; ${evil.cookie}; ${own}` });
      context.record(both.status);
      expect(both.status).toBe(200);
      for (const browser of [victim, evil, secure]) expect((await browser.resume()).status).toBe(200);
    },
  },
  {
    name: 'Use a copy of key and cookie beside the browser that they are of',
    property: 'Staying signed in',
    defense: 'a cookie that is older than the last two has been copied, and ends the session for both',
    tries: always(1),
    async run(context) {
      const account = await context.server.createAccount('copied');
      const browser = await signedInBrowser(context, account);
      await browser.resume();
      const thief = await browser.resume({ cookie: olderCookie(browser.key) });
      context.record(thief.status);
      expect(thief.status).toBe(401);
      expect((await browser.resume()).status).toBe(401);
      const { token } = account;
      expect((await context.server.send(context.server.newAddress(), 'GET', '/api/device', { token })).status).toBe(
        401,
      );
    },
  },
];
