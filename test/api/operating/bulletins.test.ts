import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDevice } from '../../../src/device/device-creation.ts';
import type { OperationsBySubject } from '../../../src/operations.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';

const texts = { title: 'Spring sale!', content: 'Everything must **grow**.' };

describeEngines('bulletins', (engine) => {
  let server: TestApp;
  let ada: Account;
  let bert: Account;
  let listener: MqttTestClient;
  let bulletins: OperationsBySubject['bulletins'];

  beforeAll(async () => {
    const port = await freePort();
    server = await startApp(engine, { HOST: '127.0.0.1', PORT: '0', MQTT_PORT: String(port) });
    await server.app.listen();
    bulletins = await server.app.operations.bulletins();
    ada = await server.signUp();
    bert = await server.signUp();
    listener = await MqttTestClient.connect(`mqtt://127.0.0.1:${port}`, {
      username: `device_${ada.deviceId}`,
      password: ada.token,
    });
    await listener.subscribe(`bot/device_${ada.deviceId}/sync/#`);
  });
  afterAll(async () => {
    await listener.end();
    await server.close();
  });

  const alertsOf = async ({ token }: Account, slug: string) => {
    const { json } = await server.call('GET', '/api/alerts', { token });
    return json.filter((alert: { slug: string }) => alert.slug === slug);
  };

  it('are shown to one user, then to all others, and announced', async () => {
    const bulletin = { ...texts, type: 'success', href: 'https://garden.example/sale', href_label: 'See' };
    expect(await bulletins.add(` ${ada.email.toUpperCase()} `, bulletin)).toEqual({
      slug: 'spring-sale',
      existed: false,
      notifiedDevices: 1,
    });
    const [alert] = await alertsOf(ada, 'spring-sale');
    expect(alert).toMatchObject({ problem_tag: 'api.bulletin.unread', priority: 99, slug: 'spring-sale' });
    expect(await alertsOf(bert, 'spring-sale')).toEqual([]);
    const message = await listener.first(`bot/device_${ada.deviceId}/sync/Alert/${alert.id}`);
    listener.take();
    expect(JSON.parse(message.text)).toEqual({ args: { label: 'NONE' }, body: alert });
    expect((await server.call('GET', '/api/global_bulletins/spring-sale')).json).toMatchObject({
      slug: 'spring-sale',
      title: 'Spring sale!',
      content: 'Everything must **grow**.',
      type: 'success',
      href: 'https://garden.example/sale',
      href_label: 'See',
    });

    await server.app.server().transaction(async (scope) => {
      for (let i = 0; i < 210; i++) await createDevice(scope);
    });
    expect(await bulletins.add('all', bulletin)).toEqual({
      slug: 'spring-sale',
      existed: true,
      notifiedDevices: 211,
    });
    expect(await bulletins.add('all', bulletin)).toEqual({
      slug: 'spring-sale',
      existed: true,
      notifiedDevices: 0,
    });
    expect(await alertsOf(ada, 'spring-sale')).toEqual([alert]);
    expect(await alertsOf(bert, 'spring-sale')).toHaveLength(1);
    expect(await bulletins.list()).toEqual([expect.objectContaining({ slug: 'spring-sale', unread: 212 })]);

    await server.call('DELETE', `/api/alerts/${alert.id}`, { token: ada.token });
    await listener.first(`bot/device_${ada.deviceId}/sync/Alert/${alert.id}`);
    listener.take();
    expect(await bulletins.remove('spring-sale')).toBe(211);
    expect(await bulletins.remove('spring-sale')).toBeNull();
    expect(await alertsOf(bert, 'spring-sale')).toEqual([]);
    expect((await server.call('GET', '/api/global_bulletins/spring-sale')).json).toBeNull();
    expect(listener.take()).toEqual([]);
  });

  it('have unique slugs', async () => {
    await bulletins.add(bert.email, texts);
    await expect(bulletins.add('all', { ...texts, content: 'Something else' })).rejects.toThrow('A different bulletin');
    expect(await alertsOf(ada, 'spring-sale')).toEqual([]);
    expect(await bulletins.remove('spring-sale')).toBe(1);
  });

  it.each([
    [bertsOwn, { content: 'x' }, 'title'],
    [bertsOwn, { title: 'x' }, 'content'],
    [bertsOwn, { title: 'x'.repeat(101), content: 'x' }, 'title'],
    [bertsOwn, { title: 'x', content: 'x'.repeat(5001) }, 'content'],
    [bertsOwn, { ...texts, type: 'loud' }, 'type'],
    [bertsOwn, { ...texts, href: 'javascript:alert(1)' }, 'href'],
    [bertsOwn, { ...texts, href: '//elsewhere.example' }, 'href'],
    [bertsOwn, { ...texts, href_label: 'See' }, null],
    [() => 'nobody@example.com', texts, null],
  ])('are validated %#', async (to, bulletin, field) => {
    const failure = await bulletins.add(to(bert), bulletin).then(
      () => 'none',
      (error: { fields: object | null }) => (error.fields ? Object.keys(error.fields)[0] : null),
    );
    expect(failure).toBe(field);
    expect(await bulletins.list()).toEqual([]);
  });
});

const bertsOwn = ({ email }: Account): string => email;
