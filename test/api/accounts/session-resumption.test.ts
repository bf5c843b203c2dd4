import { beforeEach, expect, it } from 'vitest';
import type { Account } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { BrowserSession, cookieOf } from '../../support/browser-session.ts';
import { describeEngines } from '../../support/engines.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.UTC(2026, 3, 1);
const page = 'http://localhost';

describeEngines('a session that a browser resumes', (engine) => {
  const clock = { time: start, now: () => clock.time };
  const server = suiteApp(engine, {}, { now: clock.now });
  let account: Account;
  /** The first account, which administers the server. */
  let administrator: Account | undefined;
  beforeEach(async () => {
    clock.time = start;
    account = await server.signUp();
    administrator ??= account;
  });

  const browser = (from = page): BrowserSession =>
    new BrowserSession(from, (path, { headers, ...options }) =>
      server.call('POST', path, { ...options, headers: { host: 'localhost', ...headers } }),
    );
  const kept = async (token = account.token): Promise<BrowserSession> => {
    const own = browser();
    await own.keep(token);
    return own;
  };
  const status = async (token: string) => (await server.call('GET', '/api/device', { token })).status;
  const list = async (token = account.token) => (await server.call('GET', '/api/sessions', { token })).json;
  const signIn = async () =>
    (await server.call('POST', '/api/tokens', { body: { user: { email: account.email, password } } })).json.token
      .encoded as string;
  // biome-ignore lint/suspicious/noExplicitAny: the body of a session
  const tokenOf = ({ json }: { json: any }): string => json.token.encoded;

  it('opens again in new tabs with key and cookie, as the same session with the same end', async () => {
    const own = browser();
    const { headers } = await own.keep(account.token);
    expect(headers['set-cookie']).toMatch(
      /^potager=[\w-]{24}\.[\w-]{43}; Path=\/api\/tokens; HttpOnly; SameSite=Strict; Max-Age=5184000$/,
    );
    clock.time += 20 * day;
    const answer = await own.resume();
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      user: { email: account.email },
      token: { unencoded: { bot: `device_${account.deviceId}`, exp: start / 1000 + 60 * 24 * 3600 } },
    });
    expect(await status(tokenOf(answer))).toBe(200);
    const sessions = await list();
    expect(sessions).toHaveLength(1);
    expect(sessions[0]).toMatchObject({ is_current: true, stays_signed_in: true });
    clock.time += 41 * day;
    expect((await own.resume()).status).toBe(401);
  });

  it('gets another cookie at most once a minute; an older one has been copied, and ends the session', async () => {
    const own = await kept();
    const copy = own.cookie;
    const first = await own.resume();
    const next = own.cookie;
    expect(next).not.toBe(copy);
    clock.time += minute - 1;
    expect((await own.resume()).status).toBe(200);
    expect(own.cookie).toBe(next);
    clock.time += 1;
    expect((await own.resume()).status).toBe(200);
    expect(own.cookie).not.toBe(next);
    expect((await own.resume({ cookie: copy })).status).toBe(401);
    expect(await status(tokenOf(first))).toBe(401);
    expect((await own.resume()).status).toBe(401);
  });

  it('is resumed by tabs that open together, and after a response that was lost', async () => {
    const own = await kept();
    const { cookie } = own;
    const answers = await Promise.all([own.resume({ cookie }), own.resume({ cookie }), own.resume({ cookie })]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(answers.filter(({ headers }) => headers['set-cookie'])).toHaveLength(1);
    expect((await own.resume()).status).toBe(200);
    // The request of the slowest tab arrives after the uses of two others.
    clock.time += 5000;
    expect((await own.resume({ cookie })).status).toBe(200);

    clock.time += minute;
    const before = own.cookie;
    await own.resume();
    clock.time += hour;
    expect((await own.resume({ cookie: before })).status).toBe(200);
    expect((await own.resume()).status).toBe(200);
  });

  it('needs both halves, of the same session', async () => {
    const [one, other] = [await kept(), await kept(await signIn())];
    for (const cookie of ['', 'potager=', 'potager=x.y', other.cookie, one.cookie.replace('potager', '__Host-potager')])
      expect((await one.resume({ cookie })).status, cookie).toBe(403);
    expect((await one.resume({}, other.key)).status).toBe(403);
    expect((await one.resume({}, 'guessed')).status).toBe(401);
    // Another site of the domain adds cookies; none of them ends the session.
    const tossed = [...Array(200).fill('potager=tossed'), other.cookie, one.cookie].join('; ');
    expect((await one.resume({ cookie: tossed })).status).toBe(200);
    expect((await other.resume()).status).toBe(200);
    const answer = await server.call('POST', '/api/tokens/resume', {
      headers: { host: 'localhost', origin: page },
      body: {},
    });
    expect([answer.status, answer.json]).toEqual([422, { key: 'Key is required.' }]);
  });

  it('is of pages of this server only', async () => {
    const own = await kept();
    for (const other of ['https://evil.example', 'http://sub.localhost', 'http://localhost:8123', 'null', ''])
      expect((await own.resume({ origin: other })).status, other).toBe(403);
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await own.resume({ 'sec-fetch-site': site })).status, site).toBe(403);
    expect((await own.resume({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    const script = await server.call('POST', '/api/tokens/resumable', { token: account.token });
    expect([script.status, script.json]).toEqual([
      403,
      { error: 'Only a page of this server, in a browser, can do this.' },
    ]);
    expect(script.headers['set-cookie']).toBeUndefined();
  });

  it('has a cookie of its own for HTTPS, which no other site of the domain can store', async () => {
    const secure = browser('https://localhost');
    const { headers } = await secure.keep(account.token);
    expect(headers['set-cookie']).toMatch(/^__Host-potager=\S+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=/);
    const plain = secure.cookie.replace('__Host-', '');
    expect((await secure.resume({ cookie: plain })).status).toBe(403);
    expect((await secure.resume({ cookie: `${plain}; ${secure.cookie}` })).status).toBe(200);
  });

  it('ends with a sign-out in one tab, for all tabs', async () => {
    const own = await kept();
    const tab = tokenOf(await own.resume());
    const another = await kept(await signIn());
    const answer = await server.call('DELETE', '/api/tokens', {
      token: tab,
      headers: { cookie: `${another.cookie}; ${own.cookie}` },
    });
    expect([answer.status, cookieOf(answer)]).toEqual([204, 'potager=']);
    expect(await status(account.token)).toBe(401);
    expect((await own.resume()).status).toBe(401);
    // The cookie of another account stays.
    const token = await signIn();
    const third = await kept(token);
    const out = await server.call('DELETE', '/api/tokens', { token, headers: { cookie: another.cookie } });
    expect(out.headers['set-cookie']).toBeUndefined();
    expect((await third.resume()).status).toBe(401);
    expect((await another.resume()).status).toBe(200);
  });

  it('ends with a sign-out by a refreshed token, which the vendor’s web app has, and not by a temporary one', async () => {
    const own = await kept();
    const refreshed = tokenOf(await server.call('GET', '/api/tokens', { token: account.token }));
    const temporary = tokenOf(await server.call('POST', '/api/tokens/temporary', { token: refreshed }));
    const headers = { cookie: own.cookie };
    const first = await server.call('DELETE', '/api/tokens', { token: temporary, headers });
    expect([first.status, first.headers['set-cookie']]).toEqual([204, undefined]);
    expect((await own.resume()).status).toBe(200);
    const second = await server.call('DELETE', '/api/tokens', { token: refreshed, headers: { cookie: own.cookie } });
    expect([second.status, cookieOf(second)]).toEqual([204, 'potager=']);
    expect(await status(account.token)).toBe(401);
    expect((await own.resume()).status).toBe(401);
  });

  it('is given up by another sign-in in the same browser, and by one that stays in its tab', async () => {
    const own = await kept();
    const token = await signIn();
    const headers = { host: 'localhost', origin: page, cookie: own.cookie };
    const kinds = async () =>
      (await list(token)).map((session: { stays_signed_in: boolean }) => session.stays_signed_in);
    expect(await kinds()).toEqual([false, true]);
    const second = await server.call('POST', '/api/tokens/resumable', { token, headers });
    expect([second.status, (await own.resume()).status]).toEqual([200, 401]);
    expect((await kinds()).sort()).toEqual([false, true]);
    const cookie = cookieOf(second);
    const third = await server.call('DELETE', '/api/tokens/resumable', { token, headers: { ...headers, cookie } });
    expect([third.status, cookieOf(third)]).toEqual([204, 'potager=']);
    expect(await kinds()).toEqual([false, false]);
    expect(await status(account.token)).toBe(200);
    const script = await server.call('DELETE', '/api/tokens/resumable', { token, headers: { cookie } });
    expect(script.status).toBe(403);
  });

  it('ends with a new password in other browsers, and needs another key in that one', async () => {
    const [own, other] = [await kept(), await kept(await signIn())];
    const body = { password, new_password: 'another horse', new_password_confirmation: 'another horse' };
    expect((await server.call('PATCH', '/api/users', { token: account.token, body })).status).toBe(200);
    expect((await other.resume()).status).toBe(401);
    expect((await own.resume()).status).toBe(401);
    expect(await status(account.token)).toBe(200);
    await own.keep(account.token);
    expect((await own.resume()).status).toBe(200);
  });

  it('is ended from another device, and keeps the time of its sign-in', async () => {
    const own = await kept();
    const elsewhere = await signIn();
    clock.time += hour;
    const resumed = tokenOf(await own.resume());
    const refused = await server.call('DELETE', '/api/sessions', { token: resumed });
    expect([refused.status, refused.json.error]).toEqual([403, expect.stringContaining('password')]);
    const [{ id }] = (await list(elsewhere)).filter((session: { is_current: boolean }) => !session.is_current);
    await server.call('DELETE', `/api/sessions/${id}`, { token: elsewhere, body: { password } });
    expect(await status(resumed)).toBe(401);
    expect((await own.resume()).status).toBe(401);
  });

  it('of an administrator reads, and asks for the password before it changes something', async () => {
    const admin = administrator ?? account;
    const own = await kept(admin.token);
    clock.time += hour;
    const token = tokenOf(await own.resume());
    expect((await server.call('GET', '/api/admin/users', { token })).status).toBe(200);
    const path = `/api/admin/users/${account.userId}`;
    expect((await server.call('PATCH', path, { token, body: { disabled: true } })).status).toBe(403);
    expect((await server.call('PATCH', path, { token, body: { disabled: true, password } })).status).toBe(200);
    expect((await server.call('PATCH', path, { token, body: { disabled: false, password } })).status).toBe(200);
  });

  it('does not exist for robots, temporary and personal tokens', async () => {
    const robot = await server.call('POST', '/api/tokens', {
      body: { user: { email: account.email, password } },
      headers: { 'user-agent': 'FarmbotOS/15.4.6 (rpi3) rpi3 ()' },
    });
    const temporary = await server.call('POST', '/api/tokens/temporary', { token: account.token });
    const personal = await server.call('POST', '/api/personal_tokens', {
      token: account.token,
      body: { name: 'Script', scopes: ['read'], password },
    });
    for (const token of [tokenOf(robot), tokenOf(temporary), personal.json.token as string]) {
      const answer = await server.call('POST', '/api/tokens/resumable', { token, headers: { origin: page } });
      expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
    }
  });
});
