import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { users } from '../../../src/accounts/users.ts';
import type { TestResponse } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import type { Mail } from '../../support/outbox.ts';
import { Outbox } from '../../support/outbox.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const browser = { accept: 'text/html' };
const newPassword = 'a rake in the shed';

const tokenOf = (link: string): string => link.split('/').at(-1) ?? '';

let addresses = 0;
const newAddress = (): string => `person.${++addresses}@example.com`;

describeEngines('a change of the e-mail address', (engine) => {
  const clock = { time: 0, now: () => clock.time };
  const server = suiteApp(engine, { EMAIL_VERIFICATION: 'required' }, { now: clock.now });
  let outbox: Outbox;
  beforeAll(() => {
    outbox = new Outbox(join(server.settings.DATA_DIR, 'outbox'));
  });
  beforeEach(() => {
    clock.time = Date.UTC(2026, 3, 1);
  });

  const mailsTo = async (address: string): Promise<readonly Mail[]> => {
    await server.app.runJobs();
    return outbox.mailsTo(address);
  };
  /** The path of the link in the last mail to an address: `/verify/…`. */
  const linkTo = async (address: string): Promise<string> =>
    /https?:\/\/[^/\s]+(\/\S+)/.exec((await mailsTo(address)).at(-1)?.text ?? '')?.[1] ?? '';

  const signIn = (email: string, secret = password, headers: Record<string, string> = {}) =>
    server.call('POST', '/api/tokens', { body: { user: { email, password: secret } }, headers });
  const signUp = async (): Promise<{ email: string; token: string }> => {
    const email = newAddress();
    const body = { name: 'Ada', email, password, password_confirmation: password };
    // From the internet: the account does not become an administrator.
    expect((await server.call('POST', '/api/users', { body, from: '203.0.113.7' })).status).toBe(200);
    expect((await server.call('GET', await linkTo(email))).status).toBe(200);
    return { email, token: (await signIn(email)).json.token.encoded };
  };
  const change = (token: string, body: object): Promise<TestResponse> =>
    server.call('PATCH', '/api/users', { token, body });
  const setPassword = (id: string, chosen = newPassword): Promise<TestResponse> =>
    server.call('PUT', '/api/password_resets', { body: { id, password: chosen, password_confirmation: chosen } });
  const statusOf = async (token: string): Promise<number> =>
    (await server.call('GET', '/api/device', { token })).status;

  it('needs the password or a session that began with it within the hour', async () => {
    const { email, token } = await signUp();
    const robot = { 'user-agent': 'FARMBOTOS/17.1.2 (RPI4) RPI4 ()' };
    const target = newAddress();
    clock.time += 59 * minute;
    const renewed = (await server.call('GET', '/api/tokens', { token })).json.token.encoded;
    clock.time += minute;
    const ofRobot = (await signIn(email, password, robot)).json.token.encoded;
    for (const [session, body] of [
      [token, { email: target }],
      [renewed, { email: target }],
      [token, { email: target, password: 'password124' }],
      [token, { email: target, password: '' }],
      // As the vendor's web app sends it: the whole user.
      [token, { id: 1, name: 'Eve', email: target, language: 'English', created_at: null }],
    ] as const)
      expect(await change(session, body)).toMatchObject({ status: 422, json: { password: expect.any(String) } });
    expect((await change(token, { email: target })).json.password).toMatch(/sign in again/);
    expect(await mailsTo(target)).toEqual([]);
    expect((await server.call('GET', '/api/users', { token })).json).toMatchObject([{ name: 'Ada', email }]);
    // Other fields need neither.
    expect((await change(token, { name: 'Bea', email })).status).toBe(200);
    // The authors of a robot's programs act with its session.
    for (const body of [{ email: target }, { email: target, password }, { name: 'Eve' }])
      expect((await change(ofRobot, body)).status).toBe(403);
    // A client may omit the User-Agent.
    const again = (await signIn(email, password, { 'user-agent': '' })).json.token.encoded;
    expect((await change(again, { email: target })).status).toBe(200);
    expect(await mailsTo(target)).toHaveLength(1);
  });

  it('takes effect with a link that is valid for a day and opens no session', async () => {
    const { email, token } = await signUp();
    const target = newAddress();
    await change(token, { email: target });
    const early = await linkTo(target);
    clock.time += day;
    expect((await server.call('GET', early)).status).toBe(404);
    const later = (await signIn(email)).json.token.encoded;
    await change(later, { email: target });
    const link = await linkTo(target);
    clock.time += day - minute;
    const page = await server.call('GET', link, { headers: browser });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('{"to":"/confirmed?kind=change"}')]);
    expect((await server.call('GET', link)).status).toBe(409);
    expect((await signIn(email)).status).toBe(422);
    expect((await signIn(target)).status).toBe(200);
  });

  it('is discarded with every new password', async () => {
    const ways: readonly ((account: { email: string; token: string }) => Promise<unknown>)[] = [
      ({ token }) => change(token, { password, new_password: newPassword, new_password_confirmation: newPassword }),
      async ({ email }) => {
        await server.call('POST', '/api/password_resets', { body: { email } });
        return setPassword(tokenOf(await linkTo(email)));
      },
      async ({ email }) => (await server.app.operations.users()).resetPassword(email, newPassword),
    ];
    for (const setNewPassword of ways) {
      const account = await signUp();
      const target = newAddress();
      await change(account.token, { email: target });
      const link = await linkTo(target);
      await setNewPassword(account);
      expect((await signIn(account.email, newPassword)).status).toBe(200);
      expect((await server.call('GET', link)).status).toBe(404);
      expect((await signIn(account.email, newPassword)).status).toBe(200);
    }
  });

  it('is taken back by the old address, which ends all sessions and sets a new password', async () => {
    const { email, token } = await signUp();
    const [attacker, second] = [newAddress(), newAddress()];
    await change(token, { email: attacker });
    const [, notice] = await mailsTo(email);
    expect(notice?.text).toContain(`from ${email} to ${attacker}`);
    const takeBack = await linkTo(email);
    await server.call('GET', await linkTo(attacker));
    // The attacker changes to another address, and sets a password.
    const stolen = (await signIn(attacker)).json.token.encoded;
    await change(stolen, { email: second });
    const secondTakeBack = await linkTo(attacker);
    await server.call('GET', await linkTo(second));
    await server.call('POST', '/api/password_resets', { body: { email: second } });
    const reset = await setPassword(tokenOf(await linkTo(second)), 'password of an attacker');
    const session = reset.json.token.encoded;
    expect(await statusOf(session)).toBe(200);

    // The old address cannot be registered by another person in between.
    const body = { name: 'Eve', email, password, password_confirmation: password };
    expect((await server.call('POST', '/api/users', { body })).json).toEqual({ email: 'Email is already registered.' });
    const other = await signUp();
    expect((await change(other.token, { email })).json).toEqual({ email: 'Email is already registered.' });

    clock.time += 7 * day - minute;
    const page = await server.call('GET', takeBack, { headers: browser });
    expect([page.status, page.headers.location]).toEqual([302, `/console/take-back#${tokenOf(takeBack)}`]);
    // Opening the page, as scanners of mail do, changes nothing.
    expect(await statusOf(session)).toBe(200);
    const own = await setPassword(tokenOf(takeBack));
    expect(own).toMatchObject({ status: 200, json: { user: { email } } });
    expect(await statusOf(session)).toBe(401);
    expect((await signIn(second, 'password of an attacker')).status).toBe(422);
    expect((await signIn(email, newPassword)).status).toBe(200);
    for (const link of [takeBack, secondTakeBack])
      expect(await setPassword(tokenOf(link))).toMatchObject({ status: 422, json: { reset: expect.any(String) } });
  });

  it('can be taken back for a week, also before it is confirmed', async () => {
    const { email, token } = await signUp();
    const target = newAddress();
    await change(token, { email: target });
    const [takeBack, confirmation] = [await linkTo(email), await linkTo(target)];
    expect((await setPassword(tokenOf(takeBack))).status).toBe(200);
    expect(await statusOf(token)).toBe(401);
    expect((await server.call('GET', confirmation)).status).toBe(404);
    const again = (await signIn(email, newPassword)).json.token.encoded;
    await change(again, { email: target });
    const late = await linkTo(email);
    await server.call('GET', await linkTo(target));
    clock.time += 7 * day;
    expect(await setPassword(tokenOf(late))).toMatchObject({ status: 422, json: { reset: expect.any(String) } });
    expect((await server.call('GET', await linkTo(target))).status).toBe(404);
    expect((await signIn(target, newPassword)).status).toBe(200);
  });

  it('is refused if the session is revoked at the same moment', async () => {
    const scope = server.app.server();
    const target = newAddress();
    const revokedDuring = async (delay: number): Promise<TestResponse | undefined> => {
      const { email, token } = await signUp();
      const user = await scope.first(users, { where: { email } });
      let response: Promise<TestResponse> | undefined;
      await scope.device(user?.device_id ?? 0).transaction(async (inner) => {
        response = change(token, { email: target });
        await sleep(delay);
        await inner.delete(tokenIssuances, {});
      });
      return response;
    };
    let delay = 100;
    let response = await revokedDuring(delay);
    // 401: the request did not wait for the transaction yet when the session was revoked.
    for (; response?.status === 401; response = await revokedDuring(delay)) delay *= 2;
    expect(response).toMatchObject({ status: 422, json: { password: expect.stringMatching(/sign in again/) } });
    expect(await mailsTo(target)).toEqual([]);
  });

  it('does not accept a link of another kind', async () => {
    const { email, token } = await signUp();
    const target = newAddress();
    await change(token, { email: target });
    const [takeBack, confirmation] = [await linkTo(email), await linkTo(target)];
    expect((await server.call('GET', `/verify/${tokenOf(takeBack)}`)).status).toBe(404);
    expect((await setPassword(tokenOf(confirmation))).json).toEqual({ reset: expect.any(String) });
    expect((await server.call('GET', `/verify/${token}`)).status).toBe(404);
    expect(await statusOf(tokenOf(takeBack))).toBe(401);
  });
});

describeEngines('a change of the e-mail address without verification', (engine) => {
  const server = suiteApp(engine);

  it('takes effect immediately and can be taken back', async () => {
    const { email, token } = await server.signUp();
    const target = newAddress();
    expect((await server.call('PATCH', '/api/users', { token, body: { email: target } })).json.email).toBe(target);
    await server.app.runJobs();
    const outbox = new Outbox(join(server.settings.DATA_DIR, 'outbox'));
    expect(await outbox.mailsTo(target)).toEqual([]);
    const link = await outbox.linkTo(email, 'take_back');
    const body = { id: tokenOf(link.pathname), password: newPassword, password_confirmation: newPassword };
    expect(await server.call('PUT', '/api/password_resets', { body })).toMatchObject({ json: { user: { email } } });
  });
});
