import { expect, it } from 'vitest';
import { suiteApp } from '../../test/support/app.ts';
import { describeEngines } from '../../test/support/engines.ts';
import { telemetries } from './telemetries.ts';

describeEngines('telemetries', (engine) => {
  const server = suiteApp(engine);

  it('have the forms that are published', async () => {
    const { token } = await server.signUp();
    const send = (values: object) =>
      server.call('POST', '/api/telemetries', { token, body: { target: 'rpi4', ...values } });
    for (const throttled of ['0', '50005', '0x', '0xg', 'x0', 'none', ' 0x 5', true])
      expect(await send({ throttled }), String(throttled)).toMatchObject({
        status: 422,
        json: { throttled: expect.stringContaining('0x') },
      });
    for (const fbos_version of ['15.4', 'latest', '15.4.6.1', '01.2.3', '15.4.6-', '15.4.6 beta', 15])
      expect(await send({ fbos_version }), String(fbos_version)).toMatchObject({
        status: 422,
        json: { fbos_version: expect.stringContaining('version') },
      });
    for (const values of [
      { throttled: '0x50005', fbos_version: '15.4.6' },
      { throttled: '0xAf', fbos_version: 'v17.1.2-rc3' },
      { throttled: null, fbos_version: '1.0.0-rc.1+build.7' },
      { throttled: '0x0', fbos_version: null },
    ])
      expect(await send(values)).toMatchObject({ status: 200, json: values });
  });

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
    await expect.poll(() => scope.count(telemetries)).toBe(300);
  });
});
