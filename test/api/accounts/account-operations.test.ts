import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { users } from '../../../src/accounts/users.ts';
import type { Failure } from '../../../src/core/errors.ts';
import type { OperationsBySubject } from '../../../src/operations.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { Outbox } from '../../support/outbox.ts';

const robotHeaders = { 'user-agent': 'FARMBOTOS/17.1.2 (RPI4) RPI4 ()' };

let addresses = 0;
const newAddress = (): string => `operator.${++addresses}@example.com`;

describeEngines("operators' commands for accounts", (engine) => {
  const server = suiteApp(engine, { EMAIL_VERIFICATION: 'required', PUBLIC_URL: 'https://garden.example' });
  let outbox: Outbox;
  let userOperations: OperationsBySubject['users'];
  let sessions: OperationsBySubject['sessions'];
  beforeAll(async () => {
    outbox = new Outbox(join(server.settings.DATA_DIR, 'outbox'));
    userOperations = await server.app.operations.users();
    sessions = await server.app.operations.sessions();
  });

  async function register(): Promise<string> {
    const email = newAddress();
    const body = { name: 'Ada', email, password, password_confirmation: password };
    // From the internet: the account does not become an administrator.
    expect((await server.call('POST', '/api/users', { body, from: '203.0.113.7' })).status).toBe(200);
    return email;
  }

  async function registerConfirmed(): Promise<string> {
    const email = await register();
    expect(await userOperations.confirm(email)).toBe('confirmed');
    return email;
  }

  const signIn = (email: string, headers: Record<string, string> = {}) =>
    server.call('POST', '/api/tokens', { body: { user: { email, password } }, headers });
  const tokenOf = async (email: string, headers?: Record<string, string>): Promise<string> =>
    (await signIn(email, headers)).json.token.encoded;
  const statusOf = async (token: string): Promise<number> =>
    (await server.call('GET', '/api/device', { token })).status;
  const userOf = async (email: string) => {
    const [row] = await server.app.server().rows(users, { where: { email } });
    if (!row) throw new Error(`no user ${email}`);
    return row;
  };
  const linksTo = async (address: string, kind: string): Promise<string[]> => {
    await server.app.runJobs();
    const mails = await outbox.mailsTo(address);
    return mails.flatMap(({ text }) => new RegExp(`/${kind}/\\S+`).exec(text)?.[0] ?? []);
  };
  const failedJobs = async (): Promise<number> => (await (await server.app.operations.jobs()).list()).length;

  it('confirm lets an unverified user sign in', async () => {
    const email = await register();
    expect((await signIn(email)).status).toBe(403);
    expect(await userOperations.confirm(email.toUpperCase())).toBe('confirmed');
    expect((await signIn(email)).status).toBe(200);
    expect(await userOperations.confirm(email)).toBe('unchanged');
    expect(await userOperations.confirm(newAddress())).toBeNull();
  });

  it('email replaces a confirmed address immediately, and the old one can take it back', async () => {
    const email = await registerConfirmed();
    const target = newAddress();
    expect(await userOperations.changeEmail(email, ` ${target.toUpperCase()} `)).toBe(true);
    expect([(await signIn(email)).status, (await signIn(target)).status]).toEqual([422, 200]);
    const [link = ''] = await linksTo(email, 'take_back');
    expect(link).not.toBe('');
    expect(await linksTo(target, 'verify')).toEqual([]);
    expect((await server.call('GET', link)).status).toBe(200);
    const other = await registerConfirmed();
    await expect(userOperations.changeEmail(other, email)).rejects.toMatchObject({
      fields: { email: 'Email is already registered.' },
    });
  });

  it('email corrects an unconfirmed address without a mail to it, and ends the link that it got', async () => {
    const wrong = await register();
    const [link = ''] = await linksTo(wrong, 'verify');
    const target = newAddress();
    expect(await userOperations.changeEmail(wrong, target)).toBe(true);
    expect((await signIn(target)).status).toBe(200);
    expect(await linksTo(wrong, 'take_back')).toEqual([]);
    expect((await server.call('GET', link)).status).toBe(404);
  });

  it('email refuses invalid, taken and unchanged addresses, and demo accounts’ ones', async () => {
    const email = await registerConfirmed();
    const other = await registerConfirmed();
    for (const [bad, message] of [
      ['nobody', /not an e-mail address/],
      [other, /already registered/],
      [email, /address of the account already/],
    ] as const)
      await expect(
        userOperations.changeEmail(email, bad).catch((error: Failure) => String(error.fields?.email)),
      ).resolves.toMatch(message);
    expect(await userOperations.changeEmail(newAddress(), newAddress())).toBe(false);
    await server.app
      .server()
      .update(users, { email: 'guest_0123456789abcdef@farmbot.guest' }, { where: { email: other } });
    const guest = 'guest_0123456789abcdef@farmbot.guest';
    await expect(userOperations.changeEmail(guest, newAddress())).rejects.toMatchObject({ status: 422 });
    await expect(userOperations.setAdmin(guest, true)).rejects.toMatchObject({ status: 422 });
  });

  it('admin is listed, and part of no response', async () => {
    const email = await registerConfirmed();
    const token = await tokenOf(email);
    const before = await server.call('GET', '/api/users', { token });
    expect((await userOf(email)).admin).toBe(false);
    expect(await userOperations.setAdmin(email, true)).toBe(true);
    expect((await userOf(email)).admin).toBe(true);
    expect((await userOperations.list()).find((each) => each.email === email)).toMatchObject({ admin: true });
    expect((await server.call('GET', '/api/users', { token })).json.map(Object.keys)).toEqual(
      before.json.map(Object.keys),
    );
    expect((await signIn(email)).text).not.toContain('admin');
    expect(await userOperations.setAdmin(email, false)).toBe(true);
    expect((await userOf(email)).admin).toBe(false);
    expect(await userOperations.setAdmin(newAddress(), true)).toBe(false);
  });

  it('tokens are created as by a sign-in, without its right to change the account', async () => {
    const email = await registerConfirmed();
    const signedIn = (await signIn(email)).json;
    const session = await sessions.create(email, { isRobot: false });
    expect(Object.keys(session ?? {})).toEqual(Object.keys(signedIn));
    expect(Object.keys(session?.token.unencoded ?? {})).toEqual(Object.keys(signedIn.token.unencoded));
    expect(session?.token.unencoded).toMatchObject({
      aud: 'unknown',
      sub: signedIn.user.id,
      iss: '//garden.example:443',
      bot: signedIn.token.unencoded.bot,
      mqtt_ws: 'wss://garden.example:443/ws',
    });
    const token = session?.token.encoded ?? '';
    expect(await statusOf(token)).toBe(200);
    const change = await server.call('PATCH', '/api/users', { token, body: { email: newAddress() } });
    expect([change.status, Object.keys(change.json)]).toEqual([422, ['password']]);
    const robot = await sessions.create(email, { isRobot: true, days: 1 });
    const { aud, exp, iat } = robot?.token.unencoded ?? { aud: '', exp: 0, iat: 0 };
    expect([aud, exp - iat]).toEqual(['bot', 86_400]);
    expect(await sessions.create(newAddress(), { isRobot: false })).toBeNull();
    await expect(sessions.create(await register(), { isRobot: false })).rejects.toMatchObject({ status: 403 });
  });

  it('tokens are listed and revoked, one or all, other accounts’ never', async () => {
    const email = await registerConfirmed();
    const other = await registerConfirmed();
    const tokens = [await tokenOf(email), await tokenOf(email, robotHeaders), await tokenOf(other)];
    const listed = (await sessions.list(email)) ?? [];
    expect(listed.map(({ kind }) => kind)).toEqual(['person', 'robot']);
    const [first] = listed;
    const [foreign] = (await sessions.list(other)) ?? [];
    expect(Object.keys(first ?? {})).toEqual(['id', 'jti', 'kind', 'created_at', 'last_used_at', 'expires_at']);
    expect(await sessions.revoke(email, foreign?.id ?? 0)).toBe(0);
    expect(await sessions.revoke(email, first?.id ?? 0)).toBe(1);
    expect(await sessions.revoke(email, first?.id ?? 0)).toBe(0);
    expect(await Promise.all(tokens.map(statusOf))).toEqual([401, 200, 200]);
    expect(await sessions.revoke(email, 'all')).toBe(1);
    expect(await Promise.all(tokens.map(statusOf))).toEqual([401, 401, 200]);
    expect(await sessions.list(email)).toEqual([]);
    expect([await sessions.list(newAddress()), await sessions.revoke(newAddress(), 'all')]).toEqual([null, null]);
  });

  it('tokens belong to the account only, where several people have a garden, and of all of its gardens', async () => {
    const [email, other] = [await registerConfirmed(), await registerConfirmed()];
    const { device_id } = await userOf(other);
    await server.app.server().update(users, { device_id }, { where: { email } });
    const [token, others] = [await tokenOf(email), await tokenOf(other)];
    const garden = (await server.call('POST', '/api/gardens', { token, body: { name: 'Field' } })).json;
    const opened = await server.call('POST', `/api/gardens/${garden.id}/token`, { token });
    const tokens = [token, opened.json.token.encoded, others];
    const listed = (await sessions.list(email)) ?? [];
    const ofOther = (await sessions.list(other)) ?? [];
    expect([listed.length, ofOther.length]).toEqual([2, 1]);
    expect(await sessions.revoke(email, ofOther[0]?.id ?? 0)).toBe(0);
    expect(await sessions.revoke(email, listed[1]?.id ?? 0)).toBe(1);
    expect(await Promise.all(tokens.map(statusOf))).toEqual([200, 401, 200]);
    expect(await sessions.revoke(email, 'all')).toBe(1);
    expect(await Promise.all(tokens.map(statusOf))).toEqual([401, 401, 200]);
  });

  it('delete removes the account, its garden and its sessions, of robots too', async () => {
    const email = await registerConfirmed();
    const kept = await registerConfirmed();
    const tokens = [await tokenOf(email), await tokenOf(email, robotHeaders), await tokenOf(kept)];
    const [token] = tokens;
    expect((await server.call('POST', '/api/tools', { token, body: { name: 'Hoe' } })).status).toBe(200);
    const { device_id } = await userOf(email);
    expect(await userOperations.delete(email)).toBe(true);
    await server.app.runJobs();
    expect(await Promise.all(tokens.map(statusOf))).toEqual([401, 401, 200]);
    expect((await signIn(email)).status).toBe(422);
    expect((await userOperations.list()).some((each) => each.device_id === device_id)).toBe(false);
    expect(await failedJobs()).toBe(0);
    expect(await userOperations.delete(email)).toBe(false);
  });

  it('delete keeps a garden that another user has', async () => {
    const [email, other] = [await registerConfirmed(), await registerConfirmed()];
    const { device_id } = await userOf(other);
    await server.app.server().update(users, { device_id }, { where: { email } });
    const token = await tokenOf(other);
    expect((await server.call('POST', '/api/tools', { token, body: { name: 'Hoe' } })).status).toBe(200);
    expect(await userOperations.delete(email)).toBe(true);
    expect((await server.call('GET', '/api/tools', { token: await tokenOf(other) })).json).toMatchObject([
      { name: 'Hoe' },
    ]);
  });
});
