import { describe, expect, it, vi } from 'vitest';
import { tokenIssuances } from '../../src/accounts/token-issuances.ts';
import { users } from '../../src/accounts/users.ts';
import type { Change } from '../../src/core/changes.ts';
import { changeRows, toChange } from '../../src/db/change-rows.ts';
import { unknownState } from '../../src/db/change-writer.ts';
import type { DeviceScope } from '../../src/db/scope.ts';
import { find, insertRecord, updateRecord } from '../../src/engine/records.ts';
import { pointGroups } from '../../src/garden/point-groups.ts';
import { tools } from '../../src/garden/tools.ts';
import { resources } from '../../src/resources.ts';
import { suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { actionsOf, example, hasExample } from '../support/examples.ts';
import { plainTool } from '../support/plain-tool.ts';

// The content of the change log. event-delivery.test.ts tests its delivery.

const announced = resources.filter(
  (resource) => hasExample(resource) && resource.options.changeLogName && resource.name !== 'images',
);
const history = announced
  .filter(({ options }) => options.isHistory !== false)
  .map((each) => [each.name, each] as const);
const deliveredOnly = announced.filter(({ options }) => options.isHistory === false).map(({ name }) => name);

describeEngines('the change log', (engine) => {
  const server = suiteApp(engine);

  /** Signs up, and returns functions that send requests and read the changes since the last call. */
  const newClient = async () => {
    const account = await server.signUp();
    let last = 0;
    const scope = () => server.app.server().device(account.deviceId);
    const take = async (): Promise<Change[]> => {
      const rows = await scope().rows(changeRows, { where: { id: { gt: last } } });
      last = rows.at(-1)?.id ?? last;
      return rows.map(toChange);
    };
    const send = async (method: string, path: string, body?: unknown) => {
      const response = await server.call(method, path, {
        token: account.token,
        headers: { 'x-farmbot-rpc-id': 'L' },
        ...(body !== undefined && { body }),
      });
      if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
      return { ...response, changes: await take() };
    };
    await take();
    return { account, send, take, scope };
  };

  it.each(history)('%s: the record before and after each change, as over HTTP', async (name, resource) => {
    const { account, send } = await newClient();
    const own = { resource: resource.options.changeLogName, origin: 'client', label: 'L', deviceId: account.deviceId };
    const actor = { kind: 'user', user_id: account.userId, via: null };
    const created = await send('POST', `/api/${name}`, await example(server, name, account));
    const path = `/api/${name}/${created.json.id}`;
    const common = { ...own, recordId: created.json.id, actor };
    const creation = created.changes.at(-1);
    expect(creation).toMatchObject({ ...common, action: 'created', before: null, after: created.text });
    let before = created.text;
    if (actionsOf(resource).has('update')) {
      const changed = await send('PATCH', path, await example(server, name, account));
      const change = changed.changes.at(-1);
      expect(change).toMatchObject({ ...common, action: 'updated', before, after: changed.text });
      expect(change?.request).not.toBe(creation?.request);
      before = changed.text;
    }
    const deleted = await send('DELETE', path);
    expect(deleted.changes.at(-1)).toMatchObject({ ...common, action: 'deleted', before, after: null });
  });

  it.each(deliveredOnly)('%s: no state before, because they are not part of the history', async (name) => {
    const { account, send } = await newClient();
    const created = await send('POST', `/api/${name}`, await example(server, name, account));
    expect(created.changes).toMatchObject([{ action: 'created', before: null, after: created.text }]);
    const deleted = await send('DELETE', `/api/${name}/${created.json.id}`);
    expect(deleted.changes).toMatchObject([{ action: 'deleted', before: null, after: null }]);
  });

  it('configs and the device: their states', async () => {
    const { send } = await newClient();
    for (const [path, body] of [
      ['/api/fbos_config', { safe_height: 7 }],
      ['/api/firmware_config', { param_e_stop_on_mov_err: 1 }],
      ['/api/device', { name: 'Käfer' }],
    ] as const) {
      const before = await send('GET', path);
      const after = await send('PATCH', path, body);
      expect(after.changes).toMatchObject([{ action: 'updated', before: before.text, after: after.text }]);
    }
  });

  it('users: never their state before, nor any secret of the account', async () => {
    const { account, send, scope } = await newClient();
    const changed = await send('PATCH', '/api/users', { language: 'Deutsch' });
    expect(changed.changes).toMatchObject([{ resource: 'User', action: 'updated', before: null }]);
    const password = {
      password: 'password123',
      new_password: 'other-pass-word',
      new_password_confirmation: 'other-pass-word',
    };
    expect((await server.call('PATCH', '/api/users', { token: account.token, body: password })).status).toBe(200);
    const log = JSON.stringify(await scope().rows(changeRows));
    expect(log).toContain('Deutsch');
    const [user] = await scope().rows(users);
    const sessions = await scope().rows(tokenIssuances);
    const secrets = [
      ...['password123', 'other-pass-word', account.token],
      ...[user?.password_hash, user?.confirmation_token],
      ...sessions.map(({ jti }) => jti),
    ];
    for (const secret of secrets) expect(log).not.toContain(secret ?? 'missing');
  });

  it('groups that points leave: with and without them, under the request of the deletion', async () => {
    const { account, send } = await newClient();
    const point = async () => (await send('POST', '/api/points', await example(server, 'points', account))).json.id;
    const [a, b] = [await point(), await point()];
    const group = await send('POST', '/api/point_groups', { name: 'Bed', point_ids: [a, b] });
    const { changes } = await send('DELETE', `/api/points/${a}`);
    expect(changes.map(({ resource, action }) => `${resource} ${action}`).sort()).toEqual([
      'Point deleted',
      'PointGroup updated',
    ]);
    expect(new Set(changes.map(({ request }) => request)).size).toBe(1);
    const left = changes.find(({ resource }) => resource === 'PointGroup');
    expect(left?.before).toBe(group.text);
    expect(JSON.parse(left?.after ?? '')).toMatchObject({ point_ids: [b] });
  });

  describe('a transaction', () => {
    const named = (change: Change) => [change.before, change.after].map((text) => text && JSON.parse(text).name);
    it('logs a record once, with its state before the transaction', async () => {
      const { scope, take } = await newClient();
      const rename = async (inner: DeviceScope, id: number, name: string) =>
        updateRecord(inner, tools, await find(inner, tools, id), { name });
      const { id } = await scope().transaction((inner) => insertRecord(inner, tools, plainTool('a')));
      expect((await take()).map(named)).toEqual([[null, 'a']]);
      await scope().transaction(async (inner) => {
        await inner.transaction((nested) => rename(nested, id, 'b'));
        await rename(inner, id, 'c');
      });
      await scope().transaction(async (inner) => {
        await inner
          .transaction(async (nested) => {
            await rename(nested, id, 'x');
            throw new Error('back');
          })
          .catch(() => undefined);
        await inner.update(tools, { name: 'd' }, { where: { name: 'c' } });
        inner.events.changed('Tool', id);
      });
      const changes = await take();
      expect(changes.map(named)).toEqual([
        ['a', 'c'],
        ['c', 'd'],
      ]);
      expect(changes.map(({ actor, label }) => [actor.kind, label])).toEqual([
        ['server', 'NONE'],
        ['server', 'NONE'],
      ]);
    });

    it('reports a state before that was not kept, and commits the change, which cannot be reverted', async () => {
      const { send, scope, take } = await newClient();
      const { json } = await send('POST', '/api/point_groups', { name: 'Bed', point_ids: [] });
      const reports = vi.spyOn(scope().log, 'error');
      const { request } = await scope().transaction(async (inner) => {
        inner.events.changed('PointGroup', json.id);
        return inner;
      });
      expect(reports.mock.calls).toEqual([[{ resource: 'PointGroup', record: json.id, request }, unknownState]]);
      reports.mockRestore();
      const [change] = await take();
      expect(change).toMatchObject({ action: 'updated', before: null, after: expect.any(String) });
      const revert = send('POST', `/api/history/${change?.id}/revert`, {});
      await expect(revert).rejects.toThrow('cannot be put back: What it was before this change is not known.');
      await send('GET', `/api/point_groups/${json.id}`);
      await scope().transaction(async (inner) => {
        await inner.keepStates(pointGroups, { where: { id: json.id } });
        inner.events.changed('PointGroup', json.id);
      });
      expect(await take()).toMatchObject([{ recordId: json.id, action: 'updated' }]);
    });

    it('gives one request to its changes in several gardens, and another to the next', async () => {
      const [one, two] = [await newClient(), await newClient()];
      const change = () =>
        server.app.server().transaction(async (inner) => {
          for (const { account } of [one, two])
            await insertRecord(inner.device(account.deviceId), tools, plainTool(`t${Math.random()}`));
        });
      await change();
      await change();
      const [first, second] = (await one.take()).map(({ request }) => request);
      expect((await two.take()).map(({ request }) => request)).toEqual([first, second]);
      expect(first).not.toBe(second);
    });
  });
});
