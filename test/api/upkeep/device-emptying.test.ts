import { expect, it } from 'vitest';
import { Passwords } from '../../../src/accounts/passwords.ts';
import { deleteUser } from '../../../src/accounts/user-deletion.ts';
import { changeCursors, trimmed } from '../../../src/db/change-cursors.ts';
import { changeRows } from '../../../src/db/change-rows.ts';
import type { DeviceScope, ServerScope } from '../../../src/db/scope.ts';
import { destroyDevice } from '../../../src/device/device-creation.ts';
import { devices } from '../../../src/device/devices.ts';
import type { Gardens } from '../../../src/device/gardens.ts';
import { JobQueue } from '../../../src/jobs/queue.ts';
import { addReadings } from '../../../src/series/series-store.ts';
import { series, seriesQuarters, seriesSamples } from '../../../src/series/series-tables.ts';
import { emptyDevice } from '../../../src/upkeep/device-emptying.ts';
import { insertDeliveries, webhookDeliveries } from '../../../src/webhooks/deliveries.ts';
import { webhooks } from '../../../src/webhooks/webhook-resource.ts';
import type { Account } from '../../support/app.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

describeEngines('a device with many rows', (engine) => {
  const server = suiteApp(engine);
  const scopeOf = ({ deviceId }: Account): DeviceScope => server.app.server().device(deviceId);
  const counts = async (scope: DeviceScope): Promise<readonly number[]> => [
    await scope.count(series),
    await scope.count(seriesSamples),
    await scope.count(seriesQuarters),
    await scope.count(changeRows),
    await scope.count(webhookDeliveries),
  ];

  /** Stores more rows of each kind than a step deletes. */
  async function filled(): Promise<Account> {
    const account = await server.signUp();
    const token = account.token;
    for (let n = 0; n < 120; n++) {
      const body = { name: `Tool ${n}` };
      expect((await server.call('POST', '/api/tools', { token, body })).status).toBe(200);
    }
    const readings = Array.from({ length: 450 }, (_, id) => ({
      id,
      pin: id % 2,
      value: id,
      x: null,
      y: null,
      z: null,
      read_at: new Date(Date.UTC(2026, 3, 1) + id * 600_000).toISOString(),
    }));
    const scope = scopeOf(account);
    await scope.transaction((inner) => addReadings(inner, readings));
    const hook = { url: 'https://receiver.example/', user_id: account.userId, secret: 'none', cursor: 0 };
    const { id } = await scope.insert(webhooks, { ...hook, active: false, robot_events: [], attempts: 0 });
    const reports = Array.from({ length: 450 }, () => ({ type: 'test', content: {} }));
    await scope.transaction((inner) => insertDeliveries(inner, id, reports));
    return account;
  }

  it('is emptied without rows of others', async () => {
    const [account, other] = [await filled(), await filled()];
    const scope = scopeOf(account);
    const [last] = await scope.rows(changeRows, { order: [['id', 'desc']], limit: 1 });
    const before = await counts(scopeOf(other));
    expect(before).toEqual([2, 450, 450, expect.any(Number), 450]);
    expect(before[3]).toBeGreaterThan(100);
    await emptyDevice(scope);
    expect(await counts(scope)).toEqual([0, 0, 0, 0, 0]);
    expect(await counts(scopeOf(other))).toEqual(before);
    // Streams that are behind get a reset.
    expect(await scope.first(changeCursors, { where: { reader: trimmed } })).toMatchObject({ position: last?.id });
  });

  it('is empty before the transaction that deletes its account', async () => {
    const account = await filled();
    const found: (readonly number[])[] = [];
    const services = {
      jobs: new JobQueue(),
      passwords: new Passwords(),
      endSessions: async () => undefined,
      gardens: {
        empty: emptyDevice,
        anonymizeAuthor: async () => undefined,
        async destroy(scope: ServerScope, deviceId: number) {
          found.push(await counts(scope.device(deviceId)));
          await destroyDevice(scope, deviceId);
        },
      } as Partial<Gardens> as Gardens,
    };
    const user = { id: account.userId, device_id: account.deviceId };
    expect(await deleteUser(server.app.server(), services, user)).toBe(true);
    expect(found).toEqual([[0, 0, 0, 0, 0]]);
    expect(await scopeOf(account).count(devices)).toBe(0);
  });

  it('can be replaced by a new one', async () => {
    const account = await filled();
    expect((await server.call('DELETE', '/api/device', { token: account.token })).status).toBe(200);
    expect(await counts(scopeOf(account))).toEqual([0, 0, 0, 0, 0]);
    expect(await scopeOf(account).count(devices)).toBe(0);
  });
});
