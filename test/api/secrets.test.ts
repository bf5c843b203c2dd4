import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { users } from '../../src/accounts/users.ts';
import { changeRows } from '../../src/db/change-rows.ts';
import type { ServerScope } from '../../src/db/scope.ts';
import type { StandardColumns, Table } from '../../src/db/table.ts';
import { brokerSessions } from '../../src/live/rabbitmq/broker-sessions.ts';
import { tables } from '../../src/resources.ts';
import { webhookDeliveries } from '../../src/webhooks/deliveries.ts';
import { password, suiteApp } from '../support/app.ts';
import { BrowserSession } from '../support/browser-session.ts';
import { describeEngines } from '../support/engines.ts';
import { solidColorPicture, uploadPhoto } from '../support/photo-upload.ts';
import { suiteFixture } from '../support/suite-fixture.ts';
import { suiteReceiver } from '../support/webhook-receiver.ts';

const hosts = { sqlite: '127.0.0.38', postgres: '127.0.0.39' };
const waiting = { interval: 20 };

/** Columns that are named like secrets, but are not secrets of an account. */
const harmless = new Set([
  // Names that people and the operator choose.
  ...['farmware_envs.key', 'global_config.key', 'server_settings.key'],
  // Part of the URL of a photo, which its record shows.
  'images.photo_key',
  // The name of the jobs that run one at a time.
  'jobs.serial_key',
]);

/** The columns that contain secrets or their digests, by their names: `users.password_hash`. */
const secretColumns = tables.flatMap((table) =>
  Object.entries(table.columns)
    .filter(([name, { type }]) => type === 'text' && /hash|token|secret|digest|signature|jti|(^|_)key$/.test(name))
    .map(([name]) => ({ table, name, label: `${table.name}.${name}` }))
    .filter(({ label }) => !harmless.has(label)),
);

/** Returns the values of a column, of these devices if the table is theirs. */
async function valuesOf(
  server: ServerScope,
  devices: readonly number[],
  table: Table,
  name: string,
): Promise<string[]> {
  const rows =
    table.reach === 'device'
      ? await Promise.all(devices.map((id) => server.device(id).rows(table as Table<StandardColumns, 'device'>)))
      : [await server.rows(table as Table<StandardColumns, 'server'>)];
  return rows
    .flat()
    .map((row): unknown => (row as unknown as Record<string, unknown>)[name])
    .filter((value): value is string => typeof value === 'string' && value !== '');
}

describeEngines('the secrets of an account', (engine) => {
  const settings = { HOST: hosts[engine], PORT: '0', MQTT_PORT: '1883', HOME_ASSISTANT: 'on' };
  const server = suiteApp(engine, { ...settings, FETCH_ALLOW: '127.0.0.1' });
  const receiver = suiteReceiver();
  suiteFixture(() => server.app.listen());

  it('are in no change, no history, no delivery and no event', async () => {
    const scope = server.app.server();
    const account = await server.signUp();
    const { userId, deviceId } = account;
    await scope.update(users, { admin: true }, { where: { id: userId } });
    let { token } = account;
    const call = async (method: string, path: string, body: object = {}) => {
      const { status, text, json } = await server.call(method, path, { token, ...(method !== 'GET' && { body }) });
      expect(status, `${method} ${path} ${text}`).toBe(200);
      return json;
    };
    const hook = await call('POST', '/api/webhooks', { url: receiver.url('/all') });
    const other = await call('POST', '/api/webhooks', { url: 'https://receiver.example/x', active: false });
    const personal = await call('POST', '/api/personal_tokens', { name: 'Script', scopes: ['read'] });
    const garden = await call('POST', '/api/gardens', { name: 'Greenhouse' });
    const upload = (await call('GET', '/api/storage_auth')).form_data;
    const { port } = server.app.http.server.address() as AddressInfo;
    const base = `http://${hosts[engine]}:${port}`;
    await uploadPhoto(base, token, await solidColorPicture(10));
    await call('PATCH', `/api/admin/home_assistant/${deviceId}`, { allowed: true });
    await call('PATCH', '/api/home_assistant', { on: true });
    await call('PUT', '/api/virtual_robot', { running: true });
    await scope.device(deviceId).insert(brokerSessions, { client_id: randomUUID(), jti: randomUUID() });
    const newPassword = 'another password of the account';
    const browser = new BrowserSession('http://localhost', (path, { headers, ...options }) =>
      server.call('POST', path, { ...options, headers: { host: 'localhost', ...headers } }),
    );
    await browser.keep(token);
    const firstCookie = browser.cookie;
    await browser.resume();
    const rule = await call('POST', '/api/notification_rules', {
      way: 'webhook',
      kinds: ['error'],
      address: 'https://receiver.example/secret-address',
    });
    await call('POST', '/api/logs', { message: 'Stuck', type: 'error', channels: [] });
    const shown: string[] = [
      ...[browser.key, browser.cookie, firstCookie, rule.secret, 'secret-address'],
      ...[password, newPassword, token, hook.secret, other.secret, personal.token, garden.robot_password],
      ...[upload.key, upload.signature],
      (await call('POST', `/api/webhooks/${hook.id}/secret`)).secret,
      (await call('POST', '/api/home_assistant/password')).password,
      (await call('POST', '/api/events/ticket')).ticket,
      new URL((await call('POST', '/api/calendar_feed')).url).pathname.split('/').at(-1),
      (await call('POST', '/api/invitations', { email: 'eve@example.com', role: 'viewer' })).link.split('/').pop(),
    ];
    const change = { name: 'Ada', password, new_password: newPassword, new_password_confirmation: newPassword };
    // Before the new password ends them.
    const stored = new Map<string, string[]>();
    const remember = async (): Promise<void> => {
      for (const { table, name, label } of secretColumns) {
        const values = await valuesOf(scope, [deviceId, garden.id], table, name);
        stored.set(label, [...(stored.get(label) ?? []), ...values]);
      }
    };
    await remember();
    await call('PATCH', '/api/users', change);
    const session = { user: { email: account.email, password: newPassword } };
    token = (await server.call('POST', '/api/tokens', { body: session })).json.token.encoded;
    shown.push(token);
    await call('PUT', '/api/virtual_robot', { running: false });
    await call('PATCH', '/api/device', { name: 'The last change' });
    await remember();
    const types = () => receiver.at('/all').map(({ json }) => json.type);
    await expect.poll(types, waiting).toContain('Device.updated');
    expect(types()).toContain('User.updated');

    const events: string[] = [];
    const { body } = await fetch(`${base}/api/events?after=1`, { headers: { authorization: token } });
    for await (const text of (body ?? expect.unreachable()).pipeThrough(new TextDecoderStream())) {
      events.push(text);
      if (events.join('').includes('"The last change"')) break;
    }
    expect(events.join('')).toContain('event: User');
    const searched = [
      JSON.stringify(receiver.all.map(({ text }) => text)),
      JSON.stringify(await scope.rows(changeRows)),
      JSON.stringify(await scope.device(deviceId).rows(webhookDeliveries)),
      ...events,
      ...(await Promise.all(
        ['history?limit=200', 'webhooks', `webhooks/${hook.id}`, `webhooks/${hook.id}/deliveries`].map(async (path) =>
          JSON.stringify(await call('GET', `/api/${path}`)),
        ),
      )),
    ].join('\n');
    // Each column has a value: a new one needs to be filled above.
    expect([...stored].filter(([, values]) => values.length === 0).map(([label]) => label)).toEqual([]);
    expect(stored.size).toBeGreaterThan(12);
    for (const secret of [...shown, ...[...stored.values()].flat()]) {
      expect(secret?.length, secret).toBeGreaterThan(7);
      expect(searched).not.toContain(secret);
    }
  });
});
