import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { countPending } from '../../../src/db/announcement-progress.ts';
import { insertRecord } from '../../../src/engine/records.ts';
import { tools } from '../../../src/garden/tools.ts';
import { openCommandSession } from '../../../src/operations.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { plainTool } from '../../support/plain-tool.ts';

describeEngines('announcements that an earlier run left for the built-in broker', (engine) => {
  it('wait until a client of the device subscribes', async () => {
    const port = await freePort();
    const server = await startApp(engine, { HOST: '127.0.0.1', PORT: '0', MQTT_PORT: String(port) });
    const { app, settings } = server;
    const { token, deviceId } = await server.signUp();
    const earlier = await openCommandSession(settings, pino({ enabled: false }));
    await earlier
      .server()
      .device(deviceId)
      .transaction(async (scope) => {
        for (const name of ['Rake', 'Hoe']) await insertRecord(scope, tools, plainTool(name));
      });
    await earlier.close();

    await app.listen();
    // Later changes come after them.
    const { status } = await server.call('POST', '/api/tools', { token, body: { name: 'Fork' } });
    expect(status).toBe(200);
    await sleep(300);
    expect(await countPending(app.server())).toBe(4);
    const client = await MqttTestClient.connect(`mqtt://127.0.0.1:${port}`, {
      username: `device_${deviceId}`,
      password: token,
    });
    expect(await client.subscribe(`bot/device_${deviceId}/logs`)).toEqual([0]);
    await sleep(100);
    expect(await countPending(app.server())).toBe(4);
    expect(await client.subscribe(`bot/device_${deviceId}/sync/#`)).toEqual([0]);
    await client.waitUntil((received) => received.length === 4);
    const names = client.received.map(({ text }) => JSON.parse(text).body.name);
    // The sign-up was not announced yet, either.
    expect(names).toEqual(['Gardener', 'Rake', 'Hoe', 'Fork']);
    await expect.poll(() => countPending(app.server())).toBe(0);
    await client.end();
    await server.close();
  });
});
