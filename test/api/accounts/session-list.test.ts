import { beforeEach, expect, it } from 'vitest';
import { CredentialUses } from '../../../src/accounts/credential-uses.ts';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { TokenResolver } from '../../../src/accounts/token-resolver.ts';
import type { Account } from '../../support/app.ts';
import { password } from '../../support/app.ts';
import { suiteBrokerApp } from '../../support/broker-app.ts';
import { describeEngines } from '../../support/engines.ts';

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64').toString());
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const hour = 3_600_000;
const start = Date.UTC(2026, 3, 1);
const robotOs = { 'user-agent': 'FarmbotOS/15.4.6 (rpi3) rpi3 ()' };

describeEngines('the sessions of a user', (engine) => {
  const clock = { time: start, now: () => clock.time };
  const server = suiteBrokerApp(engine, {}, { now: clock.now });
  let account: Account;
  beforeEach(async () => {
    clock.time = start;
    account = await server.signUp();
  });

  const signIn = async (headers: Record<string, string> = {}, from?: string): Promise<string> => {
    const body = { user: { email: account.email, password } };
    const { json, text } = await server.call('POST', '/api/tokens', { body, headers, ...(from && { from }) });
    expect(json, text).toHaveProperty('token');
    return json.token.encoded;
  };
  const refreshed = async (token: string): Promise<string> =>
    (await server.call('GET', '/api/tokens', { token })).json.token.encoded;
  const list = async (token = account.token) => (await server.call('GET', '/api/sessions', { token })).json;
  const statuses = (...tokens: string[]): Promise<number[]> =>
    Promise.all(tokens.map(async (token) => (await server.call('GET', '/api/device', { token })).status));
  const end = (path: string, token: string, body?: object) => server.call('DELETE', path, { token, body });

  it('show when, where and by which client each was used, the last used first', async () => {
    clock.time += hour;
    const robot = await signIn(robotOs, '192.0.2.7');
    clock.time += hour;
    await server.call('GET', '/api/device', { token: robot, headers: robotOs, from: '192.0.2.8' });
    clock.time += hour;
    expect(await list()).toEqual([
      {
        id: expect.any(Number),
        kind: 'person',
        is_current: true,
        created_at: '2026-04-01T00:00:00.000Z',
        last_used_at: '2026-04-01T03:00:00.000Z',
        expires_at: '2026-05-31T00:00:00.000Z',
        address: '127.0.0.1',
        user_agent: 'test',
        stays_signed_in: false,
      },
      {
        id: expect.any(Number),
        kind: 'robot',
        is_current: false,
        created_at: '2026-04-01T01:00:00.000Z',
        last_used_at: '2026-04-01T02:00:00.000Z',
        expires_at: '2026-05-31T01:00:00.000Z',
        address: '192.0.2.8',
        user_agent: robotOs['user-agent'],
        stays_signed_in: false,
      },
    ]);
    // The authors of the robot's programs can read its token.
    expect((await server.call('GET', '/api/sessions', { token: robot })).status).toBe(403);
  });

  it('contain the tokens that were refreshed from them, and end with all of them', async () => {
    const other = await signIn();
    clock.time += hour;
    const [second, third] = [await refreshed(other), await refreshed(await refreshed(other))];
    const temporary = (await server.call('POST', '/api/tokens/temporary', { token: third })).json.token.encoded;
    expect((await end('/api/tokens', other)).status).toBe(204);
    expect(await statuses(other, second, third, temporary)).toEqual([401, 200, 200, 200]);
    const sessions = await list(third);
    expect(sessions).toHaveLength(2);
    const own = sessions.find((each: { is_current: boolean }) => each.is_current);
    expect(own.created_at).toBe('2026-04-01T00:00:00.000Z');

    const subscriber = await server.connect(`device_${account.deviceId}`, second);
    const robot = await server.connect(`device_${account.deviceId}`, account.token);
    await robot.subscribe(`bot/device_${account.deviceId}/from_clients`);
    expect((await end(`/api/sessions/${own.id}`, account.token, { password })).status).toBe(200);
    expect(await statuses(second, third, temporary, account.token)).toEqual([401, 401, 401, 200]);
    await server.app.runJobs();
    await subscriber.waitUntilClosed();
    expect(robot.received).toEqual([]);
    expect(robot.client.connected).toBe(true);
  });

  it('end together, except the asking one', async () => {
    const [first, robot] = [await signIn(), await signIn(robotOs)];
    const own = await refreshed(account.token);
    expect((await end('/api/sessions', own)).status).toBe(200);
    expect(await statuses(first, robot, account.token, own)).toEqual([401, 401, 200, 200]);
    expect(await list()).toHaveLength(1);
  });

  it('end only with the password or a recent sign-in, and never by a robot', async () => {
    const robot = await signIn(robotOs);
    const [{ id }] = await list();
    const forbidden = await end(`/api/sessions/${id}`, robot, { password });
    expect([forbidden.status, forbidden.json]).toEqual([
      403,
      { error: 'The session of a robot cannot do this. Sign in with your password.' },
    ]);
    clock.time += hour;
    const late = await end('/api/sessions', await refreshed(account.token));
    expect([late.status, late.json]).toEqual([
      403,
      { error: 'Send your current password as `password`, or sign in again.' },
    ]);
    for (const wrong of ['wrong password', '', null, 7, [password]]) {
      const answer = await end('/api/sessions', account.token, { password: wrong });
      expect([answer.status, answer.json], String(wrong)).toEqual([422, { password: 'Password is wrong.' }]);
    }
    expect(await statuses(robot)).toEqual([200]);
    expect((await end('/api/sessions', account.token, { password })).status).toBe(200);
    expect(await statuses(robot)).toEqual([401]);
  });

  it('of others do not exist', async () => {
    const [{ id }] = await list();
    const stranger = await server.signUp();
    for (const unknown of [id, 999_999, 'x'])
      expect((await end(`/api/sessions/${unknown}`, stranger.token)).status).toBe(404);
    expect(await statuses(account.token)).toEqual([200]);
    expect((await list(stranger.token)).map((each: { id: number }) => each.id)).not.toContain(id);
  });

  it('are written once a minute, and belong to the user from then on', async () => {
    const scope = server.app.server();
    const where = { device_id: account.deviceId };
    const other = await server.signUp();
    const [before] = await scope.rows(tokenIssuances, { where });
    expect(before).toMatchObject({ user_id: account.userId, session_id: null, last_used_at: null });
    // As the migration left them where users shared a device.
    await scope.update(tokenIssuances, { user_id: other.userId }, { where });
    const uses = new CredentialUses(() => server.app.server(), clock, silent);
    const holder = await new TokenResolver({ verifySession: () => claimsOf(account.token) }).resolve(scope, 'any');
    const use = (address: string | null) => holder && uses.record(holder, { address, userAgent: null });
    use('192.0.2.9');
    clock.time += hour;
    // The broker does not know the address.
    use(null);
    expect(await scope.rows(tokenIssuances, { where })).toMatchObject([{ user_id: other.userId, last_used_at: null }]);
    await uses.stop();
    expect(await scope.rows(tokenIssuances, { where })).toMatchObject([
      { user_id: account.userId, last_used_at: '2026-04-01T01:00:00.000Z', address: '192.0.2.9', user_agent: 'test' },
    ]);
  });
});
