import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, it } from 'vitest';
import { users } from '../../../src/accounts/users.ts';
import { devices } from '../../../src/device/devices.ts';
import type { Account } from '../../support/app.ts';
import { password } from '../../support/app.ts';
import { suiteBrokerApp } from '../../support/broker-app.ts';
import { describeEngines } from '../../support/engines.ts';
import { decryptPush, NotificationReceiver, receiverKeys, verifiedClaims } from '../../support/push-receiver.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2026, 3, 1, 12);

describeEngines('notifications', (engine) => {
  const clock = { time: start, now: () => clock.time };
  const server = suiteBrokerApp(engine, { FETCH_ALLOW: '127.0.0.1' }, { now: clock.now });
  const receiver = suiteFixture(
    () => NotificationReceiver.start(),
    async (started) => started.close(),
  );
  /** The first account administers the server: FETCH_ALLOW is for its garden. */
  let admin: Account | undefined;
  let account: Account;
  beforeEach(async () => {
    clock.time = start;
    admin ??= await server.signUp();
    account = admin;
    for (const { id } of await rules()) await call('DELETE', `/api/notification_rules/${id}`);
    for (const { id } of await list()) await call('DELETE', `/api/notifications/${id}`);
    await call('PATCH', '/api/notification_settings', {
      kinds: ['message', 'error', 'assertion', 'missed_run', 'offline'],
    });
    receiver.received.splice(0);
    receiver.answers.splice(0);
  });

  const call = (method: string, path: string, body?: object, token = account.token) =>
    server.call(method, path, { token, ...(body && { body }) });
  const list = async () => (await call('GET', '/api/notifications')).json;
  const rules = async () => (await call('GET', '/api/notification_rules')).json;
  const log = (message: string, type = 'error', channels: string[] = []) =>
    call('POST', '/api/logs', { message, type, channels });
  const all = ['message', 'error', 'assertion', 'missed_run', 'offline'];
  const rule = async (values: object) => {
    const { status, json, text } = await call('POST', '/api/notification_rules', { kinds: all, password, ...values });
    expect(status, text).toBe(200);
    return json;
  };

  it('are what the robot shows, errors and failed assertions, and repeat nothing within ten minutes', async () => {
    for (const [message, type, channels] of [
      ['Watered', 'success', ['toast']],
      ['Only logged', 'info', []],
      ['The Y axis is stuck', 'error', []],
      ['The Y axis is stuck', 'error', []],
      ['The assertion failed: the program ends.', 'assertion', []],
      ['The assertion passed: the program continues.', 'assertion', []],
    ] as const)
      await log(message, type, [...channels]);
    expect((await list()).map(({ kind, message }: { kind: string; message: string }) => [kind, message])).toEqual([
      ['assertion', 'The assertion failed: the program ends.'],
      ['error', 'The Y axis is stuck'],
      ['message', 'Watered'],
    ]);
    clock.time += 11 * minute;
    await log('The Y axis is stuck');
    expect(await list()).toHaveLength(4);
  });

  it('come from logs over the broker, too, and are at most 60 an hour', async () => {
    const name = `device_${account.deviceId}`;
    const robot = await server.connect(name, account.token);
    await robot.publish(
      `bot/${name}/logs`,
      JSON.stringify({ message: 'Motor stalled', type: 'error', channels: [], major_version: 17 }),
    );
    await expect.poll(list).toMatchObject([{ kind: 'error', message: 'Motor stalled' }]);
    for (let i = 0; i < 70; i++) await log(`Error ${i}`);
    expect(await list()).toHaveLength(60);
  });

  it('can be dismissed, marked as seen and switched off on pages, by each person', async () => {
    expect((await call('GET', '/api/notification_settings')).json).toMatchObject({ kinds: all });
    const answer = await call('PATCH', '/api/notification_settings', { kinds: ['error'], read_id: 7 });
    expect([answer.status, answer.json]).toEqual([
      200,
      { kinds: ['error'], read_id: 7, web_push_key: expect.stringMatching(/^B[\w-]{86}$/) },
    ]);
    expect((await call('GET', '/api/notification_settings')).json).toEqual(answer.json);
    const wrong = await call('PATCH', '/api/notification_settings', { kinds: ['everything'] });
    expect([wrong.status, wrong.json]).toEqual([
      422,
      { kinds: 'Kinds must be a list of message, error, assertion, missed_run, offline.' },
    ]);
    await log('Once');
    const [{ id }] = await list();
    expect((await call('DELETE', `/api/notifications/${id}`)).status).toBe(200);
    expect(await list()).toEqual([]);
  });

  it('are pushed encrypted to browsers, signed with the key of the server', async () => {
    const { web_push_key } = (await call('GET', '/api/notification_settings')).json;
    const keys = receiverKeys();
    const push_keys = {
      p256dh: keys.own.getPublicKey().toString('base64url'),
      auth: keys.auth.toString('base64url'),
    };
    const browser = { way: 'web_push', address: `${receiver.base}/push/secret-of-the-browser`, push_keys };
    const first = await rule(browser);
    for (let i = 1; i < 10; i++) await rule({ way: 'email' });
    // A browser that subscribes again needs no further rule.
    await rule(browser);
    expect((await rules()).map(({ id }: { id: number }) => id)).not.toContain(first.id);
    for (const { id, way } of await rules()) if (way === 'email') await call('DELETE', `/api/notification_rules/${id}`);
    await log('Die Düse klemmt');
    await server.app.runJobs();
    const [{ path, headers, body } = { path: '', headers: {}, body: Buffer.alloc(0) }] = receiver.received;
    expect(path).toBe('/push/secret-of-the-browser');
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'high' });
    expect(JSON.parse(decryptPush(body, keys))).toEqual({
      title: expect.any(String),
      body: 'Error: Die Düse klemmt',
      link: '/console/logs',
    });
    expect(verifiedClaims(headers.authorization, web_push_key)).toEqual({
      aud: receiver.base,
      exp: start / 1000 + 12 * 3600,
      sub: expect.stringMatching(/^https?:/),
    });
    // The browser unsubscribed.
    receiver.answers.push(410);
    await log('Another error');
    await server.app.runJobs();
    expect(await rules()).toEqual([]);
  });

  it('are posted to ntfy and to webhooks, again after failures, without secrets in answers', async () => {
    const ntfy = await rule({ way: 'ntfy', address: `${receiver.base}/garden`, token: 'tk_secret' });
    const hook = await rule({ way: 'webhook', address: `${receiver.base}/hook` });
    expect([ntfy.secret, hook.secret]).toEqual([null, expect.stringMatching(/^whsec_/)]);
    expect(JSON.stringify(await rules())).not.toMatch(/whsec_|tk_secret/);
    await log('Empty tank', 'warn', ['toast']);
    await server.app.runJobs();
    const sent = (path: string) => receiver.received.filter((each) => each.path === path);
    const [text] = sent('/garden');
    expect(text?.body.toString()).toBe('Empty tank');
    expect(text?.headers).toMatchObject({ authorization: 'Bearer tk_secret', priority: '3', tags: 'seedling' });
    const [signed] = sent('/hook');
    const content = signed?.body.toString() ?? '';
    const id = String(signed?.headers['webhook-id']);
    expect(signed?.headers['webhook-signature']).toBe(new Webhook(hook.secret).sign(id, new Date(start), content));
    expect(JSON.parse(content)).toMatchObject({
      type: 'notification',
      data: { kind: 'message', message: 'Empty tank' },
    });

    receiver.answers.push(500, 500);
    await log('Pump failed');
    await server.app.runJobs();
    expect((await rules()).map(({ last_error }: { last_error: string }) => last_error)).toEqual([
      'HTTP 500',
      'HTTP 500',
    ]);
    clock.time += 11_000;
    await server.app.runJobs();
    expect(sent('/garden')).toHaveLength(3);
    expect((await rules()).map(({ last_error }: { last_error: string | null }) => last_error)).toEqual([null, null]);
  });

  it('wait for the end of quiet hours, and follow the kinds of the rule', async () => {
    await call('PATCH', '/api/device', { timezone: 'Europe/Paris' });
    await rule({
      way: 'ntfy',
      address: `${receiver.base}/q`,
      kinds: ['error'],
      quiet_from: '13:00',
      quiet_to: '15:30',
    });
    await log('A message', 'info', ['toast']);
    await log('An error');
    await server.app.runJobs();
    expect(receiver.received).toEqual([]);
    clock.time = start + 1.5 * hour + minute;
    await server.app.runJobs();
    expect(receiver.received.map(({ body }) => body.toString())).toEqual(['Error: An error']);
    // So do further attempts: the next one would be five seconds after their begin.
    clock.time = start + 23 * hour - 5000;
    receiver.answers.push(500);
    await log('Another error');
    await server.app.runJobs();
    expect(receiver.received).toHaveLength(2);
    clock.time += minute;
    await server.app.runJobs();
    expect(receiver.received).toHaveLength(2);
    clock.time += 2.5 * hour;
    await server.app.runJobs();
    expect(receiver.received).toHaveLength(3);
  });

  it('have rules that say what is wrong, and belong to one person', async () => {
    const refusal = async (values: object) => {
      const { status, json } = await call('POST', '/api/notification_rules', { password, kinds: all, ...values });
      return [status, json];
    };
    expect(await refusal({ way: 'pigeon' })).toMatchObject([422, { way: expect.any(String) }]);
    expect(await refusal({ way: 'ntfy' })).toEqual([422, { address: 'Address is needed for this way.' }]);
    expect(await refusal({ way: 'ntfy', address: 'ftp://x' })).toMatchObject([422, { address: expect.any(String) }]);
    for (const token of ['two words', 'clé', 'line\nbreak'])
      expect(await refusal({ way: 'ntfy', address: 'https://x.example', token })).toEqual([
        422,
        { token: 'Token must be of letters, digits and punctuation without accents or spaces.' },
      ]);
    expect(await refusal({ way: 'email', address: 'https://x.example' })).toMatchObject([
      422,
      { address: expect.stringContaining('account') },
    ]);
    expect(await refusal({ way: 'web_push', address: 'https://x.example' })).toMatchObject([
      422,
      { push_keys: expect.any(String) },
    ]);
    const flat = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16).toString('base64url') };
    expect(await refusal({ way: 'web_push', address: 'https://x.example', push_keys: flat })).toMatchObject([
      422,
      { push_keys: expect.any(String) },
    ]);
    expect(await refusal({ way: 'email', quiet_from: '25:00', quiet_to: '07:00' })).toMatchObject([
      422,
      { quiet_from: expect.stringContaining('22:00') },
    ]);
    expect(await refusal({ way: 'email', quiet_from: '22:00' })).toMatchObject([422, { quiet_to: expect.any(String) }]);
    const { id } = await rule({ way: 'email' });
    for (let i = 1; i < 10; i++) await rule({ way: 'email' });
    expect((await refusal({ way: 'email' }))[0]).toBe(422);
    const other = await server.signUp();
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', `/${id}`],
      ['PATCH', `/${id}`],
      ['POST', `/${id}/test`],
    ] as const) {
      const answer = await call(method, `/api/notification_rules${path}`, { password }, other.token);
      expect([answer.status, method === 'GET' ? answer.json : []]).toEqual([method === 'GET' ? 200 : 404, []]);
    }
    clock.time += 2 * hour;
    expect((await call('POST', '/api/notification_rules', { way: 'email', kinds: all })).status).toBe(403);
  });

  it('reach no private address of other gardens, and end with a lost right', async () => {
    account = await server.signUp();
    const setAdmin = (admin: boolean) =>
      server.app.server().update(users, { admin }, { where: { id: account.userId } });
    await setAdmin(true);
    const before = { way: 'ntfy', address: `${receiver.base}/private` };
    const { id } = await rule(before);
    await setAdmin(false);
    const sentence =
      'Address is in a private network, which the server’s setting FETCH_ALLOW does not open to this garden.';
    const refusal = { status: 422, json: { address: sentence } };
    expect(await call('POST', '/api/notification_rules', { ...before, kinds: all, password })).toMatchObject(refusal);
    const change = (body: object) => call('PATCH', `/api/notification_rules/${id}`, { ...body, password });
    expect(await change({ address: 'http://192.168.1.7/' })).toMatchObject(refusal);
    expect((await change({ ...before, way: undefined, quiet_from: null })).status).toBe(200);
    await log('An error');
    await server.app.runJobs();
    expect(receiver.received).toEqual([]);
    expect(await rules()).toMatchObject([{ last_error: expect.stringContaining('private') }]);
  });

  it('say that a robot is offline, and what was due meanwhile', async () => {
    account = await server.signUp();
    const { deviceId, token } = account;
    const sequence = await call('POST', '/api/sequences', {
      name: 'Water the beets',
      args: { locals: { kind: 'scope_declaration', args: {} } },
      body: [],
    });
    await call('POST', '/api/farm_events', {
      executable_type: 'Sequence',
      executable_id: sequence.json.id,
      start_time: new Date(start + 10 * minute).toISOString(),
      end_time: new Date(start + 2 * hour).toISOString(),
      repeat: 1,
      time_unit: 'hourly',
    });
    const robot = await server.connect(`device_${deviceId}`, token, `device_${deviceId}_17_1_2`);
    await robot.publish(`bot/device_${deviceId}/status`, '{"informational_settings":{"busy":false}}');
    await expect.poll(async () => (await call('GET', '/api/robot')).json.status).not.toBeNull();
    await robot.end();
    await expect.poll(async () => (await call('GET', '/api/robot')).json.connected).toBe(false);
    // Written behind a minute later by the running server.
    await server.app
      .server()
      .device(deviceId)
      .transaction(async (scope) => {
        await scope.update(devices, { last_saw_broker: new Date(start).toISOString() }, {});
      });
    clock.time = start + 21 * minute;
    await server.app.runJobs();
    expect(await list()).toMatchObject([
      { kind: 'missed_run', message: 'Water the beets', at: new Date(start + 10 * minute).toISOString() },
    ]);
    clock.time += 6 * minute;
    await server.app.runJobs();
    expect(await list()).toHaveLength(1);
  });
});
