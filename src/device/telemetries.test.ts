import { expect, it } from 'vitest';
import { suiteApp } from '../../test/support/app.ts';
import { describeEngines } from '../../test/support/engines.ts';
import { telemetries } from './telemetries.ts';

describeEngines('telemetries', (engine) => {
  const server = suiteApp(engine);

  it('keep and list the newest 300', async () => {
    const { token, deviceId } = await server.signUp();
    const scope = server.app.server().device(deviceId);
    const old = { target: 'rpi', created_at: '2020-01-01T00:00:00.000Z' } as const;
    await scope.insertAll(
      telemetries,
      Array.from({ length: 305 }, (_, uptime) => ({ ...old, uptime })),
    );
    const body = { target: 'rpi4', uptime: 1000 };
    expect((await server.call('POST', '/api/telemetries', { token, body })).status).toBe(200);
    const { json } = await server.call('GET', '/api/telemetries', { token });
    expect(json).toHaveLength(300);
    expect(json[0].uptime).toBe(1000);
    expect(json[299].uptime).toBe(6);
    await expect.poll(() => scope.count(telemetries), { timeout: 30_000 }).toBe(300);
  });
});
