import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { announcements, changeCursors, recordTrimmed, trimmed } from '../../../src/db/change-cursors.ts';
import { ChangeLog } from '../../../src/db/change-log.ts';
import { changeRows } from '../../../src/db/change-rows.ts';
import type { DeviceScope } from '../../../src/db/scope.ts';
import { createFromBody, destroy } from '../../../src/engine/records.ts';
import { tools } from '../../../src/garden/tools.ts';
import { createQuotas } from '../../../src/operating/account-usage.ts';
import { setOwnLimit } from '../../../src/quotas/account-quotas.ts';
import { quotaLimits } from '../../../src/settings/settings.ts';
import { ChangeTrimming } from '../../../src/upkeep/change-trimming.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { countPendingOf } from '../../support/pending-changes.ts';

const day = 24 * 3600_000;

describeEngines('the change log', (engine) => {
  const clock = { time: Date.UTC(2026, 3, 1), now: () => clock.time };
  const log = new ChangeLog(['SensorReading', 'Telemetry', 'User', 'WebAppConfig']);
  let server: TestApp;
  let account: Account;

  beforeAll(async () => {
    server = await startApp(engine, {}, clock);
    await server.app.attach(() => undefined);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    account = await server.signUp();
    await untilRead();
  });

  const scope = (): DeviceScope => server.app.server().device(account.deviceId);
  const untilRead = () => expect.poll(() => countPendingOf(server.app.server(), [account.deviceId])).toBe(0);
  const trimming = (options: { historyDays?: number; maxRows?: number; maxResumed?: number } = {}) =>
    new ChangeTrimming({
      server: server.app.server,
      changes: log,
      quotas: createQuotas(quotaLimits(server.settings)),
      historyDays: 30,
      ...options,
    });
  let made = 0;
  const createTools = async (count: number) => {
    for (let n = 0; n < count; n++)
      await server.call('POST', '/api/tools', { token: account.token, body: { name: `Tool ${made++}` } });
    await untilRead();
  };
  const ids = async () => (await scope().rows(changeRows)).map(({ id }) => id);
  const idsOf = async (resource: string) =>
    (await scope().rows(changeRows, { where: { resource } })).map(({ id }) => id);
  const measure = async (count: number) => {
    const body = { pin: 59, value: 500, mode: 1, x: 1, y: 2, z: 3 };
    for (let n = 0; n < count; n++) await server.call('POST', '/api/sensor_readings', { token: account.token, body });
    await untilRead();
  };
  const setPosition = (position: number) =>
    scope().update(changeCursors, { position }, { where: { reader: 'announcements' } });

  it('keeps the newest rows; a reader that is behind gets a reset, and continues', async () => {
    await createTools(250);
    const before = await ids();
    const last = before.at(-1) ?? 0;
    await trimming({ maxRows: 20 }).trim(scope());
    expect(await ids()).toEqual(before.slice(-20));
    const read = (after: number) => log.read(scope(), { after, limit: 100 });
    const floor = before.at(-21) ?? 0;
    expect(await read(floor - 1)).toBe('reset');
    expect(await read(floor)).toHaveLength(20);
    expect(await log.lastId(scope())).toBe(last);
    await trimming({ maxRows: 0 }).trim(scope());
    expect([await ids(), await log.lastId(scope())]).toEqual([[], last]);
    expect(await read(last)).toEqual([]);
    await createTools(1);
    expect(await read(last)).toHaveLength(1);
  });

  it('counts a long log in steps, between which requests are handled', async () => {
    await createTools(1);
    const [row] = await scope().rows(changeRows, { limit: 1 });
    if (!row) throw new Error('the tool is in the log');
    const { id: _, device_id: __, ...values } = row;
    for (let n = 0; n < 12; n++) await scope().insertAll(changeRows, Array(1000).fill({ ...values, byte_size: 201 }));
    const total = await scope().count(changeRows);
    let turns = 0;
    let isCounted = false;
    const nextTurn = () => {
      turns++;
      if (!isCounted) setImmediate(nextTurn);
    };
    setImmediate(nextTurn);
    // The sign-up is not part of the history. Nothing is too old or too much: it only counts.
    await trimming({ maxRows: total - 1 }).trim(scope());
    isCounted = true;
    expect(turns).toBeGreaterThanOrEqual(6);
    expect(await scope().count(changeRows)).toBe(total);
    await setPosition((await ids()).at(-1) ?? 0);
    await trimming({ maxRows: total - 2 }).trim(scope());
    expect(await scope().count(changeRows)).toBe(total - 2);
  });

  it('considers deletions of a reset or another process in the meantime', async () => {
    await createTools(3);
    const [, , last = 0] = await ids();
    await scope().transaction((inner) => inner.emptyHistory());
    await scope().transaction((inner) => recordTrimmed(inner, last - 1));
    expect(await log.read(scope(), { after: last - 1, limit: 100 })).toBe('reset');
  });

  it('keeps changes that were never announced', async () => {
    await createTools(3);
    await scope().delete(changeCursors, { where: { reader: announcements } });
    const before = await ids();
    await trimming({ historyDays: 0 }).trim(scope());
    expect(await ids()).toEqual(before);
  });

  it('counts changes since it was trimmed', async () => {
    const kept = trimming({ maxRows: 3 });
    for (let n = 0; n < 4; n++) {
      await createTools(2);
      await kept.trim(scope());
      expect((await ids()).length).toBeLessThanOrEqual(3);
    }
    expect(await ids()).toHaveLength(3);
  });

  it('keeps changes for HISTORY_DAYS, or until they are read', async () => {
    await createTools(2);
    clock.time += 20 * day;
    await createTools(1);
    const before = await idsOf('Tool');
    await trimming().trimAll(server.app.server());
    expect(await ids()).toEqual(before);
    clock.time += 11 * day;
    await trimming().trimAll(server.app.server());
    expect(await ids()).toEqual(before.slice(-1));
    await trimming({ historyDays: 0 }).trim(scope());
    expect(await ids()).toEqual([]);
  });

  it('keeps changes that a reader has not read for three days', async () => {
    await createTools(4);
    const before = await ids();
    const third = before.at(-2) ?? 0;
    await setPosition(third);
    await trimming({ historyDays: 0 }).trim(scope());
    expect(await ids()).toEqual(before.slice(-1));
    clock.time += 3 * day + 1;
    await trimming({ historyDays: 0 }).trim(scope());
    expect(await ids()).toEqual([]);
  });

  it('counts as a quota, beyond which the oldest changes are deleted', async () => {
    await createTools(10);
    const usage = async () =>
      (await server.call('GET', '/api/usage', { token: account.token })).json.history_bytes as {
        used: number;
        limit: number;
      };
    const { used, limit } = await usage();
    const rows = await scope().rows(changeRows);
    expect([used, limit]).toEqual([rows.reduce((sum, row) => sum + row.byte_size, 0), 200 * 1024 * 1024]);
    for (const { resource, before, after, byte_size } of rows)
      expect([resource, byte_size]).toEqual([
        resource,
        resource === 'User' ? 0 : 200 + Buffer.byteLength(before ?? '') + Buffer.byteLength(after ?? ''),
      ]);
    await setOwnLimit(scope(), 'history_bytes', 2000);
    await trimming().trim(scope());
    const now = await usage();
    expect(now).toEqual({ used: expect.any(Number), limit: 2000 });
    expect(now.used).toBeLessThanOrEqual(2000);
    expect(now.used).toBeGreaterThan(1000);
    // Nothing is refused.
    await createTools(1);
    expect((await usage()).used).toBeGreaterThan(now.used);
  });

  it('is not pushed out by changes that no history shows, of which it keeps the newest of an hour', async () => {
    await createTools(5);
    await measure(30);
    await createTools(5);
    const [kept, readings] = [await idsOf('Tool'), await idsOf('SensorReading')];
    const one = trimming({ maxRows: 10, maxResumed: 20 });
    await one.trim(scope());
    expect([await idsOf('Tool'), await idsOf('SensorReading')]).toEqual([kept, readings.slice(-20)]);
    const history = await server.call('GET', '/api/history', { token: account.token });
    expect(history.json).toHaveLength(10);
    const usage = await server.call('GET', '/api/usage', { token: account.token });
    const used = (await scope().rows(changeRows)).reduce((sum, { byte_size }) => sum + byte_size, 0);
    expect([usage.json.history_bytes.used, used > 0]).toEqual([used, true]);
    await measure(3);
    await one.trim(scope());
    expect(await idsOf('SensorReading')).toHaveLength(20);
    await createTools(1);
    await one.trim(scope());
    expect(await idsOf('Tool')).toEqual([...kept.slice(1), expect.any(Number)]);
    clock.time += 3600_000;
    await measure(1);
    await one.trimAll(server.app.server());
    expect(await idsOf('SensorReading')).toHaveLength(1);
    expect(await idsOf('Tool')).toHaveLength(10);
  });

  it('sends a reset for such changes to readers that take them only', async () => {
    await createTools(1);
    const start = await log.lastId(scope());
    await createTools(1);
    await measure(3);
    const last = await log.lastId(scope());
    await trimming({ maxResumed: 0 }).trim(scope());
    expect([await idsOf('SensorReading'), await log.lastId(scope())]).toEqual([[], last]);
    const read = (more: object) => log.read(scope(), { after: start, limit: 100, ...more });
    expect(await read({})).toBe('reset');
    expect(await read({ resources: ['Tool', 'SensorReading'] })).toBe('reset');
    expect(await read({ resources: ['Tool'] })).toMatchObject([{ resource: 'Tool' }]);
    expect(await read({ takes: (resource: string) => resource === 'Tool' })).toMatchObject([{ resource: 'Tool' }]);
    expect(await read({ takes: (resource: string) => resource === 'Telemetry' })).toBe('reset');
    expect(await read({ after: last })).toEqual([]);
    // A tool that was created and deleted by one request: its deletion may not be left out silently.
    await scope().transaction(async (inner) => {
      const { id } = JSON.parse(await createFromBody(inner, tools, { name: 'Short-lived' }));
      await destroy(inner, tools, id);
    });
    await untilRead();
    expect(await read({ after: last, resources: ['Tool'] })).toMatchObject([{ action: 'deleted' }]);
    await trimming({ maxResumed: 0 }).trim(scope());
    expect(await idsOf('Tool')).toHaveLength(2);
    expect(await read({ after: last, resources: ['Tool'] })).toBe('reset');
    expect(await read({ after: await log.lastId(scope()) })).toEqual([]);
  });

  it('keeps such changes for three days until they are read, up to the maximum of rows', async () => {
    await measure(4);
    const before = await idsOf('SensorReading');
    await setPosition((before[0] ?? 0) - 1);
    await trimming({ maxResumed: 0, maxRows: 4 }).trim(scope());
    expect(await idsOf('SensorReading')).toEqual(before);
    await trimming({ maxResumed: 0, maxRows: 3 }).trim(scope());
    expect(await idsOf('SensorReading')).toEqual(before.slice(1));
    clock.time += 3 * day + 1;
    await trimming().trimAll(server.app.server());
    expect(await idsOf('SensorReading')).toEqual([]);
  });

  it('is emptied by a reset of the garden, whose own changes are logged without states', async () => {
    await createTools(2);
    const before = await log.lastId(scope());
    const reset = { token: account.token, body: { password: 'password123' } };
    expect((await server.call('POST', '/api/device/reset', reset)).status).toBe(200);
    await server.app.runJobs();
    const rows = await scope().rows(changeRows);
    expect(rows.every(({ id }) => id > before)).toBe(true);
    expect(rows.filter(({ resource }) => resource === 'Tool')).toMatchObject([
      { action: 'deleted', before: null, after: null },
      { action: 'deleted', before: null, after: null },
    ]);
    expect(rows.filter((row) => row.before !== null)).toEqual([]);
    expect(await scope().first(changeCursors, { where: { reader: trimmed } })).toMatchObject({ position: before });
  });
});
