import inject from 'light-my-request';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { devices } from '../../../src/device/devices.ts';
import type { TestResponse } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { eventSummaries, suiteEventClient } from '../../support/event-recording-client.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';

const wait = (milliseconds: number) => ({ kind: 'wait', args: { milliseconds } });
const execute = (sequence_id: unknown) => ({ kind: 'execute', args: { sequence_id } });
const declares = (...body: object[]) => ({ locals: { kind: 'scope_declaration', args: {}, body } });
const here = { kind: 'coordinate', args: { x: 1, y: 2.5, z: -3 } };
const parameter = (label: string) => ({ kind: 'parameter_declaration', args: { label, default_value: here } });
const move = (location: object) => ({ kind: 'move_absolute', args: { location, offset: here, speed: 100 } });
const variable = (label: string) => ({ kind: 'identifier', args: { label } });
const noVariables = { version: 20180209, locals: { kind: 'scope_declaration', args: {} } };

let createdSequences = 0;
const name = () => `Program ${++createdSequences}`;

describeEngines('sequences', (engine) => {
  const client = suiteEventClient(engine);
  const otherAccount = suiteFixture(() => client.server.signUp());
  const create = (body: object[], more: object = {}) =>
    client.request('POST', '/api/sequences', { name: name(), body, ...more });
  const stored = async (body: object[] = [], more: object = {}): Promise<number> => {
    const { json, status, text } = await create(body, more);
    expect(status, text).toBe(200);
    return json.id;
  };
  const change = (id: number, body: unknown) => client.request('PATCH', `/api/sequences/${id}`, body);
  const shown = async (id: number): Promise<string> => (await client.requestOk('GET', `/api/sequences/${id}`)).text;
  const stranger = async (path: string, body: object): Promise<number> => {
    const { json, text } = await client.server.call('POST', `/api/${path}`, { token: otherAccount.token, body });
    expect(json.id, text).toBeTypeOf('number');
    return json.id;
  };
  const device = () => client.server.app.server().device(client.account.deviceId);
  const limit = (steps: number, sequences: number) =>
    device().update(devices, { max_sequence_length: steps, max_sequence_count: sequences }, {});
  /** Expects that nothing was stored or announced. */
  const refused = (response: TestResponse & { events: readonly unknown[] }, ...keys: string[]) => {
    expect([response.status, Object.keys(response.json), response.events], response.text).toEqual([422, keys, []]);
    return response.json;
  };

  it('are equal in every response, announcement and pair, byte for byte', async () => {
    const body = [{ ...move(variable('p')), comment: ' spaces stay ', uuid: 'x', body: [] }, wait(0.0)];
    const response = await create(body, { args: { ...declares(parameter('p')), version: 1, unknown: 'red' } });
    expect(response.json).toMatchObject({
      kind: 'sequence',
      color: 'gray',
      args: { version: 20180209, ...declares(parameter('p')) },
      body: [{ ...move(variable('p')), comment: ' spaces stay ' }, wait(0)],
    });
    const { id } = response.json;
    expect(response.events.map(({ body }) => body)).toEqual([response.text]);
    expect(eventSummaries(response.events)).toEqual([`Sequence ${id}`]);
    expect(await shown(id)).toBe(response.text);
    expect((await client.requestOk('GET', '/api/sequences')).text).toContain(response.text);
    const changed = await change(id, { pinned: true });
    expect(changed.events.map(({ body }) => body)).toEqual([changed.text]);
    const { sequences } = (await client.requestOk('GET', '/api/device/sync')).json;
    expect(sequences).toContainEqual([id, changed.json.updated_at]);
    // The response can be sent again.
    const { args, body: steps } = changed.json;
    const again = await change(id, changed.json);
    expect(again.json).toMatchObject({ args, body: steps });
    expect(JSON.stringify(again.json.args)).toBe(JSON.stringify(args));
  });

  it('can be sent under `sequence` too', async () => {
    const id = (await client.requestOk('POST', '/api/sequences', { sequence: { name: 'Inner', body: [] }, name: 5 }))
      .json.id;
    expect(JSON.parse(await shown(id)).name).toBe('Inner');
    expect((await change(id, { sequence: { color: 'red' }, color: 'blue' })).json.color).toBe('red');
    expect((await change(id, { sequence: null, color: 'blue' })).json.color).toBe('blue');
    refused(await change(id, { sequence: [1] }), 'sequence');
    refused(await change(id, { sequence: 'x' }), 'sequence');
    refused(await client.request('POST', '/api/sequences', { sequence: {} }), 'name', 'body');
  });

  it('have field failures reported together, before the program is checked', async () => {
    const json = refused(
      await create([{ kind: 'frobnicate', args: {} }], { name: ' ', color: 'black', args: { locals: 'x' }, pinned: 2 }),
      'args',
      'color',
      'name',
      'pinned',
    );
    expect(json.args).toEqual({ locals: 'Locals must be an object.' });
  });

  it('have errors in programs reported under the right key', async () => {
    refused(await create([{ kind: 'frobnicate', args: {} }]), 'body');
    refused(await create([wait(180_001)]), 'body');
    refused(await create([move(variable('nowhere'))]), 'body');
    refused(await create([], { args: declares(wait(1)) }), 'body');
    refused(await create([{ kind: 'wait' }]), 'error');
    refused(await create([{ kind: 'lua', args: { lua: 'a'.repeat(3000) } }]), 'error');
    refused(await create([{ ...wait(1), comment: 'c'.repeat(241) }]), 'error');
    refused(await client.request('POST', '/api/sequences', { name: name(), body: [5] }), 'body');
    refused(await client.request('POST', '/api/sequences', { name: name(), body: {} }), 'body');
  });

  it('have exceeded limits reported together with language errors', async () => {
    await limit(2, (await client.requestOk('GET', '/api/sequences')).json.length);
    refused(await create([wait(1), wait(2), { kind: 'x', args: {} }]), 'body', 'step_count', 'sequence_count');
    refused(await create([wait(1), wait(2), wait(3)]), 'step_count', 'sequence_count');
    refused(await create([]), 'sequence_count');
    await limit(0, 1000);
    const id = await stored([wait(1), wait(2), wait(3), wait(4)]);
    await limit(2, 1);
    refused(await change(id, { body: [wait(1), wait(2), wait(3), wait(4), wait(5)] }), 'step_count');
    expect((await change(id, { body: [wait(1), wait(2), wait(9)] })).status).toBe(200);
    refused(await change(id, { body: [wait(1), wait(2), wait(9), wait(9)] }), 'step_count');
    await limit(0, 1000);
  });

  it('can be updated partially', async () => {
    const id = await stored([move(variable('p'))], { args: declares(parameter('p')), description: 'd' });
    const before = await shown(id);
    const idle = await change(id, {});
    expect([idle.text, idle.events]).toEqual([before, []]);
    expect((await change(id, { nonsense: 1, id: 7, sequence_version_id: 9, sequence_versions: [1] })).text).toBe(
      before,
    );
    refused(await change(id, { args: {} }), 'body');
    refused(await change(id, { body: [move(variable('p'))] }), 'body');
    refused(await change(id, { name: null }), 'name');
    refused(await change(id, { body: null }), 'body');
    expect(await shown(id)).toBe(before);
    const renamed = await change(id, { args: declares(parameter('p'), parameter('q')) });
    expect(renamed.json.args.locals.body).toHaveLength(2);
    expect(renamed.json.body).toEqual([move(variable('p'))]);
    expect((await change(id, { body: [wait(1)], args: null })).json.args).toEqual(noVariables);
    expect((await change(id, { description: '' })).json.description).toBe('');
    expect((await change(id, { description: null, color: null, pinned: null })).json.description).toBe('');
    refused(await change(id, { copyright: '' }), 'copyright');
    refused(await change(id, { name: 'x'.repeat(3000) }), 'error');
  });

  it('are announced after every update, also one without changes', async () => {
    const id = await stored([wait(1)]);
    const same = await change(id, { body: [wait(1)], args: {} });
    expect(eventSummaries(same.events)).toEqual([`Sequence ${id}`]);
    expect((await client.requestOk('GET', '/api/device/sync')).json.sequences).toContainEqual([
      id,
      same.json.updated_at,
    ]);
  });

  it('have no folder if the given one does not exist', async () => {
    const folder = await client.create('folders');
    const foreign = await stranger('folders', { name: 'F', color: 'red' });
    const id = await stored([], { folder_id: folder });
    expect((await change(id, { folder_id: null })).json.folder_id).toBe(folder);
    for (const other of [foreign, 0, -1, 999_999_999]) {
      expect((await change(id, { folder_id: folder })).json.folder_id).toBe(folder);
      expect((await change(id, { folder_id: other })).json.folder_id).toBeNull();
      expect((await create([], { folder_id: other })).json.folder_id).toBeNull();
    }
    refused(await change(id, { folder_id: '' }), 'folder_id');
    refused(await change(id, { folder_id: true }), 'folder_id');
  });

  it('can name only records of the device', async () => {
    const point = await stranger('points', { pointer_type: 'Plant', x: 1, y: 1, z: 0 });
    const tool = await stranger('tools', { name: 'Trowel' });
    const pump = await stranger('peripherals', { pin: 7, label: 'Pump' });
    const soil = await stranger('sensors', { pin: 59, label: 'Soil', mode: 1 });
    const group = await stranger('point_groups', { name: 'All', point_ids: [] });
    const sub = await stranger('sequences', { name: 'Sub', body: [] });
    const pin = (pin_type: string, pin_id: number) => ({
      kind: 'toggle_pin',
      args: { pin_number: { kind: 'named_pin', args: { pin_type, pin_id } } },
    });
    const marked = (resource_type: string, resource_id: number, body: object[] = []) => ({
      kind: 'update_resource',
      args: { resource: { kind: 'resource', args: { resource_type, resource_id } } },
      body,
    });
    const foreign: [object[], object?][] = [
      [[execute(sub)]],
      [[move({ kind: 'tool', args: { tool_id: tool } })]],
      [[move({ kind: 'point', args: { pointer_type: 'Plant', pointer_id: point } })]],
      [[pin('Peripheral', pump)]],
      [[pin('Sensor', soil)]],
      ...['Point', 'Plant'].map((type): [object[]] => [[marked(type, point)]]),
      [[marked('Sequence', sub)]],
      [[marked('Device', 0, [{ kind: 'pair', args: { label: 'mounted_tool_id', value: tool } }])]],
      [
        [],
        declares({
          kind: 'variable_declaration',
          args: { label: 'g', data_value: { kind: 'point_group', args: { point_group_id: group } } },
        }),
      ],
    ];
    const kept = await stored([wait(1)]);
    const before = await shown(kept);
    for (const [body, args = {}] of foreign) {
      refused(await create(body, { args }), 'body');
      refused(await change(kept, { body, args }), 'body');
    }
    expect(await shown(kept)).toBe(before);
  });

  it('keep archived points, but accept no additional ones', async () => {
    const at = (pointer_id: number) => move({ kind: 'point', args: { pointer_type: 'Weed', pointer_id } });
    const weed = await client.create('points', { pointer_type: 'Weed' });
    const other = await client.create('points', { pointer_type: 'Weed' });
    const marks = { kind: 'resource', args: { resource_type: 'Weed', resource_id: weed } };
    const id = await stored([{ kind: 'update_resource', args: { resource: marks } }]);
    expect((await client.request('DELETE', `/api/points/${weed},${other}`)).status).toBe(200);
    refused(await create([at(weed)]), 'body');
    expect((await change(id, { body: [at(weed), wait(1)] })).status).toBe(200);
    refused(await change(id, { body: [at(weed), at(other)] }), 'body');
    expect((await change(id, { body: [wait(1)] })).status).toBe(200);
    refused(await change(id, { body: [at(weed)] }), 'body');
  });

  it('are read and written once per update, at any length', async () => {
    const id = await stored();
    const operand = (number: number) => ({ kind: 'numeric', args: { number } });
    const addition = (number: number) => ({
      kind: 'axis_addition',
      args: { axis: 'x', axis_operand: operand(number) },
    });
    const body = (from: number) => [
      { kind: 'move', args: {}, body: Array.from({ length: 1900 }, (_, i) => addition(i + from)) },
    ];
    expect((await change(id, { body: body(0) })).status).toBe(200);
    const raw = JSON.stringify({ body: body(1) });
    // Without the response check of tests, which parses too.
    const app = await createApp(client.server.settings, { logger: pino({ level: 'silent' }) });
    await app.attach(() => undefined);
    const long = (text: unknown) => typeof text === 'string' && text.length > 50_000;
    const parse = vi.spyOn(JSON, 'parse');
    const stringify = vi.spyOn(JSON, 'stringify');
    try {
      const headers = { authorization: client.account.token, 'content-type': 'application/json', 'user-agent': 'test' };
      const response = await inject(app.http.handler, {
        method: 'PATCH',
        url: `/api/sequences/${id}`,
        headers,
        payload: raw,
      });
      expect(response.statusCode).toBe(200);
      expect(parse.mock.calls.filter(([text]) => long(text))).toHaveLength(1);
      expect(stringify.mock.results.filter(({ value }) => long(value))).toHaveLength(1);
    } finally {
      parse.mockRestore();
      stringify.mockRestore();
      await app.close();
    }
    expect(JSON.parse(await shown(id)).body).toEqual(body(1));
    expect((await change(id, { body: [wait(1)] })).status).toBe(200);
  });

  it('protect the records that they use', async () => {
    const tool = await client.create('tools');
    const at = move({ kind: 'tool', args: { tool_id: tool } });
    const id = await stored([at, at]);
    refused(await client.request('DELETE', `/api/tools/${tool}`), 'tool');
    await change(id, { name: name() });
    refused(await client.request('DELETE', `/api/tools/${tool}`), 'tool');
    refused(await change(id, { body: [{ kind: 'x', args: {} }] }), 'body');
    refused(await client.request('DELETE', `/api/tools/${tool}`), 'tool');
    await client.requestOk('DELETE', `/api/sequences/${id}`);
    expect((await client.request('DELETE', `/api/tools/${tool}`)).status).toBe(200);
  });

  describe('cannot be deleted while', () => {
    const kept = async (id: number, by: string) =>
      expect(refused(await client.request('DELETE', `/api/sequences/${id}`), 'sequence').sequence).toBe(
        `Sequence is still in use by ${by}.`,
      );
    const assertDeleted = async (id: number) =>
      expect(eventSummaries((await client.requestOk('DELETE', `/api/sequences/${id}`)).events)).toContain(
        `Sequence ${id} deleted`,
      );

    it('other programs run them; running themselves does not count', async () => {
      const id = await stored();
      const caller = await stored([execute(id)], { name: 'Caller' });
      await change(id, { body: [execute(id), execute(caller)] });
      await kept(id, "the sequence 'Caller'");
      await change(caller, { body: [execute(caller)] });
      await assertDeleted(id);
      await assertDeleted(caller);
    });

    it('a pin binding or the boot of the robot runs them', async () => {
      const id = await stored();
      const pin = await client.requestOk('POST', '/api/pin_bindings', { pin_num: 104, sequence_id: id });
      await client.requestOk('PATCH', '/api/fbos_config', { boot_sequence_id: id });
      await kept(id, 'the pin binding of pin 104 and the start of the robot');
      await client.requestOk('DELETE', `/api/pin_bindings/${pin.json.id}`);
      await kept(id, 'the start of the robot');
      await client.requestOk('PATCH', '/api/fbos_config', { boot_sequence_id: null });
      await assertDeleted(id);
    });

    it('a farm event or a regimen runs them; expired events are deleted first', async () => {
      const id = await stored();
      const items = [{ sequence_id: id, time_offset: 1000 }];
      const regimen = await client.create('regimens', { name: 'R', regimen_items: items });
      const event = { executable_id: id, executable_type: 'Sequence', repeat: 1, time_unit: 'never' };
      const { json } = await client.requestOk('POST', '/api/farm_events', {
        ...event,
        start_time: '2040-06-30T10:00:00.000Z',
      });
      await kept(id, "the farm event of 06/30/40 and the regimen 'R'");
      const same = await client.requestOk('POST', '/api/farm_events', {
        ...event,
        start_time: '2040-06-30T20:00:00.000Z',
      });
      await kept(id, "the farm events of 06/30/40 and the regimen 'R'");
      for (const one of [json.id, same.json.id]) await client.requestOk('DELETE', `/api/farm_events/${one}`);
      await client.requestOk('DELETE', `/api/regimens/${regimen}`);
      const past = await client.requestOk('POST', '/api/farm_events', {
        ...event,
        start_time: '2020-06-30T10:00:00.000Z',
      });
      await kept(id, 'the farm event of 06/30/20');
      await client.requestOk('PATCH', '/api/device', { timezone: 'UTC' });
      const response = await client.requestOk('DELETE', `/api/sequences/${id}`);
      expect(eventSummaries(response.events)).toEqual([`FarmEvent ${past.json.id} deleted`, `Sequence ${id} deleted`]);
    });

    it('an event on a day of the garden runs them', async () => {
      const id = await stored();
      const event = { executable_id: id, executable_type: 'Sequence', repeat: 1, time_unit: 'never' };
      const start_time = '2040-07-01T03:00:00.000Z';
      const { json } = await client.requestOk('POST', '/api/farm_events', { ...event, start_time });
      await kept(id, 'the farm event of 07/01/40');
      await client.requestOk('PATCH', '/api/device', { timezone: 'America/Los_Angeles' });
      await kept(id, 'the farm event of 06/30/40');
      await client.requestOk('PATCH', '/api/device', { timezone: 'UTC' });
      await client.requestOk('DELETE', `/api/farm_events/${json.id}`);
      await assertDeleted(id);
    });
  });

  describe('hostile input', () => {
    const listed = async () => (await client.requestOk('GET', '/api/sequences')).text;
    const raw = (text: string) =>
      client.server.call('POST', '/api/sequences', {
        token: client.account.token,
        raw: text,
        headers: { 'content-type': 'application/json' },
      });

    it('is rejected: names of JavaScript properties', async () => {
      const was = await listed();
      for (const word of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
        refused(await create([{ kind: word, args: {} }]), 'body');
        const named = await raw(`{"name":"odd","body":[{"kind":"wait","args":{"milliseconds":1,"${word}":1}}]}`);
        expect([named.status, Object.keys(named.json)], word).toEqual([422, ['body']]);
        const node = await raw(`{"name":"odd","body":[{"kind":"wait","args":{"${word}":{"kind":"wait","args":{}}}}]}`);
        expect([node.status, Object.keys(node.json)], word).toEqual([422, ['body']]);
      }
      expect(await listed()).toBe(was);
      const label = await create([move(variable('__proto__'))], { args: declares(parameter('__proto__')) });
      expect(label.json.body).toEqual([move(variable('__proto__'))]);
      refused(await create([move(variable('constructor'))]), 'body');
    });

    it('is rejected: too many nodes', async () => {
      const was = await listed();
      const many = await raw(`{"name":"many","body":[${'{"kind":"sync","args":{}},'.repeat(35_000)}1]}`);
      expect([many.status, Object.keys(many.json)]).toEqual([422, ['error']]);
      const nested = `${'{"kind":"sync","args":{},"body":['.repeat(10_000)}${']}'.repeat(10_000)}`;
      const deep = await raw(`{"name":"deep","body":[${nested}]}`);
      expect([deep.status, Object.keys(deep.json)]).toEqual([422, ['error']]);
      expect(await listed()).toBe(was);
    });

    it('is rejected: invalid numbers and unknown ids', async () => {
      const was = await listed();
      for (const id of ['1', 1.5, -1, 0, null, true, [], {}, 2 ** 53, '1e3', 'NaN'])
        refused(await create([execute(id)]), 'body');
      for (const number of ['1e999', '-1e999', '"5"', '"NaN"', 'null']) {
        const response = await raw(`{"name":"n","body":[{"kind":"wait","args":{"milliseconds":${number}}}]}`);
        expect([response.status, Object.keys(response.json)], number).toEqual([422, ['body']]);
      }
      expect(await listed()).toBe(was);
    });

    it('is rejected: invalid bodies', async () => {
      for (const body of [{ 0: wait(1) }, null, 'x', 5, true])
        refused(await client.request('POST', '/api/sequences', { name: name(), body }), 'body');
      for (const text of ['[]', 'null', '"x"', '5', '{']) expect((await raw(text)).status, text).toBe(422);
    });
  });
});
