import { expect, it } from 'vitest';
import { sessionLifetime } from '../../../src/accounts/token-signer.ts';
import { setOwnLimit } from '../../../src/quotas/account-quotas.ts';
import type { Account } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { publishedOperations } from '../../support/operations.ts';

/** Seconds. */
const lifetime = 900;

/** The routes of accounts that a temporary token may use. */
const allowed = ['GET /api/users', 'DELETE /api/tokens'];

describeEngines('a temporary token', (engine) => {
  const clock = { time: Date.UTC(2026, 3, 1), now: () => clock.time };
  const server = suiteApp(engine, { RATE_LIMITS: 'on' }, { now: clock.now });

  const request = (token: string, from = '127.0.0.1') =>
    server.call('POST', '/api/tokens/temporary', { token, headers: { 'user-agent': 'Mozilla/5.0' }, from });
  const issue = async (token: string): Promise<string> => {
    const { status, text, json } = await request(token);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return json.token.encoded;
  };
  const statusOf = async (token: string) => (await server.call('GET', '/api/points', { token })).status;
  const signIn = async ({ email }: Account): Promise<string> =>
    (await server.call('POST', '/api/tokens', { body: { user: { email, password } } })).json.token.encoded;

  it('accesses the garden for 15 minutes, and no longer than the session', async () => {
    const { token, userId, deviceId } = await server.signUp();
    const session = (await request(token)).json;
    expect(session.user.id).toBe(userId);
    const { unencoded, encoded } = session.token;
    expect(unencoded).toMatchObject({ aud: 'temporary', sub: userId, bot: `device_${deviceId}` });
    expect(unencoded.exp - unencoded.iat).toBe(lifetime);
    const created = await server.call('POST', '/api/tools', { token: encoded, body: { name: 'Trowel' } });
    expect(created.status).toBe(200);
    clock.time += lifetime * 1000 - 1;
    expect(await statusOf(encoded)).toBe(200);
    clock.time += 1;
    expect([await statusOf(encoded), await statusOf(token)]).toEqual([401, 200]);

    clock.time += (sessionLifetime - lifetime - 60) * 1000;
    const { iat, exp } = (await request(token)).json.token.unencoded;
    expect(exp - iat).toBe(60);
  });

  it('ends with its session, and does not end it', async () => {
    const account = await server.signUp();
    const other = await signIn(account);
    const [revoked, first, second] = [await issue(account.token), await issue(account.token), await issue(other)];
    expect((await server.call('DELETE', '/api/tokens', { token: revoked })).status).toBe(204);
    expect(await Promise.all([revoked, first, account.token].map(statusOf))).toEqual([401, 200, 200]);
    expect((await server.call('DELETE', '/api/tokens', { token: account.token })).status).toBe(204);
    expect(await Promise.all([first, account.token, second, other].map(statusOf))).toEqual([401, 401, 200, 200]);
  });

  it('ends with a new password, although its session does not', async () => {
    const { token } = await server.signUp();
    const temporary = await issue(token);
    const body = { password, new_password: 'another-one', new_password_confirmation: 'another-one' };
    expect((await server.call('PATCH', '/api/users', { token, body })).status).toBe(200);
    expect([await statusOf(temporary), await statusOf(token)]).toEqual([401, 200]);
  });

  it('cannot get tokens and credentials, nor change or delete the account, even with the password', async () => {
    const { token, email } = await server.signUp();
    const temporary = await issue(token);
    const before = await server.call('GET', '/api/users', { token });
    const body = {
      email: 'attacker@example.com',
      name: 'Attacker',
      password,
      new_password: 'another-one',
      new_password_confirmation: 'another-one',
    };
    const operations = publishedOperations(server.app).filter(
      ({ method, path, isPrivate }) =>
        isPrivate && /^\/api\/(users|tokens)\b/.test(path) && !allowed.includes(`${method} ${path}`),
    );
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining([
        'GET /api/tokens',
        'POST /api/tokens/temporary',
        'PATCH /api/users',
        'DELETE /api/users',
      ]),
    );
    for (const { method, path } of operations) {
      const address = path.replace(/\{\w+\}/, '1');
      const { status, json } = await server.call(method, address, {
        token: temporary,
        ...(method !== 'GET' && { body }),
      });
      expect([method, path, status, json]).toEqual([method, path, 403, { error: expect.stringMatching(/temporary/) }]);
    }
    expect((await server.call('GET', '/api/users', { token })).text).toBe(before.text);
    expect((await server.call('POST', '/api/tokens', { body: { user: { email, password } } })).status).toBe(200);
  });

  it('cannot replace or delete the device, which ends all sessions', async () => {
    const { token } = await server.signUp();
    const temporary = await issue(token);
    for (const [method, body] of [
      ['POST', { name: 'Other' }],
      ['DELETE', undefined],
    ] as const)
      expect((await server.call(method, '/api/device', { token: temporary, body })).status).toBe(403);
    expect(await statusOf(token)).toBe(200);
  });

  it('does not connect to the message broker', async () => {
    const { token, deviceId } = await server.signUp();
    const connect = async (secret: string) => {
      const body = { username: `device_${deviceId}`, password: secret };
      return (await server.call('POST', '/api/rmq/user', { body })).status;
    };
    expect([await connect(token), await connect(await issue(token))]).toEqual([200, 401]);
  });

  it('counts toward the quota of sessions, and an account gets 20 per hour', async () => {
    const { token, deviceId } = await server.signUp();
    const stranger = await server.signUp();
    const from = '203.0.113.7';
    for (let i = 0; i < 20; i++) expect((await request(token, from)).status).toBe(200);
    expect((await request(token, from)).status).toBe(429);
    expect((await request(stranger.token, from)).status).toBe(200);
    await setOwnLimit(server.app.server().device(deviceId), 'tokens', 21);
    const refused = await request(token);
    expect([refused.status, refused.json.error]).toEqual([422, expect.stringMatching(/too many sessions/)]);
  });
});
