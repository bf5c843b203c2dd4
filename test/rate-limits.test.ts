import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Account, signUp } from './support/accounts.ts';
import { type Answer, HttpClient } from './support/http-client.ts';
import type { Json } from './support/json.ts';
import { suiteServer } from './support/servers.ts';

const [lan] = Object.values(networkInterfaces()).flatMap((addresses) =>
  (addresses ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
);

// Clients on the machine itself are never limited. Where it has no other address, a proxy's header stands in for one.
const elsewhere: Record<string, string> = lan === undefined ? { 'x-forwarded-for': '203.0.113.7' } : {};
const server = suiteServer('sqlite', {
  HOST: '0.0.0.0',
  EMAIL_VERIFICATION: 'off',
  RATE_LIMITS: 'on',
  ...(lan === undefined && { TRUST_PROXY: 'on' }),
});

let account: Account;
let client: HttpClient;

beforeAll(async () => {
  account = await signUp({ client: server().client, outbox: null }, 'limits');
  client = new HttpClient(`http://${lan ?? '127.0.0.1'}:${server().port}`);
});
afterAll(() => client.close());

beforeEach(async () => {
  // Windows are aligned to the clock: a test in two of them would count to less.
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 6000) await sleep(left + 50);
}, 10_000);

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  client.send('GET', path, { token: account.token, headers: { ...elsewhere, ...headers } });

/** Plain text in which no client finds JSON, readable for web pages from elsewhere. */
function expectThrottled(answer: Answer): void {
  expect(answer.status).toBe(429);
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(answer.text).toMatch(/^Too many requests\..*wait.*minutes/);
  expect(answer.headers['retry-after']).toBeUndefined();
  expect(answer.headers['access-control-allow-origin']).toBe('*');
}

describe('a client elsewhere', () => {
  it('syncs 15 times a minute, and goes on with the rest', async () => {
    const origin = { origin: 'https://my.garden.example' };
    const paths = ['/api/device/sync', '/api/device/sync.json', '//api/device/sync/'];
    for (let i = 0; i < 15; i++) {
      const answer = await get(paths[i % 3] ?? '', origin);
      expect([i, answer.status]).toEqual([i, 200]);
    }
    for (const path of paths) expectThrottled(await get(path, origin));
    expect((await get('/api/tools')).status).toBe(200);
    // The limit is the client's, not the account's.
    const local = await server().client.get('/api/device/sync', account.token);
    expect(local.status).toBe(200);
  });

  it('cannot call itself another one', async () => {
    for (let i = 0; i < 16; i++) await get('/api/device/sync');
    // Only a trusted proxy's word counts, and only in one header.
    const claims = {
      forwarded: 'for=127.0.0.1',
      'x-real-ip': '127.0.0.1',
      'x-forwarded-for': '127.0.0.1',
      ...elsewhere,
    };
    expect((await get('/api/device/sync', claims)).status).toBe(429);
  });

  it('asks for three new passwords an hour per address', async () => {
    const ask = (body: Json): Promise<Answer> =>
      client.send('POST', '/api/password_resets', {
        body,
        headers: { ...elsewhere, origin: 'https://my.garden.example' },
      });
    const email = account.email;
    for (const spelling of [email, email.toUpperCase(), ` ${email} `])
      expect((await ask({ email: spelling })).status).toBe(200);
    expectThrottled(await ask({ email }));
    expect((await ask({ email: `other.${email}` })).status).toBe(200);
  });
});

describe('a client on the machine itself', () => {
  it('is not limited', async () => {
    for (let i = 0; i < 20; i++) {
      const answer = await server().client.get('/api/device/sync', account.token);
      expect([i, answer.status]).toEqual([i, 200]);
    }
  });
});
