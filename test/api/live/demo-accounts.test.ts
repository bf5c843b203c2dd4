import { afterEach, describe, expect, it } from 'vitest';
import { devices } from '../../../src/device/devices.ts';
import type { TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { freePort } from '../../support/free-port.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';

const start = Date.UTC(2026, 10, 21, 12);
const clock = { time: start, now: () => clock.time };
const secret = 'c0ffeec0ffeec0ffeec0ffeec0ffee00';

describe('a demo account', () => {
  const clients: MqttTestClient[] = [];
  let server: TestApp | null = null;
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
    await server?.close();
    server = null;
  });

  async function started(environment: Record<string, string> = {}): Promise<{ app: TestApp; mqtt: string }> {
    clock.time = start;
    const port = await freePort();
    const app = await startApp(
      'sqlite',
      { HOST: '127.0.0.1', PORT: '0', MQTT_PORT: String(port), ...environment },
      clock,
    );
    server = app;
    await app.app.listen();
    return { app, mqtt: `mqtt://127.0.0.1:${port}` };
  }

  const visitor = async (mqtt: string, username = 'farmbot_demo', password = 'whatever'): Promise<MqttTestClient> => {
    const client = await MqttTestClient.connect(mqtt, { username, password });
    clients.push(client);
    return client;
  };

  it('is sent to the visitor with the secret, and to no other client', async () => {
    const { app, mqtt } = await started();
    const listening = await visitor(mqtt);
    const other = await visitor(mqtt);
    expect(await listening.subscribe(`demos/${secret}`)).toEqual([0]);
    expect(await other.subscribe('demos/another-secret')).toEqual([0]);
    expect(await other.subscribe('demos/#')).toEqual([128]);

    const requested = await app.call('POST', '/api/demo_account', { body: { secret, product_line: 'genesis_1.8' } });
    expect([requested.status, requested.text]).toEqual([200, '{}']);
    await listening.waitUntil((received) => received.length > 0, 'the session');
    const [message] = listening.take();
    expect(message).toMatchObject({ topic: `demos/${secret}`, retain: false, qos: 0 });
    expect(other.received).toEqual([]);

    const session = JSON.parse(message?.text ?? '');
    expect(Object.keys(session)).toEqual(['token', 'user']);
    expect(session.token.unencoded).toMatchObject({ aud: 'GUEST', sub: session.user.id });
    const token: string = session.token.encoded;
    const read = async (path: string) => (await app.call('GET', path, { token })).json;
    // A job creates the garden later.
    await expect.poll(async () => (await read('/api/device')).fbos_version).toBe('100.0.0');
    expect(await read('/api/device')).toMatchObject({ id: session.user.device_id, name: 'FarmBot Genesis' });
    expect(await read('/api/users')).toMatchObject([{ email: session.user.email, name: 'Guest' }]);
    expect(await read('/api/web_app_config')).toMatchObject({ discard_unsaved: true });
    expect((await read('/api/alerts')).map((alert: { problem_tag: string }) => alert.problem_tag).sort()).toEqual([
      'api.bulletin.unread',
      'api.demo_account.in_use',
      'api.documentation.unread',
      'api.tour.not_taken',
    ]);
    expect(await read('/api/logs')).toMatchObject([{ type: 'fun', verbosity: 3 }]);
    expect(await read('/api/global_bulletins/buy-a-farmbot')).toMatchObject({ type: 'info', href: 'https://farm.bot' });

    // The token is valid for the broker, too.
    const { bot } = session.token.unencoded;
    const guest = await visitor(mqtt, bot, token);
    expect(await guest.subscribe(`bot/${bot}/sync/#`)).toEqual([0]);
    await app.call('PATCH', '/api/device', { token, body: { name: 'Mine' } });
    await guest.waitUntil(
      (received) => received.some(({ topic }) => topic.startsWith(`bot/${bot}/sync/Device/`)),
      'the change',
    );
  });

  it('is deleted an hour after its last use', async () => {
    const { app, mqtt } = await started();
    const listening = await visitor(mqtt);
    await listening.subscribe(`demos/${secret}`);
    await app.call('POST', '/api/demo_account', { body: { secret, product_line: 'none' } });
    await listening.waitUntil((received) => received.length > 0, 'the session');
    const session = JSON.parse(listening.take()[0]?.text ?? '');
    clock.time += 61 * 60_000;
    // The server runs jobs, too.
    const remaining = async () => {
      await app.app.runJobs();
      return app.app.server().count(devices, { where: { id: session.user.device_id } });
    };
    await expect.poll(remaining).toBe(0);
    expect((await app.call('GET', '/api/device', { token: session.token.encoded })).status).toBe(401);
  });

  it('is not available where it is disabled', async () => {
    const { app, mqtt } = await started({ DEMO_ACCOUNTS: 'off' });
    const requested = await app.call('POST', '/api/demo_account', { body: { secret, product_line: 'none' } });
    expect(requested.status).toBe(404);
    await expect(visitor(mqtt)).rejects.toThrow();
  });

  it('is not available where sign-up is closed', async () => {
    const { app, mqtt } = await started({ SIGN_UP: 'closed' });
    const requested = await app.call('POST', '/api/demo_account', { body: { secret, product_line: 'none' } });
    expect(requested.status).toBe(404);
    await expect(visitor(mqtt)).rejects.toThrow();
  });

  it('is available where sign-up is closed and domains are limited, if it is enabled explicitly', async () => {
    const { app } = await started({ SIGN_UP: 'closed', DEMO_ACCOUNTS: 'on', TRUSTED_DOMAINS: 'example.com' });
    const requested = await app.call('POST', '/api/demo_account', { body: { secret, product_line: 'none' } });
    expect(requested.status).toBe(200);
  });
});
