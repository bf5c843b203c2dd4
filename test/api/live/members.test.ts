import { describe, expect, it } from 'vitest';
import { suiteBrokerApp } from '../../support/broker-app.ts';
import { caller, join } from '../../support/members.ts';

describe('a viewer at the message broker', () => {
  const server = suiteBrokerApp('sqlite');

  it('receives the changes of the garden, publishes nothing, and is disconnected when removed', async () => {
    const [owner, bob] = [await server.signUp(), await server.signUp()];
    const call = caller(server);
    const { token } = await join(server, owner, bob, 'viewer');
    const name = `device_${owner.deviceId}`;
    const viewer = await server.connect(name, token);
    const robot = await server.connect(name, owner.token);
    await viewer.subscribe(`bot/${name}/#`, 1);
    await robot.subscribe(`bot/${name}/from_clients`, 1);

    const created = await call(owner, 'POST', '/api/tools', { name: 'Hoe' });
    expect((await viewer.first(`bot/${name}/sync/Tool/${created.json.id}`)).text).toContain('Hoe');
    await viewer.client.publishAsync(`bot/${name}/from_clients`, 'of the viewer', { qos: 1 });
    await robot.client.publishAsync(`bot/${name}/from_clients`, 'of the owner', { qos: 1 });
    expect((await robot.first(`bot/${name}/from_clients`)).text).toBe('of the owner');
    expect(viewer.client.connected).toBe(true);

    expect((await call(owner, 'DELETE', `/api/members/${bob.userId}`)).status).toBe(200);
    await expect.poll(() => viewer.client.connected).toBe(false);
    expect(robot.client.connected).toBe(true);
  });
});
