import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeRows } from '../../src/db/change-rows.ts';
import type { DeviceScope } from '../../src/db/scope.ts';
import { ActiveWebhooks } from '../../src/webhooks/active-webhooks.ts';
import { insertDeliveries } from '../../src/webhooks/deliveries.ts';
import { webhooks } from '../../src/webhooks/webhook-resource.ts';
import type { TestApp } from '../support/app.ts';
import { startApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { logChange } from '../support/logged-change.ts';

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
      ...{ url, robot_events, active: true, user_id: userId, secret: 'whsec_x', cursor, attempts: 0 },
    });
    return scope;
  };

  it('are only looked at when there is something to deliver', async () => {
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
      server: app.app.server,
      deliverer: { enqueue: async (scope) => void enqueued.push(scope.deviceId) },
      lastChange: async (scope) => {
        seen.push(scope.deviceId);
        return Math.max(...(await scope.rows(changeRows)).map(({ id }) => id), 0);
      },
    });
    await active.start();
    await active.stop();
    expect(enqueued.toSorted()).toEqual([behind.deviceId, waiting.deviceId].toSorted());
    expect(seen).not.toContain(idle.deviceId);
    expect(seen).not.toContain(listening.deviceId);
    expect([...active.listeners()]).toEqual([listening.deviceId]);
  });
});
