import { expect, it } from 'vitest';
import { changeRows } from '../../../src/db/change-rows.ts';
import { tags } from '../../../src/engine/tags.ts';
import { changePages, parseSearch } from '../../../src/history/history-reading.ts';
import { images } from '../../../src/photos/images.ts';
import { callsOf } from '../../support/account-calls.ts';
import type { Account } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeAnyEngine, describeEngines } from '../../support/engines.ts';

describeEngines('the history', (engine) => {
  const server = suiteApp(engine);

  /** Requests of one account. */
  async function person() {
    const account: Account = await server.signUp();
    const { call, ok } = callsOf(server, account);
    return {
      account,
      call,
      ok,
      history: (query = '') => ok('GET', `/api/history${query}`),
      plant: (values: object = {}) =>
        ok('POST', '/api/points', { pointer_type: 'Plant', name: 'Leek', x: 1, y: 2, z: 0, ...values }),
    };
  }

  it('lists changes newest first, by page, resource, record, person and time', async () => {
    const { account, ok, call, history, plant } = await person();
    const points = [await plant(), await plant(), await plant()];
    const tool = await ok('POST', '/api/tools', { name: 'Trowel' });
    await ok('PATCH', `/api/tools/${tool.id}`, { name: 'Rake' });
    const all = await history();
    const shown = all.map((each: { resource: string; record_id: number; action: string }) => [
      each.resource,
      each.record_id,
      each.action,
    ]);
    expect(shown.slice(0, 5)).toEqual([
      ['Tool', tool.id, 'updated'],
      ['Tool', tool.id, 'created'],
      ...points.reverse().map(({ id }) => ['Point', id, 'created']),
    ]);
    expect(all[0]).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/Z$/),
      request: expect.any(String),
      actor: { kind: 'user', user_id: account.userId, name: 'Gardener', via: null },
      resource: 'Tool',
      record_id: tool.id,
      action: 'updated',
      name: 'Rake',
      label: expect.any(String),
    });
    const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);
    expect(ids(await history('?limit=2'))).toEqual(ids(all).slice(0, 2));
    expect(ids(await history('?limit=200'))).toEqual(ids(all));
    expect(ids(await history(`?limit=2&before_id=${all[1].id}`))).toEqual(ids(all).slice(2, 4));
    expect(ids(await history('?resource=Tool'))).toEqual(ids(all).slice(0, 2));
    expect(ids(await history(`?resource=Point&record_id=${points[2].id}`))).toEqual([all[4].id]);
    expect(ids(await history(`?actor=${account.userId}`)).length).toBeGreaterThan(4);
    expect(await history('?actor=robot')).toEqual([]);
    expect(await history(`?actor=${account.userId + 1000}`)).toEqual([]);
    expect(ids(await history(`?from=${all[2].at}&to=${all[2].at}`))).toContain(all[2].id);
    expect(await history('?from=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await ok('GET', `/api/history/${all[0].id}`)).toEqual({
      ...all[0],
      before: { ...tool, updated_at: tool.updated_at },
      after: expect.objectContaining({ id: tool.id, name: 'Rake' }),
      difference: [{ field: 'name', before: 'Trowel', after: 'Rake' }],
    });
    const bad = await call(
      'GET',
      '/api/history?resource=Nothing&record_id=0&actor=me&from=x&to=y&before_id=a&limit=201',
    );
    expect([bad.status, Object.keys(bad.json).sort()]).toEqual([
      422,
      ['actor', 'before_id', 'from', 'limit', 'record_id', 'resource', 'to'],
    ]);
    for (const query of ['limit=5.5', 'limit=1&limit=2', 'limit=1e2', 'limit=99999999999'])
      expect([query, (await call('GET', `/api/history?${query}`)).json]).toEqual([
        query,
        { limit: expect.any(String) },
      ]);
  });

  it('gives changes of the schedule the name of the event’s program at that time', async () => {
    const { ok, history } = await person();
    const water = await ok('POST', '/api/sequences', { name: 'Water', color: 'gray', body: [] });
    const spring = await ok('POST', '/api/regimens', { name: 'Spring', color: 'gray', regimen_items: [] });
    const { id } = await ok('POST', '/api/farm_events', {
      executable_type: 'Sequence',
      executable_id: water.id,
      start_time: '2040-01-02T08:00:00.000Z',
      repeat: 1,
      time_unit: 'never',
    });
    await ok('PATCH', `/api/farm_events/${id}`, { executable_type: 'Regimen', executable_id: spring.id });
    await ok('DELETE', `/api/farm_events/${id}`);
    const listed = await history('?resource=FarmEvent');
    expect(listed.map(({ action, name }: { action: string; name: string }) => [action, name])).toEqual([
      ['deleted', 'Spring'],
      ['updated', 'Spring'],
      ['created', 'Water'],
    ]);
    expect(await ok('GET', `/api/history/${listed[2].id}`)).toMatchObject({ name: 'Water' });
    // The name is no secret: readers of the schedule may read programs.
    expect(tags.Schedule).toEqual({ ...tags.Programs, description: tags.Schedule.description });
    await ok('DELETE', `/api/sequences/${water.id}`);
    expect(await ok('GET', `/api/history/${listed[2].id}`)).toMatchObject({ name: null });
  });

  it('belongs to its garden', async () => {
    const [one, other] = [await person(), await person()];
    await one.plant();
    const [{ id, request }] = await one.history('?limit=1');
    expect((await other.history()).map((each: { id: number }) => each.id)).not.toContain(id);
    expect((await other.call('GET', `/api/history/${id}`)).status).toBe(404);
    expect((await other.call('POST', `/api/history/${id}/revert`, {})).status).toBe(404);
    expect((await other.call('POST', '/api/history/revert', { request })).status).toBe(422);
    expect((await one.call('POST', '/api/history/999999999/revert', {})).status).toBe(404);
  });

  it('reverts an update, over a later one only if forced, and then only its own fields', async () => {
    const { ok, call, history, plant } = await person();
    const { id } = await plant();
    await ok('PATCH', `/api/points/${id}`, { name: 'Tomato' });
    const [renamed] = await history('?limit=1');
    await ok('PATCH', `/api/points/${id}`, { x: 500 });
    const late = await call('POST', `/api/history/${renamed.id}/revert`, {});
    expect(late).toMatchObject({
      status: 409,
      json: { error: expect.stringMatching(/^Point \d+ \(Tomato\) changed/) },
    });
    expect(await ok('GET', `/api/points/${id}`)).toMatchObject({ name: 'Tomato', x: 500 });
    await ok('POST', `/api/history/${renamed.id}/revert`, { force: true });
    expect(await ok('GET', `/api/points/${id}`)).toMatchObject({ name: 'Leek', x: 500 });
    expect((await call('POST', `/api/history/${renamed.id}/revert`, { force: 'yes' })).json).toHaveProperty('force');
  });

  it('refuses with a reason, and changes nothing', async () => {
    const { ok, call, history } = await person();
    const { id } = await ok('POST', '/api/peripherals', { pin: 3, label: 'Pump', mode: 0 });
    const tool = await ok('POST', '/api/tools', { name: 'Trowel' });
    const [made] = await history('?resource=Tool&limit=1');
    await ok('DELETE', `/api/tools/${tool.id}`);
    const [deleted] = await history('?resource=Tool&limit=1');
    await ok('POST', '/api/tools', { name: 'Trowel' });
    const taken = await call('POST', `/api/history/${deleted.id}/revert`, {});
    expect(taken).toMatchObject({
      status: 422,
      json: { error: expect.stringMatching(/^Tool \d+ \(Trowel\) cannot be put back: .*name/) },
    });
    expect((await call('GET', `/api/tools/${tool.id}`)).status).toBe(404);
    expect((await call('POST', `/api/history/${made.id}/revert`, {})).status).toBe(409);

    // A used record would vanish.
    const step = {
      kind: 'write_pin',
      args: {
        pin_number: { kind: 'named_pin', args: { pin_type: 'Peripheral', pin_id: id } },
        pin_value: 1,
        pin_mode: 0,
      },
    };
    await ok('POST', '/api/sequences', {
      name: 'Water',
      color: 'blue',
      icon: '',
      args: { locals: { kind: 'scope_declaration', args: {} } },
      body: [step],
    });
    const [created] = await history(`?resource=Peripheral&record_id=${id}`);
    const used = await call('POST', `/api/history/${created.id}/revert`, {});
    expect(used).toMatchObject({
      status: 422,
      json: { error: expect.stringMatching(/Peripheral \d+.*cannot be put back.*Water/) },
    });
    expect((await ok('GET', '/api/peripherals')).length).toBe(1);
  });

  it('brings a deleted record back with its references, where they are free', async () => {
    const { ok, history, plant } = await person();
    const members = [await plant(), await plant(), await plant()].map(({ id }) => id);
    const [, second] = members;
    const group = await ok('POST', '/api/point_groups', { name: 'All', point_ids: members });
    await ok('DELETE', `/api/points/${second}`);
    const groupNow = async () => (await ok('GET', `/api/point_groups/${group.id}`)).point_ids;
    expect(await groupNow()).toEqual([members[0], members[2]]);
    const [deleted] = await history(`?resource=Point&record_id=${second}&limit=1`);
    await ok('POST', `/api/history/${deleted.id}/revert`, {});
    expect(await ok('GET', `/api/points/${second}`)).toMatchObject({ id: second, name: 'Leek' });
    expect(await groupNow()).toEqual(members);

    // The robot's mounted tool; then another one is mounted before the deletion is reverted.
    const [rake, hoe] = [
      await ok('POST', '/api/tools', { name: 'Rake' }),
      await ok('POST', '/api/tools', { name: 'Hoe' }),
    ];
    const mount = (id: number) => ok('PATCH', '/api/device', { mounted_tool_id: id });
    const mounted = async () => (await ok('GET', '/api/device')).mounted_tool_id;
    for (const [replacement, expected] of [
      [null, rake.id],
      [hoe.id, hoe.id],
    ]) {
      await mount(rake.id);
      await ok('DELETE', `/api/tools/${rake.id}`);
      expect(await mounted()).toBeNull();
      if (replacement !== null) await mount(replacement);
      const [removed] = await history(`?resource=Tool&record_id=${rake.id}&limit=1`);
      await ok('POST', `/api/history/${removed.id}/revert`, {});
      expect(await mounted()).toBe(expected);
    }

    const garden = await ok('POST', '/api/saved_gardens', { name: 'Spring' });
    const layout = { saved_garden_id: garden.id, name: 'Leek', x: 1, y: 2, z: 0, openfarm_slug: 'leek', radius: 5 };
    const template = await ok('POST', '/api/plant_templates', layout);
    await ok('DELETE', `/api/saved_gardens/${garden.id}`);
    const [lost] = await history(`?resource=SavedGarden&limit=1`);
    await ok('POST', `/api/history/${lost.id}/revert`, {});
    expect(await ok('GET', '/api/plant_templates')).toEqual([{ ...template, updated_at: expect.any(String) }]);
  });

  it('undoes a span or a request, all or nothing, and undoes the undo', async () => {
    const { ok, call, history, plant } = await person();
    const kept = await plant({ name: 'Kept' });
    const [before] = await history('?limit=1');
    const garden = async () =>
      ((await ok('GET', '/api/points')) as { id: number; name: string }[])
        .map(({ id, name }) => `${id} ${name}`)
        .sort();
    const first = await garden();
    const added = await plant({ name: 'Added' });
    await ok('PATCH', `/api/points/${kept.id}`, { name: 'Changed' });
    const group = await ok('POST', '/api/point_groups', { name: 'Both', point_ids: [kept.id, added.id] });
    await ok('DELETE', `/api/points/${added.id}`);
    const second = await garden();
    const undone = await ok('POST', '/api/history/revert', { from_id: before.id + 1 });
    expect(undone.reverted).toBeGreaterThanOrEqual(5);
    expect(await garden()).toEqual(first);
    expect((await call('GET', `/api/point_groups/${group.id}`)).status).toBe(404);
    const redone = await ok('POST', '/api/history/revert', { request: undone.request });
    expect(await garden()).toEqual(second);
    expect(await ok('GET', `/api/point_groups/${group.id}`)).toMatchObject({ point_ids: [kept.id] });

    // One of the changes cannot be reverted, so none is.
    await plant({ name: 'Later' });
    const third = await garden();
    const last = await history('?limit=1');
    const refused = await call('POST', '/api/history/revert', { request: redone.request.slice(1) });
    expect(refused).toMatchObject({ status: 422, json: { error: 'There is no such change.' } });
    await ok('PATCH', `/api/points/${kept.id}`, { name: 'Again' });
    expect((await call('POST', '/api/history/revert', { request: redone.request })).status).toBe(409);
    expect((await garden()).length).toBe(third.length);
    const since = last[0].at;
    await ok('POST', '/api/history/revert', { since });
    expect(await garden()).toEqual(second);
    const bad: [object, string][] = [
      [{}, 'error'],
      [{ from_id: 1, since }, 'error'],
      [{ from_id: 'x' }, 'from_id'],
      [{ since: 'yesterday' }, 'since'],
      [{ request: 5 }, 'request'],
      [{ request: 'x', force: 1 }, 'force'],
    ];
    for (const [body, key] of bad) {
      const { status, json } = await call('POST', '/api/history/revert', body);
      expect([status, Object.keys(json)], JSON.stringify(body)).toEqual([422, [key]]);
    }
  });

  it('names no resource of a span or request that the caller may not read', async () => {
    const { ok, call, history, plant } = await person();
    const kept = await plant();
    const tokenOf = async (...scopes: string[]) =>
      (await ok('POST', '/api/personal_tokens', { name: 'Script', scopes })).token as string;
    const [garden, programs] = [await tokenOf('garden'), await tokenOf('garden', 'programs')];
    const revert = async (token: string, body: object) => {
      const { status, json } = await server.call('POST', '/api/history/revert', { token, body });
      return [status, json.error];
    };
    const batch = [
      { method: 'PATCH', path: `/api/points/${kept.id}`, body: { name: 'Tomato' } },
      { method: 'POST', path: '/api/sequences', body: { name: 'Secret', color: 'gray', body: [] } },
    ];
    await ok('POST', '/api/batch', batch);
    const [{ id: from_id, request, resource }] = await history('?limit=1&resource=Sequence');
    expect(resource).toBe('Sequence');
    const mixed = [403, 'Some of these changes are of records that you may not read.'];
    expect(await revert(garden, { request })).toEqual(mixed);
    const [renamed] = await history('?limit=1&resource=Point');
    expect(await revert(garden, { from_id: renamed.id })).toEqual(mixed);
    // As if there were none.
    expect(await revert(garden, { from_id })).toEqual([422, 'There is no such change.']);
    expect((await server.call('GET', `/api/history/${from_id}`, { token: garden })).status).toBe(404);
    const readable = await tokenOf('garden', 'read');
    expect(await revert(readable, { request })).toEqual([
      403,
      'This needs the right to write Sequence, which you do not have.',
    ]);
    expect(await ok('GET', `/api/points/${kept.id}`)).toMatchObject({ name: 'Tomato' });
    expect(await revert(programs, { request })).toEqual([200, undefined]);
    expect(await ok('GET', `/api/points/${kept.id}`)).toMatchObject({ name: 'Leek' });
    expect((await call('GET', '/api/sequences')).json).toEqual([]);
  });

  it('undoes a tool whose status only follows from the slot that it was put into', async () => {
    const { ok, history } = await person();
    const { id } = await ok('POST', '/api/tools', { name: 'Trowel' });
    const [{ id: from_id }] = await history('?limit=1');
    await ok('POST', '/api/points', { pointer_type: 'ToolSlot', x: 1, y: 2, z: 0, tool_id: id });
    expect(await ok('GET', `/api/tools/${id}`)).toMatchObject({ status: 'active' });
    expect(await ok('POST', '/api/history/revert', { from_id })).toMatchObject({ reverted: 2 });
    expect(await ok('GET', '/api/tools')).toEqual([]);
    expect(await ok('GET', '/api/points')).toEqual([]);
  });

  it('applies the limits of today, and reverts nothing in part', async () => {
    const { account, ok, call, history, plant } = await person();
    const { id } = await plant();
    await ok('PATCH', `/api/points/${id}`, { x: 700 });
    const [{ id: change, request }] = await history('?limit=1');
    const scope = server.app.server().device(account.deviceId);
    const before = JSON.stringify({ ...(await ok('GET', `/api/points/${id}`)), x: 50_001 });
    await scope.update(changeRows, { before }, { where: { id: change } });
    for (const [path, body] of [
      [`/api/history/${change}/revert`, {}],
      ['/api/history/revert', { request }],
    ] as const)
      expect(await call('POST', path, body)).toMatchObject({
        status: 422,
        json: { error: expect.stringMatching(/too big/) },
      });
    expect(await ok('GET', `/api/points/${id}`)).toMatchObject({ x: 700 });
  });

  it('reverts at most 1,000 changes and 32 MiB in a request', async () => {
    const { account, call, history, plant } = await person();
    await plant();
    const [{ id: from_id }] = await history('?limit=1');
    const scope = server.app.server().device(account.deviceId);
    const revert = async () => (await call('POST', '/api/history/revert', { from_id })).json.error;
    await scope.update(changeRows, { byte_size: 33 * 1024 * 1024 }, { where: { id: from_id } });
    expect(await revert()).toBe('These changes have more than 32 MiB. Choose a shorter span.');
    const [row] = await scope.rows(changeRows, { where: { id: from_id } });
    if (!row) throw new Error('the change is in the log');
    const { id: _, device_id: __, ...values } = row;
    await scope.insertAll(changeRows, Array(1000).fill({ ...values, byte_size: 200 }));
    await scope.update(changeRows, { byte_size: 200 }, { where: { id: from_id } });
    expect(await revert()).toBe('These are more than 1000 changes. Choose a shorter span.');
  });

  it('reads the other changes of a deletion in pages of 1 MiB, newest first', async () => {
    const { account, ok, history, plant } = await person();
    const members = [await plant(), await plant()].map(({ id }) => id);
    const group = await ok('POST', '/api/point_groups', { name: 'All', point_ids: members });
    await ok('DELETE', `/api/points/${members[0]}`);
    const [deleted] = await history(`?resource=Point&record_id=${members[0]}&limit=1`);
    const scope = server.app.server().device(account.deviceId);
    const [row] = await scope.rows(changeRows, { where: { request: deleted.request, resource: 'PointGroup' } });
    if (!row) throw new Error('the change of the group is in the log');
    const { id: first, device_id: _, ...values } = row;
    const of = (kibibytes: number) => ({ ...values, record_id: 1, byte_size: kibibytes * 1024 });
    const added = await scope.insertAll(changeRows, [of(500), of(400), of(200), of(33_000), of(100), of(924), of(100)]);
    const [a, b, c, d, e, f, g] = added.map(({ id }) => id);
    const where = { request: deleted.request, id: { not: deleted.id } };
    const pages: (readonly number[])[] = [];
    for await (const page of changePages(scope, where, ['PointGroup'])) pages.push(page.map(({ id }) => id));
    expect(pages).toEqual([[g, f], [e], [d], [c, b], [a, first]]);
    await ok('POST', `/api/history/${deleted.id}/revert`, {});
    expect((await ok('GET', `/api/point_groups/${group.id}`)).point_ids).toEqual(members);
  });

  it('cannot bring deleted photos back', async () => {
    const { account, ok, call, history } = await person();
    const scope = server.app.server().device(account.deviceId);
    await scope.transaction(async (inner) => {
      const row = await inner.insert(images, { attachment_url: 'x', meta: {}, origin: 'http://x', photo_key: 'k' });
      inner.events.changed('Image', row.id);
    });
    await scope.transaction(async (inner) => {
      for (const { id } of await inner.delete(images, {})) inner.events.deleted('Image', id);
    });
    const [deleted] = await history('?resource=Image&limit=1');
    expect(deleted).toMatchObject({ action: 'deleted', actor: { kind: 'server' } });
    const refused = await call('POST', `/api/history/${deleted.id}/revert`, {});
    expect(refused).toMatchObject({ status: 422, json: { error: expect.stringMatching(/its files were deleted/) } });
    expect(await ok('GET', '/api/images')).toEqual([]);
  });

  it('leaves photos as they were processed', async () => {
    const { account, ok, call, history } = await person();
    const since = new Date().toISOString();
    const scope = server.app.server().device(account.deviceId);
    const id = await scope.transaction(async (inner) => {
      const row = await inner.insert(images, { attachment_url: 'x', meta: {}, origin: 'http://x', photo_key: 'k' });
      inner.events.changed('Image', row.id);
      return row.id;
    });
    await scope.transaction(async (inner) => {
      await inner.update(images, { attachment_processed_at: '2030-01-01T00:00:00.000Z' }, { where: { id } });
      inner.events.changed('Image', id);
    });
    const [processed] = await history('?resource=Image&limit=1');
    expect(processed).toMatchObject({ action: 'updated', record_id: id });
    const refused = await call('POST', `/api/history/${processed.id}/revert`, { force: true });
    expect(refused).toMatchObject({ status: 422, json: { error: expect.stringMatching(/before their files/) } });
    expect(await ok('GET', `/api/images/${id}`)).toMatchObject({ attachment_processed_at: '2030-01-01T00:00:00.000Z' });
    // Of a span they are left out.
    await ok('POST', '/api/history/revert', { since });
    expect(await ok('GET', '/api/images')).not.toMatchObject([{ attachment_processed_at: null }]);
  });

  it('has no logs and readings, and is empty after a reset', async () => {
    const { ok, history, plant } = await person();
    await plant();
    await ok('POST', '/api/sensor_readings', { pin: 1, mode: 0, x: 0, y: 0, z: 0, value: 5 });
    await ok('POST', '/api/logs', { message: 'Hello', type: 'info' });
    const resources = (await history()).map(({ resource }: { resource: string }) => resource);
    expect(resources).toContain('Point');
    for (const name of ['Log', 'SensorReading', 'Telemetry', 'User', 'Token']) expect(resources).not.toContain(name);
    await ok('POST', '/api/device/reset', { password });
    await server.app.runJobs();
    const rest = (await history()).map(({ resource }: { resource: string }) => resource);
    for (const name of rest) expect(['Device', 'Alert']).toContain(name);
  });
});

describeAnyEngine('parseQuery', () => {
  it('never selects columns that the caller may not read', () => {
    const search = (query: Readonly<Record<string, string>>) =>
      parseSearch({ query }, ['Point', 'Sequence'], ['Point']);
    expect(search({})).toEqual({ limit: 50, where: { resource: ['Point'] } });
    expect(search({ resource: 'Sequence' }).where).toEqual({ resource: [] });
  });
});
