import { expect, it } from 'vitest';
import type { AnyResource } from '../../../src/engine/resource.ts';
import { resources } from '../../../src/resources.ts';
import { suiteAccount, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { actionsOf, example, hasExample } from '../../support/examples.ts';

// Every resource in the history: each change is reverted, and the revert is reverted.

const inHistory = resources.filter(({ options }) => options.changeLogName !== null && options.isHistory !== false);
/** Photos have files, which another test is about. */
const made = inHistory.filter((each) => hasExample(each) && actionsOf(each).has('create') && each.name !== 'images');
const settings = inHistory.filter((each): each is AnyResource & { path: string } => 'path' in each);

describeEngines('reverts of every resource', (engine) => {
  const server = suiteApp(engine);
  const own = suiteAccount(server);
  const call = (method: string, path: string, body?: unknown) =>
    server.call(method, path, { token: own.token, ...(body === undefined ? {} : { body }) });

  /** Returns the id of the newest change of a record. */
  async function lastChange(name: string, id: number, request?: string): Promise<number> {
    const { json } = await call('GET', `/api/history?resource=${name}&record_id=${id}&limit=1`);
    const [change] = json;
    expect(change).toMatchObject({ resource: name, record_id: id, actor: { kind: 'user', user_id: own.userId } });
    if (request !== undefined) expect(change.request).toBe(request);
    return change.id;
  }

  /** Reverts the newest change of a record. */
  async function revert(name: string, id: number, request?: string): Promise<string> {
    const { status, text, json } = await call('POST', `/api/history/${await lastChange(name, id, request)}/revert`, {});
    expect(status, text).toBe(200);
    return json.request;
  }

  const withoutTime = ({ updated_at: _, ...record }: Record<string, unknown>) => record;

  it.each(made.map((each) => [each.name, each] as const))('%s', async (name, resource) => {
    const announced = resource.options.changeLogName ?? '';
    const path = `/api/${name}`;
    const find = async (id: number) => {
      const list = (await call('GET', path)).json as { id: number }[];
      const found = list.find((each) => each.id === id);
      return found === undefined ? null : withoutTime({ ...found });
    };
    const created = await call('POST', path, await example(server, name, own));
    expect(created.status, created.text).toBe(200);
    const { id } = created.json;
    const first = await find(id);
    expect(first).not.toBe(null);

    let request = await revert(announced, id);
    expect(await find(id), 'the creation was reverted').toBe(null);
    request = await revert(announced, id, request);
    expect(await find(id), 'the revert of the creation was reverted').toEqual(first);

    if (actionsOf(resource).has('update')) {
      const changed = await call('PATCH', `${path}/${id}`, await example(server, name, own));
      expect(changed.status, changed.text).toBe(200);
      const second = await find(id);
      expect(second).not.toEqual(first);
      request = await revert(announced, id);
      expect(await find(id), 'the update was reverted').toEqual(first);
      request = await revert(announced, id, request);
      expect(await find(id), 'the revert of the update was reverted').toEqual(second);
    }

    const last = await find(id);
    const deleted = await call('DELETE', `${path}/${id}`);
    expect(deleted.status, deleted.text).toBe(200);
    request = await revert(announced, id);
    expect(await find(id), 'the deletion was reverted').toEqual(last);
    request = await revert(announced, id, request);
    expect(await find(id), 'the revert of the deletion was reverted').toBe(null);
  });

  it.each(made.map((each) => [each.name, each] as const))('%s with blank texts', async (name, resource) => {
    const announced = resource.options.changeLogName ?? '';
    const path = `/api/${name}`;
    const created = await call('POST', path, await example(server, name, own));
    expect(created.status, created.text).toBe(200);
    const { id } = created.json;
    const find = async () => {
      const list = (await call('GET', path)).json as { id: number }[];
      return withoutTime({ ...list.find((each) => each.id === id) });
    };
    const texts = Object.keys(resource.fields).filter((field) => resource.fields[field]?.kind.column === 'text');
    // Some are refused, which changes nothing.
    if (actionsOf(resource).has('update'))
      for (const field of texts) await call('PATCH', `${path}/${id}`, { [field]: '' });
    const last = await find();
    if (last.description === '') {
      expect((await call('PATCH', `${path}/${id}`, { description: 'Some words' })).status).toBe(200);
      await revert(announced, id);
      expect(await find(), 'the update was reverted').toEqual(last);
    }
    expect((await call('DELETE', `${path}/${id}`)).status).toBe(200);
    await revert(announced, id);
    expect(await find(), 'the deletion was reverted').toEqual(last);
  });

  it('a program with a blank description', async () => {
    const { id } = (await call('POST', '/api/sequences', { name: 'Blank', body: [] })).json;
    expect((await call('PATCH', `/api/sequences/${id}`, { description: '' })).status).toBe(200);
    const show = async () => withoutTime((await call('GET', `/api/sequences/${id}`)).json);
    const last = await show();
    expect(last).toMatchObject({ description: '' });
    expect((await call('DELETE', `/api/sequences/${id}`)).status).toBe(200);
    await revert('Sequence', id);
    expect(await show()).toEqual(last);
  });

  it.each(settings.map((each) => [each.name, each] as const))('%s', async (_name, { path, options }) => {
    const announced = options.changeLogName ?? '';
    const show = async () => withoutTime((await call('GET', path)).json);
    const before = await show();
    const changed = await call('PATCH', path, options.example);
    expect(changed.status, changed.text).toBe(200);
    const after = await show();
    expect(after).not.toEqual(before);
    const { id } = changed.json;
    const request = await revert(announced, id);
    expect(await show()).toEqual(before);
    await revert(announced, id, request);
    expect(await show()).toEqual(after);

    const withoutIdentity = ({ id: _id, created_at: _created, ...values }: Record<string, unknown>) => values;
    expect((await call('DELETE', path)).status).toBe(200);
    let reset = await revert(announced, id);
    expect(await show(), 'the reset was reverted').toEqual(after);
    reset = await revert(announced, id, reset);
    const defaults = await show();
    expect(withoutIdentity(defaults), 'the revert of the reset was reverted').not.toEqual(withoutIdentity(after));
    // The defaults have an id of their own since they were read.
    expect(defaults.id).not.toBe(id);
    const deletion = await lastChange(announced, id, reset);
    expect((await call('POST', `/api/history/${deletion}/revert`)).status).toBe(200);
    expect(withoutIdentity(await show()), 'the reset was reverted after a read').toEqual(withoutIdentity(after));
    expect((await call('POST', `/api/history/${deletion}/revert`)).status).toBe(409);
    const all = await call('POST', '/api/history/revert', { from_id: deletion });
    expect(all.status, all.text).toBe(200);
    expect(withoutIdentity(await show()), 'a span with the reset was reverted').toEqual(withoutIdentity(after));
  });

  it('the device', async () => {
    const show = async () => withoutTime((await call('GET', '/api/device')).json);
    const before = await show();
    const { json } = await call('PATCH', '/api/device', { name: 'Otto', timezone: 'Europe/Berlin' });
    const after = await show();
    const request = await revert('Device', json.id);
    expect(await show()).toEqual(before);
    await revert('Device', json.id, request);
    expect(await show()).toEqual(after);
  });
});
