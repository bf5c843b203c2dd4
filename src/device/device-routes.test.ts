import { beforeEach, expect, it } from 'vitest';
import type { Account, TestApp } from '../../test/support/app.ts';
import { password, suiteApp } from '../../test/support/app.ts';
import { describeEngines } from '../../test/support/engines.ts';
import { showSingleton } from '../engine/singleton.ts';
import { fbosConfig } from './fbos-config.ts';
import { firmwareConfig } from './firmware-config.ts';
import { releases } from './releases.ts';

describeEngines('the device', (engine) => {
  const server = suiteApp(engine);
  let owner: Account;
  beforeEach(async () => {
    owner = await server.signUp();
  });

  const call: TestApp['call'] = (method, path, options) =>
    server.call(method, path, { token: owner.token, ...options });
  const robot = { headers: { 'user-agent': 'FarmbotOS/15.4.6 (rpi3) rpi3 ()' } };

  it('shows the same time in its record and in device/sync', async () => {
    const { json: lists } = await call('GET', '/api/device/sync', robot);
    const { json: device } = await call('GET', '/api/device');
    expect(lists.devices).toEqual([[owner.deviceId, device.updated_at]]);
    expect(device.last_saw_api).toBe(device.updated_at);
    expect(device.fbos_version).toBe('15.4.6');
  });

  it('lists records in the order of the keys', async () => {
    const { json, text } = await call('GET', '/api/device/sync');
    expect(Object.keys(json)).toEqual([
      'devices',
      'farm_events',
      'farmware_envs',
      'farmware_installations',
      'peripherals',
      'pin_bindings',
      'points',
      'regimens',
      'sensors',
      'sequences',
      'tools',
      'fbos_configs',
      'firmware_configs',
      'point_groups',
      'curves',
      'first_party_farmwares',
      'sensor_readings',
    ]);
    expect(text).toContain('[6,"2019-08-14 18:33:08.428306"]');
    const { json: config } = await call('GET', '/api/fbos_config');
    expect(json.fbos_configs).toEqual([[config.id, config.updated_at]]);
  });

  it('recreates a config that was reset, once for concurrent requests', async () => {
    const { json: before } = await call('GET', '/api/firmware_config');
    await call('DELETE', '/api/firmware_config');
    const lists = await Promise.all([1, 2, 3].map(() => call('GET', '/api/device/sync')));
    const { json: after } = await call('GET', '/api/firmware_config');
    expect(after.id).not.toBe(before.id);
    for (const { json } of lists) expect(json.firmware_configs).toEqual([[after.id, after.updated_at]]);
  });

  it('shows a config that is reset while it is recreated', async () => {
    for (let round = 0; round < 10; round++) {
      await call('DELETE', '/api/fbos_config');
      const requests = Array.from({ length: 8 }, (_, i) => call(i % 2 === 0 ? 'GET' : 'DELETE', '/api/fbos_config'));
      for (const { status, text } of await Promise.all(requests)) expect(status, text).toBe(200);
    }
  });

  it('responds 401 when the device was deleted concurrently', async () => {
    const deleted = server.app.server().device(999_999_999);
    await expect(showSingleton(deleted, fbosConfig)).rejects.toMatchObject({ code: 'bad_token' });
    await expect(firmwareConfig.pairs(deleted, '[]')).rejects.toMatchObject({ code: 'bad_token' });
  });

  it('has a unique order number', async () => {
    const number = `order ${owner.deviceId}`;
    expect((await call('PATCH', '/api/device', { body: { fb_order_number: number } })).json.fb_order_number).toBe(
      number,
    );
    expect((await call('PATCH', '/api/device', { body: { fb_order_number: number } })).status).toBe(200);
    const other = await server.signUp();
    const refused = await server.call('PATCH', '/api/device', {
      token: other.token,
      body: { fb_order_number: number },
    });
    expect([refused.status, Object.keys(refused.json)]).toEqual([422, ['error']]);
    expect((await call('PATCH', '/api/device', { body: { fb_order_number: null } })).json.fb_order_number).toBeNull();
  });

  it('accepts requests of robots', async () => {
    const body = {
      id: 5,
      name: 'Robot',
      timezone: null,
      ota_hour: 5,
      needs_reset: false,
      mounted_tool_id: null,
      indoor: true,
      lat: 1.0e3,
      lng: -0.5,
    };
    const { status, json } = await call('PATCH', '/api/device', { body });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      id: owner.deviceId,
      name: 'Robot',
      ota_hour: null,
      indoor: true,
      lat: 1000,
      lng: -0.5,
    });
  });

  it('refuses invalid time zones, hours and tools, each under its key', async () => {
    const keys = async (body: object) => Object.keys((await call('PATCH', '/api/device', { body })).json);
    expect(await keys({ timezone: 'Mars/Base' })).toEqual(['error']);
    expect(await keys({ timezone: 'europe/berlin' })).toEqual(['error']);
    expect(await keys({ timezone: '' })).toEqual(['timezone']);
    expect(await keys({ timezone: 'UTC', ota_hour: 24 })).toEqual(['error']);
    expect(await keys({ mounted_tool_id: 2 ** 53 })).toEqual(['error']);
    expect(await keys({ mounted_tool_id: 1_000_000, name: '' })).toEqual(['name']);
    expect((await call('GET', '/api/device')).json).toMatchObject({ timezone: null, name: 'FarmBot' });
  });

  it('refuses stale configs and logs a notice', async () => {
    const old = { updated_at: '2020-01-01T00:00:00.000Z' };
    const one = await call('PATCH', '/api/fbos_config', { body: { ...old, safe_height: 1 } });
    expect(one.status).toBe(200);
    // The same time, as robots format it.
    const sameInstant = one.json.updated_at.replace('Z', '000Z');
    const two = { safe_height: 2, gantry_height: 3 };
    expect((await call('PATCH', '/api/fbos_config', { body: { updated_at: sameInstant, ...two } })).status).toBe(200);
    const refused = await call('PATCH', '/api/fbos_config', { body: { ...old, safe_height: 4, gantry_height: 5 } });
    expect([refused.status, Object.keys(refused.json)]).toEqual([409, ['stale_record']]);
    expect((await call('GET', '/api/fbos_config')).json).toMatchObject(two);
    const { json: logs } = await call('GET', '/api/logs');
    expect(logs[0]).toMatchObject({ type: 'warn', channels: ['error'], major_version: 99, patch_version: 99 });
    for (const updated_at of [null, 'yesterday or so', 5])
      expect(
        (await call('PATCH', '/api/fbos_config', { body: { updated_at, safe_height: 6, gantry_height: 7 } })).status,
      ).toBe(200);
  });

  it('replaces the old scale of encoders by the new one', async () => {
    const { json } = await call('PATCH', '/api/firmware_config', {
      body: { encoder_scaling_y: 56, encoder_scaling_z: 57 },
    });
    expect(json).toMatchObject({ encoder_scaling_x: 5556, encoder_scaling_y: 5556, encoder_scaling_z: 57 });
  });

  it('can be replaced by a new one, which revokes the tokens of the old one', async () => {
    await call('POST', '/api/tools', { body: { name: 'Hoe' } });
    const { status, json } = await call('POST', '/api/device', { body: { user_id: 1, name: 'Next', timezone: 'UTC' } });
    expect(status).toBe(200);
    expect(json).toMatchObject({ name: 'Next', timezone: 'UTC', ota_hour: 3, ota_hour_utc: 3, tz_offset_hrs: 0 });
    expect(json.id).not.toBe(owner.deviceId);
    expect((await call('GET', '/api/device')).status).toBe(401);
    const { json: session } = await server.call('POST', '/api/tokens', {
      body: { user: { email: owner.email, password } },
    });
    expect(session.user.device_id).toBe(json.id);
    const tools = await server.call('GET', '/api/tools', { token: session.token.encoded });
    expect(tools.json).toEqual([]);
  });

  it('is deleted with all data; the next sign-in creates a new one', async () => {
    await call('PATCH', '/api/device', { body: { name: 'Old' } });
    const deleted = await call('DELETE', '/api/device');
    expect([deleted.status, deleted.text]).toEqual([200, '']);
    expect((await call('GET', '/api/device')).status).toBe(401);
    const { json } = await server.call('POST', '/api/tokens', { body: { user: { email: owner.email, password } } });
    const replacement = await server.call('GET', '/api/device', { token: json.token.encoded });
    expect(replacement.json).toMatchObject({ name: 'FarmBot', ota_hour: null });
    expect((await server.call('GET', '/api/alerts', { token: json.token.encoded })).json).toHaveLength(2);
    expect(await server.app.server().device(owner.deviceId).rows(fbosConfig)).toEqual([]);
  });

  it('is offered the newest release unless it is installed', async () => {
    const scope = server.app.server();
    const release = { platform: 'rpi4', channel: 'beta', image_url: 'https://example.com/a.fw', dot_img_url: null };
    await scope.insert(releases, { ...release, version: `15.4.${owner.deviceId}` });
    const found = await call('GET', '/api/releases?platform=rpi4&channel=beta');
    expect(found.json).toMatchObject({ version: `15.4.${owner.deviceId}`, platform: 'rpi4', channel: 'beta' });
    expect((await call('GET', '/api/releases?platform=rpi4')).status).toBe(404);
    await call('PATCH', '/api/fbos_config', { body: { update_channel: 'beta' } });
    expect((await call('GET', '/api/releases?platform=rpi4')).status).toBe(200);
    const installed = { headers: { 'user-agent': `FarmbotOS/15.4.${owner.deviceId} (rpi4)` } };
    const refused = await call('GET', '/api/releases?platform=rpi4', installed);
    expect([refused.status, Object.keys(refused.json)]).toEqual([422, ['version']]);
  });
});
