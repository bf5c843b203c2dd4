import { beforeEach, describe, expect, it } from 'vitest';
import { jobs } from '../../../src/jobs/job-rows.ts';
import type { TestResponse } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';

const minute = 60_000;
const robot = { 'user-agent': 'FARMBOTOS/17.1.2 (RPI4) RPI4 ()' };

let networks = 0;
/** An address from which no test has sent a request. */
const newAddress = (): string => `10.${++networks >> 8}.${networks & 255}.1`;

describe('wrong passwords', () => {
  const clock = { time: Date.UTC(2026, 3, 1), now: () => clock.time };
  const server = suiteApp('sqlite', { RATE_LIMITS: 'on' }, { now: clock.now });
  let home: string;
  let account: { email: string; token: string };
  beforeEach(async () => {
    clock.time += 24 * 60 * minute;
    home = newAddress();
    account = await server.signUp();
  });

  const signIn = (email: string, secret: string, from: string, headers: Record<string, string> = {}) =>
    server.call('POST', '/api/tokens', { body: { user: { email, password: secret } }, from, headers });
  const statusesOf = async (count: number, send: (i: number) => Promise<TestResponse>): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < count; i++) statuses.push((await send(i)).status);
    return statuses;
  };
  const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

  it('are followed by growing pauses, for one account from any networks together', async () => {
    const guess = () => signIn(account.email, 'a wrong password', newAddress());
    expect(await statusesOf(13, guess)).toEqual([...times(11, 422), 429, 429]);
    clock.time += 1000;
    expect(await statusesOf(2, guess)).toEqual([422, 429]);
    clock.time += 1000;
    expect((await guess()).status).toBe(429);
    clock.time += 1000;
    expect(await statusesOf(2, guess)).toEqual([422, 429]);
    // Not even the right one is checked during a pause, except from known networks.
    const response = await signIn(account.email, password, newAddress());
    expect([response.status, response.text]).toEqual([429, expect.stringContaining('wait')]);
    clock.time += 15 * minute;
    expect((await signIn(account.email, password, newAddress())).status).toBe(200);
  });

  it('from elsewhere never lock the owner out of a network that signed in before', async () => {
    expect((await signIn(account.email, password, home)).status).toBe(200);
    await statusesOf(30, () => signIn(account.email, 'a wrong password', newAddress()));
    // Nor do guesses for other accounts from the same network.
    await statusesOf(40, (i) => signIn(`nobody${i}@example.com`, 'a wrong password', home));
    expect((await signIn('nobody@example.com', 'a wrong password', home)).status).toBe(429);
    expect(await statusesOf(5, () => signIn(account.email, password, home))).toEqual(times(5, 200));
    // Their own mistakes delay them by a minute at most.
    await statusesOf(60, () => signIn(account.email, 'a wrong password', home));
    clock.time += minute;
    expect((await signIn(account.email, password, home)).status).toBe(200);
  });

  it('of a robot do not delay its owner', async () => {
    expect((await signIn(account.email, password, home)).status).toBe(200);
    const old = await statusesOf(30, () => signIn(account.email, 'an old password', home, robot));
    expect(old.slice(0, 11)).toEqual(times(11, 422));
    expect(old.at(-1)).toBe(429);
    expect((await signIn(account.email, password, home)).status).toBe(200);
  });

  it('are limited per network for all accounts, known or not', async () => {
    const guess = (i: number) => signIn(`nobody${i}@example.com`, 'a wrong password', home);
    expect(await statusesOf(33, guess)).toEqual([...times(31, 422), 429, 429]);
    expect((await signIn(account.email, password, home)).status).toBe(429);
    expect((await signIn(account.email, password, newAddress())).status).toBe(200);
  });

  it('are limited for the networks of an IPv6 site together, but not for known ones', async () => {
    const site = `2001:db8:${(++networks).toString(16)}`;
    expect((await signIn(account.email, password, `${site}:ffff::1`)).status).toBe(200);
    const guesses = await statusesOf(490, (i) =>
      signIn(`nobody${i}@example.com`, 'a wrong password', `${site}:${i.toString(16)}::1`),
    );
    expect(guesses.indexOf(429)).toBe(481);
    expect((await signIn(account.email, password, `${site}:eeee::1`)).status).toBe(429);
    expect((await signIn(account.email, password, `${site}:ffff::2`)).status).toBe(200);
  });

  it('count on each route with a password', async () => {
    const { token } = account;
    const wrong = 'a wrong password';
    const requests: readonly ((from: string) => Promise<TestResponse>)[] = [
      (from) =>
        server.call('PATCH', '/api/users', {
          token,
          from,
          body: { password: wrong, new_password: 'x'.repeat(8), new_password_confirmation: 'x'.repeat(8) },
        }),
      (from) => server.call('DELETE', '/api/users', { token, from, body: { password: wrong } }),
      (from) => server.call('POST', '/api/device/reset', { token, from, body: { password: wrong } }),
      (from) =>
        server.call('POST', '/api/users/control_certificate', {
          token,
          from,
          body: { email: account.email, password: wrong },
        }),
      (from) =>
        server.call('POST', '/api/import?mode=replace', { token, from, headers: { 'x-account-password': wrong } }),
    ];
    const statuses = [];
    for (let i = 0; i < 12; i++) statuses.push((await requests[i % requests.length]?.(newAddress()))?.status);
    expect(statuses).toEqual([...times(11, 422), 429]);
  });

  it('that are sent concurrently count before they are checked', async () => {
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => signIn(account.email, 'a wrong password', newAddress())),
    );
    expect(responses.filter(({ status }) => status === 422)).toHaveLength(11);
  });

  it('do not delay loopback clients', async () => {
    await statusesOf(40, () => signIn(account.email, 'a wrong password', '127.0.0.1'));
    expect((await signIn(account.email, password, '::1')).status).toBe(200);
  });
});

describe('a server that limits requests', () => {
  const clock = { time: Date.UTC(2026, 3, 1), now: () => clock.time };
  const server = suiteApp('sqlite', { RATE_LIMITS: 'on', EMAIL_VERIFICATION: 'required' }, { now: clock.now });
  const signUp = (email: string, from: string) =>
    server.call('POST', '/api/users', {
      from,
      body: { name: 'Ada', email, password, password_confirmation: password },
    });

  it('accepts ten sign-ups an hour from a network', async () => {
    const from = newAddress();
    for (let i = 0; i < 10; i++) expect((await signUp(`a${i}@many.example`, from)).status).toBe(200);
    expect((await signUp('a10@many.example', from)).status).toBe(429);
    expect((await signUp('a11@many.example', newAddress())).status).toBe(200);
    expect((await signUp('a12@many.example', '127.0.0.1')).status).toBe(200);
    clock.time += 60 * minute;
    expect((await signUp('a10@many.example', from)).status).toBe(200);
  });

  it('sends three confirmations an hour to a mailbox, however its address is written', async () => {
    const spellings = ['ada.l@one.example', 'a.dal+1@one.example', 'ADAL+2@one.example', 'adal+3@one.example'];
    const statuses = [];
    for (const email of spellings) statuses.push((await signUp(email, newAddress())).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await signUp('adal@two.example', newAddress())).status).toBe(200);
  });

  it('answers thirty requests an hour from a network that show whether an address has an account', async () => {
    await signUp('pending@example.com', newAddress());
    const from = newAddress();
    const resend = (email: string) => server.call('POST', '/api/users/resend_verification', { body: { email }, from });
    for (let i = 0; i < 15; i++) expect((await resend(`nobody${i}@example.com`)).status).toBe(404);
    const user = { email: 'pending@example.com', password };
    for (let i = 0; i < 15; i++)
      expect((await server.call('POST', '/api/tokens', { body: { user }, from })).status).toBe(403);
    expect((await server.call('POST', '/api/tokens', { body: { user }, from })).status).toBe(429);
    expect((await resend('nobody@example.com')).status).toBe(429);
  });

  it('answers requests for another confirmation in the same way for every address, and sends three an hour', async () => {
    const request = (email: string, from: string) =>
      server.call('POST', '/api/verification_mails', { body: { email }, from });
    await signUp('waiting@example.com', newAddress());
    const from = newAddress();
    const known = await request(' Waiting@example.com', from);
    expect(known).toMatchObject({ status: 200, json: { status: expect.stringMatching(/^If there is an account/) } });
    for (const email of ['nobody@example.com', 'w.aiting+1@example.com'])
      expect((await request(email, from)).json).toEqual(known.json);
    for (let i = 0; i < 5; i++) expect((await request('waiting@example.com', newAddress())).json).toEqual(known.json);
    const mails = (await server.app.server().rows(jobs)).filter(
      ({ payload }) => payload.email === 'waiting@example.com',
    );
    // The third is the one of the sign-up.
    expect(mails).toHaveLength(2);
    // Requests for addresses without an account use up nothing.
    expect((await signUp('nobody@example.com', newAddress())).status).toBe(200);
    for (let i = 0; i < 27; i++) expect((await request('nobody@example.com', from)).status).toBe(200);
    expect((await request('nobody@example.com', from)).status).toBe(429);
    expect(await request('', newAddress())).toMatchObject({ status: 422, json: { email: expect.any(String) } });
  });

  it('lets owners request a password reset, however often strangers did, and sends ten mails an hour', async () => {
    const email = 'reset@example.com';
    const request = (from: string) => server.call('POST', '/api/password_resets', { body: { email }, from });
    const stranger = newAddress();
    for (let i = 0; i < 4; i++) expect((await request(stranger)).status).toBe(i < 3 ? 200 : 429);
    for (let i = 0; i < 20; i++) expect((await request(newAddress())).status).toBe(200);
    const mails = (await server.app.server().rows(jobs)).filter(({ kind }) => kind === 'mail_password_reset');
    expect(mails).toHaveLength(10);
  });

  it('sends the reset of an account, however many were requested for other addresses in its mailbox', async () => {
    const request = (email: string) =>
      server.call('POST', '/api/password_resets', { body: { email }, from: newAddress() });
    for (let i = 0; i < 12; i++) expect((await request(`ow.ner+${i}@example.com`)).status).toBe(200);
    await request('owner@example.com');
    const mails = (await server.app.server().rows(jobs)).filter(({ kind }) => kind === 'mail_password_reset');
    expect(mails.filter(({ payload }) => payload.email === 'owner@example.com')).toHaveLength(1);
  });
});

describe('a change of the e-mail address', () => {
  const clock = { time: Date.UTC(2026, 3, 1), now: () => clock.time };
  const server = suiteApp('sqlite', { RATE_LIMITS: 'on' }, { now: clock.now });

  it('shows whether an address has an account thirty times an hour for a network', async () => {
    const { token } = await server.signUp();
    const { email } = await server.signUp();
    const from = newAddress();
    const change = () => server.call('PATCH', '/api/users', { token, from, body: { email } });
    for (let i = 0; i < 30; i++)
      expect(await change()).toMatchObject({ status: 422, json: { email: 'Email is already registered.' } });
    expect((await change()).status).toBe(429);
    expect((await server.call('PATCH', '/api/users', { token, from, body: { name: 'Bea' } })).status).toBe(200);
  });

  it('beyond the limit of its account uses up nothing of the mailbox', async () => {
    const { token } = await server.signUp();
    const change = (address: string, from: string) =>
      server.call('PATCH', '/api/users', { token, from, body: { email: address, password } });
    for (let i = 0; i < 5; i++) expect((await change(`c${i}@change.example`, newAddress())).status).toBe(200);
    for (let i = 0; i < 4; i++) expect((await change('ada@other.example', newAddress())).status).toBe(429);
    const other = await server.signUp();
    const body = { email: 'ada@other.example', password };
    expect((await server.call('PATCH', '/api/users', { token: other.token, from: newAddress(), body })).status).toBe(
      200,
    );
  });
});
