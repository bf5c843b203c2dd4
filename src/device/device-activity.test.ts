import { beforeEach, expect, it } from 'vitest';
import type { Account } from '../../test/support/app.ts';
import { suiteApp } from '../../test/support/app.ts';
import { describeEngines } from '../../test/support/engines.ts';
import { DeviceActivity } from './device-activity.ts';
import { devices } from './devices.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const start = Date.UTC(2030, 0, 1, 12);

describeEngines('device activity', (engine) => {
  const server = suiteApp(engine);
  let owner: Account;
  let activity: DeviceActivity;
  const clock = { time: start, now: () => clock.time };
  beforeEach(async () => {
    owner = await server.signUp();
    clock.time = start;
    activity = new DeviceActivity(clock, silent);
    activity.start(() => server.app.server());
  });

  const stored = async () => {
    const row = await server.app.server().first(devices, { where: { id: owner.deviceId } });
    if (!row) throw new Error('no device');
    // On PostgreSQL, each write counts.
    return { ...row, commits: null };
  };
  const recordRequest = (robotVersion: string | null) =>
    activity.recordRequest(server.app.server(), { robotVersion }, owner.deviceId);

  it('is overlaid on rows, and written on stop', async () => {
    const before = await stored();
    await recordRequest('15.4.6');
    expect(await stored()).toMatchObject({ fbos_version: '15.4.6', last_saw_api: null });
    expect(activity.overlay(await stored())).toMatchObject({
      last_saw_api: '2030-01-01T12:00:00.000Z',
      updated_at: '2030-01-01T12:00:00.000Z',
    });
    expect(activity.effectiveUpdatedAt(owner.deviceId, before.updated_at)).toBe('2030-01-01T12:00:00.000Z');
    await activity.stop();
    expect(await stored()).toMatchObject({
      fbos_version: '15.4.6',
      last_saw_api: '2030-01-01T12:00:00.000Z',
      updated_at: '2030-01-01T12:00:00.000Z',
      first_saw_api: null,
    });
    expect(activity.overlay(before)).toBe(before);
  });

  it('stores versions of releases only', async () => {
    for (const version of [null, '0.0.0', '999.999.999']) await recordRequest(version);
    await activity.stop();
    expect(await stored()).toMatchObject({ fbos_version: null, last_saw_api: null });
    await recordRequest('17.1.2-rc3');
    expect((await stored()).fbos_version).toBe('17.1.2-rc3');
  });

  it('never decreases updated_at', async () => {
    clock.time = Date.UTC(2020, 0, 1);
    await recordRequest('15.4.6');
    const { updated_at } = await stored();
    expect(activity.overlay(await stored()).updated_at).toBe(updated_at);
    await activity.stop();
    expect(await stored()).toMatchObject({ updated_at, last_saw_api: '2020-01-01T00:00:00.000Z' });
  });

  it('records the first sync once, and every sync as a request', async () => {
    activity.recordSync(owner.deviceId);
    clock.time += 1000;
    await recordRequest('15.4.6');
    await activity.stop();
    const first = '2030-01-01T12:00:00.000Z';
    expect(await stored()).toMatchObject({ first_saw_api: first, last_saw_api: '2030-01-01T12:00:01.000Z' });
    clock.time += 1000;
    activity.recordSync(owner.deviceId);
    await activity.stop();
    expect(await stored()).toMatchObject({ first_saw_api: first, last_saw_api: '2030-01-01T12:00:02.000Z' });
  });

  it('updates ota_hour_utc for daylight saving time', async () => {
    await server.call('PATCH', '/api/device', { token: owner.token, body: { timezone: 'Europe/Berlin', ota_hour: 5 } });
    activity.recordSync(owner.deviceId);
    await activity.stop();
    expect((await stored()).ota_hour_utc).toBe(4);
    clock.time = Date.UTC(2030, 6, 1);
    activity.recordSync(owner.deviceId);
    await activity.stop();
    expect((await stored()).ota_hour_utc).toBe(3);
  });

  it('drops changes of deleted devices', async () => {
    activity.recordSync(owner.deviceId);
    await server.app.server().delete(devices, { where: { id: owner.deviceId } });
    await activity.stop();
    expect(activity.effectiveUpdatedAt(owner.deviceId, start.toString())).toBe(start.toString());
  });

  it('includes connections to the broker, recorded once an hour in their own column', async () => {
    const before = await stored();
    expect(activity.lastSeen(before)).toBeNull();
    activity.recordConnection(owner.deviceId);
    expect(activity.lastSeen(before)).toBe('2030-01-01T12:00:00.000Z');
    clock.time += 3_599_999;
    activity.recordConnection(owner.deviceId);
    await activity.stop();
    const first = { ...before, last_saw_broker: '2030-01-01T12:00:00.000Z' };
    expect(await stored()).toEqual(first);
    activity.recordConnection(owner.deviceId);
    await activity.stop();
    expect(await stored()).toEqual(first);
    clock.time += 1;
    activity.recordConnection(owner.deviceId);
    await activity.stop();
    expect(await stored()).toEqual({ ...before, last_saw_broker: '2030-01-01T13:00:00.000Z' });
    const shown = await server.call('GET', '/api/device', { token: owner.token });
    expect(shown.json).toMatchObject({ last_saw_api: null });
    expect(shown.text).not.toContain('broker');
  });

  it('lastSeen returns the latest of the API and the broker, written or not', async () => {
    activity.recordConnection(owner.deviceId);
    clock.time += 1000;
    await recordRequest('15.4.6');
    expect(activity.lastSeen(await stored())).toBe('2030-01-01T12:00:01.000Z');
    await activity.stop();
    expect(activity.lastSeen(await stored())).toBe('2030-01-01T12:00:01.000Z');
    const row = { id: owner.deviceId, last_saw_api: null, last_saw_broker: '2031-01-01T00:00:00.000Z' };
    expect(activity.lastSeen(row)).toBe('2031-01-01T00:00:00.000Z');
  });
});
