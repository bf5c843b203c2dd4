import { expect, it } from 'vitest';
import { suiteBrokerApp } from '../../support/broker-app.ts';
import { describeEngines } from '../../support/engines.ts';

describeEngines('a 409 for a config', (engine) => {
  const server = suiteBrokerApp(engine);

  it.each([
    ['a robot', { 'user-agent': 'FarmbotOS/15.4.11 (rpi3) rpi3 ()' }, true],
    ['a client without a User-Agent', { 'user-agent': '' }, false],
    ['a person', {}, false],
  ])('%s', async (_who, headers, isRobot) => {
    const { token, deviceId } = await server.signUp();
    const call = (method: string, path: string, sent?: object, own = {}) =>
      server.call(method, path, { token, headers: own, ...(sent && { body: sent }) });
    const copy = (await call('GET', '/api/firmware_config')).json;
    await call('PATCH', '/api/firmware_config', { movement_timeout_x: 99 });
    const stored = (await call('PATCH', '/api/firmware_config', { movement_timeout_y: 98 })).json;
    const client = await server.connect(`device_${deviceId}`, token);
    await client.subscribe([`bot/device_${deviceId}/sync/#`, `bot/device_${deviceId}/logs`]);
    // After the announcements so far.
    await call('POST', '/api/tools', { name: 'Rake' });
    const toolTopic = (topic: string) => topic.includes('/sync/Tool/');
    await client.waitUntil((received) => received.some(({ topic }) => toolTopic(topic)));
    const before = client.received.length;

    const label = 'own-label';
    const refused = await call('PATCH', '/api/firmware_config', copy, { ...headers, 'x-farmbot-rpc-id': label });
    const refusedAt = performance.now();
    expect(refused.status).toBe(409);
    const configs = () =>
      client.received
        .slice(before)
        .filter(({ topic }) => topic === `bot/device_${deviceId}/sync/FirmwareConfig/${stored.id}`);
    if (isRobot) await client.waitUntil(() => configs().length > 0);
    await call('POST', '/api/tools', { name: 'Hoe' });
    await client.waitUntil((received) => received.slice(before).some(({ topic }) => toolTopic(topic)));
    const received = client.received.slice(before);
    expect(received.filter(({ topic }) => topic.endsWith('/logs')).map(({ text }) => JSON.parse(text).message)).toEqual(
      [`A change was discarded because it was based on an outdated copy (record ${stored.id}).`],
    );
    const announced = received.filter(({ topic }) => topic.includes('/sync/') && !toolTopic(topic));
    expect(announced.length).toBe(isRobot ? 1 : 0);
    expect(configs().map(({ text }) => JSON.parse(text))).toEqual(
      announced.map(() => ({ args: { label: expect.not.stringMatching(label) }, body: stored })),
    );
    // The robot reads the response first. [decision 50]
    for (const { at } of configs()) expect(at - refusedAt).toBeGreaterThan(50);
  });
});
