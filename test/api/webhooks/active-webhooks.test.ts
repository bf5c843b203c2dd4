import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChangeLog } from '../../../src/db/change-log.ts';
import { changeRows } from '../../../src/db/change-rows.ts';
import type { DeviceScope, ServerScope } from '../../../src/db/scope.ts';
import { ActiveWebhooks } from '../../../src/webhooks/active-webhooks.ts';
import { insertDeliveries } from '../../../src/webhooks/deliveries.ts';
import { webhooks } from '../../../src/webhooks/webhook-resource.ts';
import type { TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { logChange } from '../../support/logged-change.ts';

describeEngines('webhooks of many gardens', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  /** A garden with a webhook that has delivered every change. */
  const garden = async (robot_events: ('connected' | 'disconnected')[] = []): Promise<DeviceScope> => {
    const { deviceId, userId } = await app.signUp();
    const scope = app.app.server().device(deviceId);
    const cursor = Math.max(...(await scope.rows(changeRows)).map(({ id }) => id), 0);
    const url = 'https://example.com/hook';
    await scope.insert(webhooks, {
      url,
      robot_events,
      active: true,
      user_id: userId,
      secret: 'whsec_x',
      cursor,
      attempts: 0,
    });
    return scope;
  };

  /** Returns server scopes which report the devices whose scopes are asked for. */
  const withDevices = (onDevice: (deviceId: number) => void) => (): ServerScope => {
    const server = app.app.server();
    const device = server.device.bind(server);
    return Object.assign(server, {
      device(deviceId: number): DeviceScope {
        onDevice(deviceId);
        return device(deviceId);
      },
    });
  };

  it('are only read when there is something to deliver', async () => {
    const [idle, listening, behind, waiting] = [
      await garden(),
      await garden(['connected']),
      await garden(),
      await garden(),
    ];
    await logChange(behind);
    const webhook = await waiting.first(webhooks);
    await insertDeliveries(waiting, webhook?.id ?? 0, [{ type: 'ping', content: {} }]);
    const seen: number[] = [];
    const enqueued: number[] = [];
    const active = new ActiveWebhooks({
      server: withDevices((deviceId) => void seen.push(deviceId)),
      deliverer: { enqueue: async (scope) => void enqueued.push(scope.deviceId) },
    });
    await active.start();
    await active.stop();
    expect(enqueued.toSorted()).toEqual([behind.deviceId, waiting.deviceId].toSorted());
    expect(seen).not.toContain(idle.deviceId);
    expect(seen).not.toContain(listening.deviceId);
    expect([...active.listeners()]).toEqual([listening.deviceId]);
  });

  it('are delivered after a commit if there are changes or waiting deliveries', async () => {
    const changes = new ChangeLog();
    const [none, emptied, behind, waiting] = [await garden(), await garden(), await garden(), await garden()];
    const gardens = [none, emptied, behind, waiting];
    // The newest change is the emptied log's.
    await logChange(emptied);
    await emptied.transaction((scope) => scope.emptyHistory());
    await logChange(behind);
    const webhook = await waiting.first(webhooks);
    await insertDeliveries(waiting, webhook?.id ?? 0, [{ type: 'ping', content: {} }]);
    const enqueued: number[] = [];
    const active = new ActiveWebhooks({
      server: app.app.server,
      deliverer: { enqueue: async (scope) => void enqueued.push(scope.deviceId) },
    });
    for (const { deviceId } of gardens) active.onWebhooksChanged(deviceId);
    await active.stop();
    const isBehind = async (scope: DeviceScope) =>
      ((await scope.first(webhooks))?.cursor ?? 0) < (await changes.lastId(scope));
    expect(await Promise.all(gardens.map(isBehind))).toEqual([false, true, true, false]);
    expect(enqueued.toSorted()).toEqual([emptied, behind, waiting].map(({ deviceId }) => deviceId).toSorted());
  });

  it('are known if they were created while the list was read', async () => {
    let created: DeviceScope | undefined;
    const enqueued: number[] = [];
    const server = (): ServerScope => {
      const scope = app.app.server();
      const select = scope.select.bind(scope);
      return Object.assign(scope, {
        select: async (...parts: Parameters<typeof select>) => {
          const rows = await select(...parts);
          created ??= await garden();
          active.onWebhooksChanged(created.deviceId);
          return rows;
        },
      });
    };
    const active = new ActiveWebhooks({
      server,
      deliverer: { enqueue: async (scope) => void enqueued.push(scope.deviceId) },
    });
    await active.start();
    const { deviceId = 0 } = created ?? {};
    expect([...active.listeners()]).toContain(deviceId);
    expect(enqueued).not.toContain(deviceId);
    if (created) await logChange(created);
    active.onCommit(deviceId);
    await active.stop();
    expect(enqueued).toContain(deviceId);
  });
});
