import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { logs } from '../../../src/device/logs.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { freePort } from '../../support/free-port.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';

// The limits of the built-in broker that RATE_LIMITS=off lifts.

const minute = 60_000;

describe('limits on the broker', () => {
  /** In the middle of a minute, because windows are aligned to the clock. */
  const clock = { time: Math.floor(Date.now() / minute) * minute + minute / 2, now: () => clock.time };
  let server: TestApp;
  let url: string;
  let robot: Account;

  beforeAll(async () => {
    const port = await freePort();
    url = `mqtt://127.0.0.1:${port}`;
    server = await startApp(
      'sqlite',
      { HOST: '127.0.0.1', PORT: '0', MQTT_PORT: String(port), RATE_LIMITS: 'on' },
      { now: clock.now },
    );
    await server.app.listen();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    clock.time += 10 * minute;
    robot = await server.signUp();
  });

  const connect = (): Promise<MqttTestClient> =>
    MqttTestClient.connect(url, { username: `device_${robot.deviceId}`, password: robot.token });
  const device = async () => (await server.call('GET', '/api/device', { token: robot.token })).json;

  it('reject the 21st sign-in in five minutes, with one mail, and allow sign-ins in the next window', async () => {
    for (let i = 0; i < 20; i++) await (await connect()).end();
    await expect(connect()).rejects.toThrow(/not authorized/i);
    await expect(connect()).rejects.toThrow(/not authorized/i);
    // Notices are written in the background.
    const notices = async () => (await server.call('GET', '/api/logs', { token: robot.token })).json;
    await expect.poll(notices).toMatchObject([{ type: 'info', channels: ['fatal_email'], major_version: 99 }]);
    clock.time += 5 * minute;
    await (await connect()).end();
    expect(await notices()).toHaveLength(1);
  });

  it('drop logs from the 251st of a minute on until the next one, with a notice for both', async () => {
    const watching = await connect();
    await watching.subscribe([`bot/device_${robot.deviceId}/logs`, `bot/device_${robot.deviceId}/sync/#`]);
    const sending = await connect();
    const send = (message: string) =>
      sending.publish(
        `bot/device_${robot.deviceId}/logs`,
        JSON.stringify({ message, type: 'info', major_version: 15, created_at: Math.floor(clock.time / 1000) }),
        { qos: 1 },
      );
    const notices = () =>
      watching.received.flatMap(({ topic, text }) => {
        const log = topic.endsWith('/logs') ? JSON.parse(text) : null;
        return log?.major_version === 99 ? [{ type: log.type, channels: log.channels }] : [];
      });

    for (let i = 1; i <= 250; i++) await send(`log ${i}`);
    expect((await device()).throttled_until).toBeNull();
    await send('log 251');
    await send('log 252');
    const next = new Date(Math.ceil(clock.time / minute) * minute).toISOString();
    expect(await device()).toMatchObject({ throttled_until: next, throttled_at: new Date(clock.time).toISOString() });
    await watching.waitUntil(() => notices().length > 0, 'the notice');
    expect(notices()).toEqual([{ type: 'warn', channels: ['toast'] }]);

    clock.time += minute;
    await send('log 253');
    expect(await device()).toMatchObject({ throttled_until: null, throttled_at: null });
    await watching.waitUntil(() => notices().length > 1, 'the second notice');
    expect(notices()).toEqual([
      { type: 'warn', channels: ['toast'] },
      { type: 'info', channels: ['toast'] },
    ]);
    const stored = await server.app.server().device(robot.deviceId).rows(logs);
    const messages = stored.filter(({ major_version }) => major_version === 15).map(({ message }) => message);
    expect(messages).toEqual([...Array.from({ length: 250 }, (_, i) => `log ${i + 1}`), 'log 253']);
    await watching.waitUntil(
      (received) => received.filter(({ topic }) => topic.includes('/sync/Device/')).length === 2,
    );
    for (const client of [watching, sending]) await client.end();
  });
});
