import { expect, it } from 'vitest';
import type { AccountsOffer } from '../../../src/accounts/offer.ts';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { users } from '../../../src/accounts/users.ts';
import type { Gardens } from '../../../src/device/gardens.ts';
import type { DeviceOffer } from '../../../src/device/offer.ts';
import type { FetchResult } from '../../../src/engine/server-fetch.ts';
import { Deliverer } from '../../../src/webhooks/deliverer.ts';
import { insertDeliveries, webhookDeliveries } from '../../../src/webhooks/deliveries.ts';
import { webhooks } from '../../../src/webhooks/webhook-resource.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { jobRun } from '../../support/job-run.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';
import { suiteReceiver } from '../../support/webhook-receiver.ts';

const waiting = { interval: 20 };

describeEngines('rights of webhooks', (engine) => {
  const server = suiteApp(engine, { FETCH_ALLOW: '127.0.0.1', PORT: '0' });
  const receiver = suiteReceiver();
  suiteFixture(() => server.app.listen());

  const signUp = async () => {
    const account = await server.signUp();
    await server.app.server().update(users, { admin: true }, { where: { id: account.userId } });
    return account;
  };

  it('report nothing that their creator may no longer read', async () => {
    const account = await signUp();
    const { token, deviceId } = account;
    const { json } = await server.call('POST', '/api/webhooks', { token, body: { url: receiver.url('/left') } });
    const scope = server.app.server().device(deviceId);
    // The creator has left the garden.
    await scope.update(webhooks, { user_id: 999_999 }, { where: { id: json.id } });
    await server.call('POST', '/api/tools', { token, body: { name: 'Trowel' } });
    const last = await scope.rows(webhooks, { where: { id: json.id } });
    const cursor = async () => (await scope.first(webhooks, { where: { id: json.id } }))?.cursor;
    await expect.poll(cursor, waiting).toBeGreaterThan(last[0]?.cursor ?? 0);
    expect(receiver.at('/left')).toEqual([]);
    expect(await scope.count(webhookDeliveries, { where: { webhook_id: json.id } })).toBe(0);
  });

  it('keep the first KiB of a response, from public addresses only', async () => {
    const account = await signUp();
    const body = { url: 'https://receiver.example/', resources: [] };
    const { json } = await server.call('POST', '/api/webhooks', { token: account.token, body });
    const scope = server.app.server().device(account.deviceId);
    const response: FetchResult = {
      status: 200,
      type: null,
      body: Buffer.from('a\0b'),
      isTruncated: false,
      isPublic: true,
    };
    const bodyOf = async (isPublic: boolean) => {
      const [delivery] = await insertDeliveries(scope, json.id, [{ type: 'test', content: {} }], 'sending');
      const limits: number[] = [];
      const deliverer = new Deliverer({
        clock: scope.clock,
        fetch: async (_url, { maxBytes }) => {
          limits.push(maxBytes);
          return { ...response, isPublic };
        },
        changes: { find: async () => undefined, read: async () => [], lastId: async () => 0 },
        queue: {
          enqueueOnce: async () => undefined,
          enqueueSerial: async () => undefined,
          enqueue: () => expect.fail(),
        },
        readableBy: async () => () => true,
        accounts: { opensFor: async () => 'none' } as Partial<AccountsOffer> as AccountsOffer,
        device: { notify: async () => undefined, alert: async () => undefined } as Partial<DeviceOffer> as DeviceOffer,
        gardens: { recipients: async () => [] } as Partial<Gardens> as Gardens,
      });
      const attempt = deliverer.jobs.find(({ kind }) => kind === 'webhook_attempt');
      await attempt?.handle(server.app.server(), { device_id: account.deviceId, delivery_id: delivery?.id }, jobRun);
      expect(limits).toEqual([1024]);
      return (await scope.first(webhookDeliveries, { where: { id: delivery?.id ?? 0 } }))?.response_body;
    };
    expect(await bodyOf(true)).toBe('a\uFFFDb');
    expect(await bodyOf(false)).toBe(null);
  });

  it('are created and changed by no robot, no personal token and no stale session', async () => {
    const account = await signUp();
    const { token } = account;
    const { json } = await server.call('POST', '/api/webhooks', { token, body: { url: 'https://receiver.example/' } });
    const long = '2020-01-01T00:00:00.000Z';
    await server.app.server().update(tokenIssuances, { signed_in_at: long }, { where: { user_id: account.userId } });
    const attempts: [string, string, object][] = [
      ['POST', '', { url: 'https://receiver.example/2' }],
      ['PATCH', `/${json.id}`, { url: 'https://receiver.example/2' }],
      ['POST', `/${json.id}/secret`, {}],
      ['POST', `/${json.id}/test`, {}],
      ['DELETE', `/${json.id}`, {}],
    ];
    for (const [method, path, body] of attempts) {
      const refused = await server.call(method, `/api/webhooks${path}`, { token, body });
      expect(refused.status, `${method} ${path}`).toBe(403);
      const wrong = await server.call(method, `/api/webhooks${path}`, { token, body: { ...body, password: 'wrong' } });
      expect(wrong.status, `${method} ${path}`).toBe(422);
    }
    const changed = { url: 'https://receiver.example/2', password };
    expect((await server.call('PATCH', `/api/webhooks/${json.id}`, { token, body: changed })).status).toBe(200);
  });
});
