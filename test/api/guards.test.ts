import { beforeAll, describe, expect, it } from 'vitest';
import type { DeviceScope } from '../../src/db/scope.ts';
import { farmEvents } from '../../src/programs/farm-events.ts';
import type { OwnerKind, TargetKind } from '../../src/programs/program-references.ts';
import { programReferences } from '../../src/programs/program-references.ts';
import { regimens } from '../../src/programs/regimens.ts';
import { sequences } from '../../src/programs/sequences.ts';
import type { TestResponse } from '../support/app.ts';
import { suiteAccount, suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

// Records that programs use cannot be deleted. The uses are inserted as rows.

let created = 0;

/** Inserts a program of this kind. Returns its id and its name in messages. */
async function program(scope: DeviceScope, kind: OwnerKind): Promise<{ id: number; name: string }> {
  const name = `Program ${++created}`;
  if (kind === 'Sequence') {
    const args = { version: 20180209, locals: { kind: 'scope_declaration', args: {} } };
    const { id } = await scope.insert(sequences, { name, color: 'gray', pinned: false, forked: false, args, body: [] });
    return { id, name: `the sequence '${name}'` };
  }
  if (kind === 'Regimen') {
    const { id } = await scope.insert(regimens, { name, color: 'red', body: [] });
    return { id, name: `the regimen '${name}'` };
  }
  const { id } = await scope.insert(farmEvents, {
    start_time: '2040-01-02T03:04:05.000Z',
    repeat: 1,
    time_unit: 'never',
    executable_type: 'Sequence',
    executable_id: 1,
    body: [],
  });
  return { id, name: 'the farm event of 01/02/40' };
}

describeEngines('records in use', (engine) => {
  const server = suiteApp(engine);
  const account = suiteAccount(server);
  const otherAccount = suiteAccount(server);
  let scope: DeviceScope;

  beforeAll(async () => {
    scope = server.app.server().device(account.deviceId);
  });

  const call = (method: string, path: string, body?: object): Promise<TestResponse> =>
    server.call(method, path, { token: account.token, body });

  const make = async (path: string, body: object): Promise<number> => {
    const response = await call('POST', path, body);
    expect(response.status, response.text).toBe(200);
    return response.json.id;
  };
  const tool = () => make('/api/tools', { name: `Tool ${++created}` });
  const point = (pointer_type: string, more: object = {}) =>
    make('/api/points', { pointer_type, x: 1, y: 2.5, z: -3, ...more });

  /** Inserts a use of a record by a new program of this kind. Returns the program's name and a function that ends the use. */
  async function use(target_kind: TargetKind, target_id: number, owner_kind: OwnerKind = 'Sequence') {
    const { id: owner_id, name } = await program(scope, owner_kind);
    const row = await scope.insert(programReferences, { owner_kind, owner_id, target_kind, target_id });
    return { name, end: () => scope.delete(programReferences, { where: { id: row.id } }) };
  }

  /** Expects that the request fails under this key with the program's name while the record is used, and then succeeds. */
  async function guarded(
    key: string,
    [kind, id, owner]: [TargetKind, number, OwnerKind?],
    request: () => Promise<TestResponse>,
    words = '',
  ): Promise<void> {
    const { name, end } = await use(kind, id, owner);
    const refused = await request();
    expect([refused.status, Object.keys(refused.json)]).toEqual([422, [key]]);
    expect(refused.json[key]).toContain(name);
    expect(refused.json[key]).toContain(words);
    await end();
    const allowed = await request();
    expect(allowed.status, allowed.text).toBe(200);
  }

  const deletion = (path: string) => () => call('DELETE', path);

  it.each(['tool', 'mounted_tool'] as const)('tools: a sequence uses it (%s)', async (kind) => {
    const id = await tool();
    await guarded('tool', [kind, id], deletion(`/api/tools/${id}`));
  });

  it('tools: a slot holds it, whether a sequence uses it or not', async () => {
    const id = await tool();
    const slot = await point('ToolSlot', { tool_id: id });
    const { end } = await use('tool', id);
    const refused = await call('DELETE', `/api/tools/${id}`);
    expect([refused.status, Object.keys(refused.json)]).toEqual([422, ['tool']]);
    expect(refused.json.tool).toContain('slot');
    await end();
    expect((await call('DELETE', `/api/tools/${id}`)).status).toBe(422);
    expect((await call('DELETE', `/api/points/${slot}`)).status).toBe(200);
    expect((await call('DELETE', `/api/tools/${id}`)).status).toBe(200);
  });

  it('tools: a slot keeps the tool that a sequence uses, unless another replaces it', async () => {
    const [used, other] = [await tool(), await tool()];
    const slot = await point('ToolSlot', { tool_id: used });
    for (const nothing of [null, ''])
      await guarded('in_use', ['tool', used], async () => {
        const response = await call('PATCH', `/api/points/${slot}`, { tool_id: nothing });
        if (response.status === 200)
          expect((await call('PATCH', `/api/points/${slot}`, { tool_id: used })).status).toBe(200);
        return response;
      });
    const [first, second] = [await use('tool', used), await use('tool', used)];
    const names = [first, second].map(({ name }) => name.replace('the sequence ', '')).join(', ');
    expect((await call('PATCH', `/api/points/${slot}`, { tool_id: null })).json).toEqual({
      in_use: `The tool must stay in its slot: it is still in use by the sequences ${names}.`,
    });
    expect((await call('PATCH', `/api/points/${slot}`, { tool_id: other })).json).toMatchObject({ tool_id: other });
  });

  describe('points', () => {
    it.each(['Sequence', 'Regimen', 'FarmEvent'] as const)('named in a %s', async (owner) => {
      const id = await point('Weed');
      await guarded('whoops', ['point', id, owner], deletion(`/api/points/${id}`), 'weed at (1, 2.5, -3)');
    });

    it.each([
      ['Plant', 'plant'],
      ['GenericPointer', 'point'],
      ['ToolSlot', 'slot'],
    ])('changed by a step: %s', async (kind, word) => {
      const id = await point(kind);
      await guarded('whoops', ['resource', id], deletion(`/api/points/${id}`), `${word} at (1, 2.5, -3)`);
    });

    it('a slot that holds a tool that a sequence uses', async () => {
      const id = await tool();
      const slot = await point('ToolSlot', { tool_id: id });
      await guarded('whoops', ['tool', id], deletion(`/api/points/${slot}`), 'slot at (1, 2.5, -3)');
    });

    it('all of them or none', async () => {
      const [used, free] = [await point('Plant'), await point('Plant')];
      const before = (await call('GET', '/api/points')).text;
      const { end } = await use('point', used);
      expect((await call('DELETE', `/api/points/${free},${used}`)).json).toHaveProperty('whoops');
      expect((await call('GET', '/api/points')).text).toBe(before);
      await end();
      expect((await call('DELETE', `/api/points/${free},${used}`)).status).toBe(200);
    });

    it('are not in use by programs of other accounts', async () => {
      const id = await point('Plant');
      const otherScope = server.app.server().device(otherAccount.deviceId);
      const { id: owner_id } = await program(otherScope, 'Sequence');
      await otherScope.insert(programReferences, {
        owner_kind: 'Sequence',
        owner_id,
        target_kind: 'point',
        target_id: id,
      });
      expect((await call('DELETE', `/api/points/${id}`)).status).toBe(200);
    });
  });

  it('curves: a plant uses it', async () => {
    for (const field of ['water_curve_id', 'spread_curve_id', 'height_curve_id']) {
      const curve = await make('/api/curves', { name: `Curve ${++created}`, type: 'water', data: {} });
      const plant = await point('Plant', { [field]: curve, name: 'Beet' });
      const refused = await call('DELETE', `/api/curves/${curve}`);
      expect([refused.status, Object.keys(refused.json)]).toEqual([422, ['in_use']]);
      expect(refused.json.in_use).toContain('Beet');
      expect((await call('DELETE', `/api/points/${plant}`)).status).toBe(200);
      expect((await call('DELETE', `/api/curves/${curve}`)).status).toBe(200);
      expect((await call('GET', `/api/points/${plant}`)).json).toMatchObject({ [field]: null });
    }
  });

  it.each(['Sequence', 'Regimen', 'FarmEvent'] as const)('groups: a %s uses it', async (owner) => {
    const id = await make('/api/point_groups', { name: 'Group', point_ids: [] });
    await guarded('in_use', ['point_group', id, owner], deletion(`/api/point_groups/${id}`));
  });

  it('the message groups programs by kind, and contains equal dates once', async () => {
    const id = await make('/api/point_groups', { name: 'Group', point_ids: [] });
    const uses = [];
    for (const owner of ['Sequence', 'FarmEvent', 'Regimen', 'FarmEvent', 'Sequence'] as const)
      uses.push(await use('point_group', id, owner));
    const [one, , regimen, , two] = uses.map(({ name }) => name);
    expect((await call('DELETE', `/api/point_groups/${id}`)).json).toEqual({
      in_use: `This group is still in use by the farm events of 01/02/40 and ${regimen} and the sequences ${one?.slice(13)}, ${two?.slice(13)}.`,
    });
    for (const { end } of uses) await end();
    expect((await call('DELETE', `/api/point_groups/${id}`)).status).toBe(200);
  });

  it('peripherals and sensors: a sequence uses it', async () => {
    const peripheral = await make('/api/peripherals', { label: 'Pump', pin: ++created });
    await guarded('peripheral', ['peripheral', peripheral], deletion(`/api/peripherals/${peripheral}`));
    const sensor = await make('/api/sensors', { label: 'Soil', pin: 59, mode: 1 });
    await guarded('sensor', ['sensor', sensor], deletion(`/api/sensors/${sensor}`));
  });

  it('folders: not empty', async () => {
    const outer = await make('/api/folders', { name: 'Outer', color: 'blue' });
    const inner = await make('/api/folders', { name: 'Inner', color: 'blue', parent_id: outer });
    const { id } = await program(scope, 'Sequence');
    await scope.update(sequences, { folder_id: inner }, { where: { id } });
    for (const folder of [outer, inner]) {
      const refused = await call('DELETE', `/api/folders/${folder}`);
      expect([refused.status, Object.keys(refused.json)]).toEqual([422, ['in_use']]);
    }
    await scope.delete(sequences, { where: { id } });
    for (const folder of [inner, outer]) expect((await call('DELETE', `/api/folders/${folder}`)).status).toBe(200);
  });

  it.each(['Sequence', 'Regimen', 'FarmEvent'] as const)(
    'saved gardens: a %s uses a plant that would be replaced',
    async (owner) => {
      const garden = await make('/api/saved_gardens', { name: 'Garden' });
      await make('/api/plant_templates', { saved_garden_id: garden, name: 'New', x: 1, y: 2 });
      const plant = await point('Plant', { name: 'Old' });
      const namesNow = async () => (await call('GET', '/api/points')).json.map(({ name }: { name: string }) => name);
      const before = await namesNow();
      expect(before).toContain('Old');
      await guarded('whoops', ['point', plant, owner], async () => {
        const response = await call('POST', `/api/saved_gardens/${garden}/apply`);
        if (response.status === 422) expect(await namesNow()).toEqual(before);
        return response;
      });
      expect(await namesNow()).toContain('New');
      expect(await namesNow()).not.toContain('Old');
      expect((await call('DELETE', `/api/saved_gardens/${garden}`)).status).toBe(200);
    },
  );
});
