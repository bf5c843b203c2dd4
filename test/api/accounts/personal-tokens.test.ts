import { beforeEach, expect, it } from 'vitest';
import { personalTokens } from '../../../src/accounts/personal-tokens.ts';
import { runChecks } from '../../../src/doctor/doctor.ts';
import { setOwnLimit } from '../../../src/quotas/account-quotas.ts';
import type { Account } from '../../support/app.ts';
import { password } from '../../support/app.ts';
import { suiteBrokerApp } from '../../support/broker-app.ts';
import { describeEngines } from '../../support/engines.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const day = 86_400_000;
const start = Date.UTC(2026, 3, 1);
const refused = { error: 'A personal token cannot do this. Sign in with your password.' };

describeEngines('personal tokens', (engine) => {
  const clock = { time: start, now: () => clock.time };
  const server = suiteBrokerApp(engine, {}, { now: clock.now });
  let account: Account;
  beforeEach(async () => {
    clock.time = start;
    account = await server.signUp();
  });

  const request = (method: string, path: string, body?: object, token = account.token) =>
    server.call(method, path, { token: `Bearer ${token}`, body });
  const create = async (body: object) => {
    const response = await request('POST', '/api/personal_tokens', { name: 'Script', scopes: ['garden'], ...body });
    expect(response.status, response.text).toBe(200);
    return response.json;
  };
  const statusOf = async (token: string, line: string, body?: object) => {
    const [method = '', path = ''] = line.split(' ');
    return (await request(method, path, body, token)).status;
  };

  it('are shown once, stored as a hash, and listed with their last use', async () => {
    const created = await create({ name: 'Watering', scopes: ['control', 'garden', 'control'] });
    const { token, ...shown } = created;
    expect(token).toMatch(/^pot_[0-9A-Za-z]{40}$/);
    expect(shown).toEqual({
      id: expect.any(Number),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      user_id: account.userId,
      name: 'Watering',
      scopes: ['garden', 'control'],
      expires_at: null,
      last_used_at: null,
    });
    expect((await request('GET', '/api/personal_tokens')).json).toEqual([shown]);
    const rows = await server.app.server().rows(personalTokens, { where: { id: shown.id } });
    expect(JSON.stringify(rows)).not.toContain(token.slice(4));
    clock.time += day;
    expect(await statusOf(token, 'GET /api/points')).toBe(200);
    const used = { ...shown, last_used_at: '2026-04-02T00:00:00.000Z' };
    expect((await request('GET', '/api/personal_tokens', undefined)).json).toEqual([used]);
  });

  it('show their rights, whatever their scopes', async () => {
    for (const scopes of [['read'], ['control', 'logs']]) {
      const { token } = await create({ scopes });
      const { status, json } = await request('GET', '/api/rights', undefined, token);
      expect([status, json]).toEqual([200, { role: 'owner', scopes, administrator: expect.any(Boolean) }]);
    }
  });

  it('act over HTTP as their scopes say, and a refusal names the missing one', async () => {
    const { token } = await create({ scopes: ['garden'] });
    expect(await statusOf(token, 'POST /api/tools', { name: 'Trowel' })).toBe(200);
    expect(await statusOf(token, 'GET /api/tools')).toBe(200);
    const denied = await request('POST', '/api/sequences', { name: 'S', body: [] }, token);
    expect([denied.status, denied.json]).toEqual([403, { error: 'The token does not have the scope programs.' }]);
    expect((await request('GET', '/api/users', undefined, token)).json).toEqual({
      error: 'The token does not have the scope account.',
    });
    expect((await request('GET', '/api/device', undefined, token)).json.id).toBe(account.deviceId);
  });

  it('never get another credential, nor more rights', async () => {
    const { id, token } = await create({
      scopes: ['read', 'garden', 'programs', 'control', 'logs', 'account', 'admin'],
    });
    for (const [line, body] of [
      ['GET /api/tokens', undefined],
      ['POST /api/tokens/temporary', undefined],
      ['POST /api/users/control_certificate', { email: account.email, password }],
      ['PATCH /api/users', { email: 'other@example.com', password }],
      ['DELETE /api/users', { password }],
      ['POST /api/device', { name: 'New' }],
      ['POST /api/personal_tokens', { name: 'Next', scopes: ['read'], password }],
      [`PATCH /api/personal_tokens/${id}`, { name: 'Next', password }],
      [`DELETE /api/personal_tokens/${id}`, { password }],
      ['DELETE /api/sessions', { password }],
    ] as const) {
      const [method = '', path = ''] = line.split(' ');
      const response = await request(method, path, body, token);
      expect([line, response.status, response.json]).toEqual([line, 403, refused]);
    }
    expect(await statusOf(token, 'GET /api/personal_tokens')).toBe(200);
    const wider = await create({ scopes: ['read'] });
    const answer = await request('PATCH', `/api/personal_tokens/${wider.id}`, { scopes: ['read', 'garden'] });
    expect([answer.status, answer.json]).toEqual([
      422,
      { scopes: 'Scopes can only become fewer. Create another token.' },
    ]);
  });

  it('keep the time of their last change until something changes', async () => {
    const { token: _token, ...created } = await create({ scopes: ['garden', 'read'] });
    clock.time += 60_000;
    const update = async (body: object) => (await request('PATCH', `/api/personal_tokens/${created.id}`, body)).json;
    for (const body of [{}, { name: null, scopes: null }, { name: 'Script', scopes: ['read', 'garden'] }])
      expect(await update(body)).toEqual(created);
    const updated_at = '2026-04-01T00:01:00.000Z';
    expect(await update({ name: 'Other' })).toEqual({ ...created, name: 'Other', updated_at });
  });

  it('are created only with the password or a recent sign-in, and never by a robot', async () => {
    clock.time += 3_600_000;
    const body = { name: 'Late', scopes: ['read'] };
    expect(await statusOf(account.token, 'POST /api/personal_tokens', body)).toBe(403);
    expect(await statusOf(account.token, 'POST /api/personal_tokens', { ...body, password: 'wrong one' })).toBe(422);
    expect(await statusOf(account.token, 'POST /api/personal_tokens', { ...body, password })).toBe(200);
    const robot = await server.call('POST', '/api/tokens', {
      body: { user: { email: account.email, password } },
      headers: { 'user-agent': 'FarmbotOS/15.4.6 (rpi3) rpi3 ()' },
    });
    expect(await statusOf(robot.json.token.encoded, 'POST /api/personal_tokens', { ...body, password })).toBe(403);
  });

  it('end when they expire, when they are revoked, by themselves, and with a new password', async () => {
    const expiring = await create({ expires_at: new Date(start + day).toISOString() });
    const [revoked, own, last] = [await create({}), await create({}), await create({})];
    expect(await statusOf(revoked.token, 'GET /api/points')).toBe(200);
    expect(await statusOf(account.token, `DELETE /api/personal_tokens/${revoked.id}`)).toBe(200);
    expect(await statusOf(own.token, 'DELETE /api/tokens')).toBe(204);
    expect(await statusOf(expiring.token, 'GET /api/points')).toBe(200);
    clock.time += day;
    for (const { token } of [revoked, own, expiring]) expect(await statusOf(token, 'GET /api/points')).toBe(401);
    expect(await statusOf(last.token, 'GET /api/points')).toBe(200);
    const change = { password, new_password: 'another one', new_password_confirmation: 'another one' };
    expect(await statusOf(account.token, 'PATCH /api/users', change)).toBe(200);
    expect(await statusOf(last.token, 'GET /api/points')).toBe(401);
    expect(await statusOf(account.token, 'GET /api/points')).toBe(200);
  });

  it('act over MQTT as their scopes say, and a narrowed one is disconnected', async () => {
    const username = `device_${account.deviceId}`;
    const topic = (rest: string) => `bot/${username}/${rest}`;
    const { id, token } = await create({ scopes: ['garden', 'control'] });
    const robot = await server.connect(username, account.token, `${username}_17.1.2`);
    await robot.subscribe([topic('from_clients'), topic('logs')]);
    const script = await server.connect(username, token);
    expect(await script.subscribe([topic('sync/#'), topic('sync/User/1'), topic('logs'), topic('status')])).toEqual([
      0, 128, 128, 0,
    ]);
    await script.publish(topic('from_clients'), 'hello');
    expect((await robot.first(topic('from_clients'))).text).toBe('hello');

    // Messages that it may not read are not delivered, whatever it subscribed to.
    const user = await request('PATCH', '/api/users', { name: 'Anna' });
    expect(user.status).toBe(200);
    const tool = await request('POST', '/api/tools', { name: 'Rake' });
    await script.first(topic(`sync/Tool/${tool.json.id}`));
    expect(script.received.map((message) => message.topic)).toEqual([topic(`sync/Tool/${tool.json.id}`)]);

    await expect(script.publish(topic('logs'), '{}', { qos: 1 })).rejects.toThrow('the connection ended');
    const second = await server.connect(username, token);
    const narrowed = await request('PATCH', `/api/personal_tokens/${id}`, { name: 'Narrow', scopes: ['garden'] });
    expect(narrowed.json).toMatchObject({ name: 'Narrow', scopes: ['garden'] });
    await server.app.runJobs();
    await second.waitUntilClosed();
    const third = await server.connect(username, token);
    await expect(third.publish(topic('from_clients'), 'again', { qos: 1 })).rejects.toThrow('the connection ended');
    const fourth = await server.connect(username, token);
    expect((await request('DELETE', `/api/personal_tokens/${id}`)).status).toBe(200);
    await server.app.runJobs();
    await fourth.waitUntilClosed();
    await expect(server.connect(username, token)).rejects.toThrow();
    expect(robot.client.connected).toBe(true);
    expect(robot.received.map(({ text }) => text)).toEqual(['hello']);
  });

  it('have a quota and checked fields', async () => {
    const body = { name: 'x'.repeat(81), scopes: ['garden', 'all'], expires_at: '2026-03-31T00:00:00Z' };
    const invalid = await request('POST', '/api/personal_tokens', body);
    expect([invalid.status, Object.keys(invalid.json).sort()]).toEqual([422, ['expires_at', 'name', 'scopes']]);
    for (const scopes of [undefined, null, [], 'read', {}, [['read']], Array(101).fill('read')])
      expect((await request('POST', '/api/personal_tokens', { name: 'S', scopes })).json).toHaveProperty('scopes');
    await setOwnLimit(server.app.server().device(account.deviceId), 'personal_tokens', 1);
    const { token } = await create({});
    expect((await request('POST', '/api/personal_tokens', { name: 'S', scopes: ['read'] })).json).toEqual({
      error: 'The account has too many personal tokens. Revoke some of them. (At most 1.)',
    });
    // The checksum detects a mistyped one without the database.
    const mistyped = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    expect(await statusOf(mistyped, 'GET /api/points')).toBe(401);
    const stranger = await server.signUp();
    const [{ id }] = (await request('GET', '/api/personal_tokens')).json;
    for (const line of [`PATCH /api/personal_tokens/${id}`, `DELETE /api/personal_tokens/${id}`])
      expect(await statusOf(stranger.token, line, {})).toBe(404);
    expect((await request('GET', '/api/personal_tokens', undefined, stranger.token)).json).toEqual([]);
  });

  it('make doctor fail where RabbitMQ cannot end their connections', async () => {
    await create({});
    const lines = async (more: object): Promise<string[]> =>
      (await runChecks({ ...server.settings, BROKER_URL: 'amqp://admin@127.0.0.1:1', ...more }, silent))
        .filter(({ name, ok }) => name === 'personal tokens' && !ok)
        .map(({ message }) => message);
    expect(await lines({})).toEqual([
      'There are personal tokens, but revoked ones stay connected to RabbitMQ until they disconnect: set BROKER_MANAGEMENT_URL.',
    ]);
    expect(await lines({ BROKER_MANAGEMENT_URL: 'http://127.0.0.1:1' })).toEqual([]);
    expect(await lines({ BROKER_URL: null })).toEqual([]);
  });
});
