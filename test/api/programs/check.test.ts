import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { languageHeader } from '../../../src/core/languages.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { EventRecordingClient } from '../../support/event-recording-client.ts';

// Checking programs without storing them, and reading them as text.

const node = (kind: string, args: object = {}, body?: object[]) => ({ kind, args, ...(body && { body }) });
const wait = (milliseconds: unknown) => node('wait', { milliseconds });
const coordinate = node('coordinate', { x: 0, y: 0, z: 0 });

describeEngines('checking a program', (engine) => {
  let client: EventRecordingClient;
  let server: TestApp;
  let gardener: Account;
  let otherAccount: Account;

  beforeAll(async () => {
    client = await EventRecordingClient.start(engine);
    ({ server, account: gardener } = client);
    otherAccount = await server.signUp();
  });
  afterAll(() => server.close());

  const request = (path: string, body?: unknown, { token } = gardener) =>
    server.call('POST', path, { token, ...(body !== undefined && { body }) });
  const make = async (path: string, body: object, { token } = gardener): Promise<number> => {
    const { status, json, text } = await server.call('POST', path, { token, body });
    expect(status, text).toBe(200);
    return json.id;
  };
  const goTo = (pointer_id: number) =>
    node('move_absolute', {
      location: node('point', { pointer_type: 'Plant', pointer_id }),
      offset: coordinate,
      speed: 100,
    });

  it('returns all problems with their paths and stores nothing', async () => {
    const foreign = await make('/api/points', { pointer_type: 'Plant', x: 1, y: 2 }, otherAccount);
    const { status, json, events } = await client.request('POST', '/api/sequences/check', {
      name: 'Never stored',
      args: { locals: node('scope_declaration', {}, [node('wait')]) },
      body: [wait('long'), goTo(foreign), node('dance'), wait(1)],
    });
    expect(status).toBe(200);
    expect(json.ok).toBe(false);
    expect(json.problems.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
      ['/body/2', 'unknown_kind'],
      ['/args/locals/body/0', 'misplaced'],
      ['/body/0/args/milliseconds', 'wrong_type'],
      ['/body/1/args/location/args/pointer_id', 'not_found'],
    ]);
    expect(json.problems.every(({ message }: { message: string }) => message.endsWith('.'))).toBe(true);
    expect((await server.call('GET', '/api/sequences', { token: gardener.token })).json).toEqual([]);
    expect(events).toEqual([]);
  });

  it('warns of text that is not Lua, of variables that Lua does not have, and of values that are not set', async () => {
    const place = node('parameter_declaration', { label: 'where', default_value: node('location_placeholder') });
    const number = node('numeric', { number: 3 });
    const preset = node('parameter_declaration', { label: 'times', default_value: number });
    const called = await make('/api/sequences', {
      name: 'Called',
      args: { locals: node('scope_declaration', {}, [place, preset]) },
      body: [],
    });
    const run = (...values: object[]) => node('execute', { sequence_id: called }, values);
    const where = node('parameter_application', { label: 'where', data_value: coordinate });
    const lua = (code: string) => node('lua', { lua: code });
    const body = [
      lua('while true do\nend'),
      lua('x = = 1\n'),
      lua('-- variable("comment")\nlocal a = variable("times") + variable(\'none\') --[[ variable("block") ]] -- --[['),
      run(where),
      run(),
      node('assertion', { lua: 'return (', assertion_type: 'abort', _then: node('nothing') }),
      lua('wait(1) wait(2)'),
      lua('5 +'),
      lua('-get_tool{ id = 1 }.effector_offset_x'),
      node('assertion', { lua: '3 > 2', assertion_type: 'abort', _then: node('nothing') }),
    ];
    const args = { locals: node('scope_declaration', {}, [preset]) };
    const { json } = await client.requestOk('POST', '/api/sequences/check', { args, body });
    expect(json).toEqual({
      ok: true,
      problems: [],
      warnings: [
        {
          path: '/body/1/args/lua',
          code: 'lua_syntax',
          message: "Step 2: This is not Lua: line 1: unexpected symbol near '='.",
        },
        {
          path: '/body/2/args/lua',
          code: 'unknown_variable',
          message: 'Step 3: Lua uses the variable "none", which the sequence does not declare.',
        },
        {
          path: '/body/4',
          code: 'unset_variable',
          message: 'Step 5: "Called" needs a value for its variable "where".',
        },
        {
          path: '/body/5/args/lua',
          code: 'lua_syntax',
          message: 'Step 6: This is not Lua: line 1: unexpected symbol near <eof>.',
        },
        {
          path: '/body/6/args/lua',
          code: 'lua_syntax',
          message:
            'Step 7: A robot takes one line of Lua without "=" and "return" as a formula. Write statements on more lines.',
        },
        {
          path: '/body/7/args/lua',
          code: 'lua_syntax',
          message: "Step 8: This is not Lua: line 1: unexpected symbol near ')'.",
        },
        {
          path: '/body/8/args/lua',
          code: 'lua_syntax',
          message: 'Step 9: A robot takes a formula with "=" for a statement, and fails. Begin it with "return".',
        },
      ],
    });
    await make('/api/sequences', { name: 'Stored nevertheless', args, body });
  });

  it('warns of functions that a robot does not have, and of arguments that it does not take', async () => {
    const body = [node('lua', { lua: 'local plants = 1\nget_plnts()\nread_pin()' })];
    const { json } = await request('/api/sequences/check', { body });
    const path = '/body/0/args/lua';
    expect(json).toEqual({
      ok: true,
      problems: [],
      warnings: [
        {
          ...{ path, code: 'unknown_function', line: 2 },
          message: 'Step 1: Line 2: neither Lua nor a robot has a function "get_plnts".',
        },
        {
          ...{ path, code: 'wrong_arguments', line: 3 },
          message: 'Step 1: Line 3: these arguments end the script on a robot. It is read_pin(pin, mode?).',
        },
      ],
    });
  });

  it('warns of a pin that is compared before a step reads it', async () => {
    const sensor = await make('/api/sensors', { label: 'Soil', pin: 59, mode: 1 });
    const pin_number = node('named_pin', { pin_type: 'Sensor', pin_id: sensor });
    const decide = (lhs: unknown, op: string) =>
      node('_if', { lhs, op, rhs: 5, _then: node('nothing'), _else: node('nothing') });
    const read = node('read_pin', { pin_number: 13, pin_mode: 0, label: '' });
    const body = [decide('x', '>'), decide('pin13', 'is'), decide('pin13', '>'), decide(pin_number, '<')];
    const warningsOf = async (steps: object[]) =>
      (await request('/api/sequences/check', { body: steps })).json.warnings;
    const message =
      'No step before reads this pin. While its value is unknown, a robot takes it for greater than any number.';
    expect(await warningsOf(body)).toEqual([
      { path: '/body/2/args/lhs', code: 'unread_pin', message: `Step 3: ${message}` },
      { path: '/body/3/args/lhs', code: 'unread_pin', message: `Step 4: ${message}` },
    ]);
    expect(await warningsOf([read, ...body])).toEqual([]);
  });

  it('warns of Lua that differs on a robot, at its line, in the language of the reader', async () => {
    const script = 'local text = "a,b"\nfor part in text:gmatch("[^,]+") do toast(part) end\ntoast("21 °C")';
    const body = [node('lua', { lua: script })];
    const { json } = await request('/api/sequences/check', { body });
    expect(json).toMatchObject({ ok: true, problems: [] });
    expect(json.warnings).toEqual([
      {
        path: '/body/0/args/lua',
        code: 'lua_dialect',
        line: 2,
        message:
          'Step 1: Line 2: a robot has no string.gmatch, and the script ends there. gsub with a function does the same.',
      },
      {
        path: '/body/0/args/lua',
        code: 'lua_dialect',
        line: 3,
        message: expect.stringContaining('utf8.char(176) is ° everywhere'),
      },
    ]);
    const french = await server.call('POST', '/api/sequences/check', {
      token: gardener.token,
      body: { body },
      headers: { [languageHeader]: 'fr' },
    });
    expect(french.json.warnings[0].message).toContain('Ligne 2');
    // Escape sequences that only robots know are no errors.
    expect(
      (await request('/api/sequences/check', { body: [node('lua', { lua: 'toast("\\.")' })] })).json.warnings,
    ).toEqual([]);
  });

  it.each([1.5, -1, 1e300, 2 ** 53])('reports a called program with the number %s', async (sequence_id) => {
    const { status, json } = await request('/api/sequences/check', { body: [node('execute', { sequence_id })] });
    expect(status).toBe(200);
    expect(json).toMatchObject({ ok: false, problems: [{ path: '/body/0/args/sequence_id' }], warnings: [] });
  });

  it('returns the same first problem as storing the program', async () => {
    const body = [wait('long'), node('dance')];
    const { json } = await request('/api/sequences/check', { body });
    const refused = await request('/api/sequences', { name: 'Refused', body });
    expect([refused.status, refused.json]).toEqual([422, { body: json.problems[0].message }]);
  });

  it('accepts storable programs', async () => {
    const good = { ok: true, problems: [], warnings: [] };
    expect((await request('/api/sequences/check', { body: [] })).json).toEqual(good);
    expect((await request('/api/sequences/check', { args: null, body: [wait(1)] })).json).toEqual(good);
    expect((await request('/api/sequences/check', { sequence: { body: [wait(1)] } })).json).toEqual(good);
  });

  it('applies the limits of stored programs', async () => {
    const { json } = await request('/api/sequences/check', { body: Array(31).fill(wait(1)) });
    expect(json).toEqual({
      ok: false,
      warnings: [],
      problems: [{ path: '/body', code: 'too_large', message: expect.stringContaining('30 steps, not 31') }],
    });
    // Nothing else of a too large program is parsed.
    const large = await request('/api/sequences/check', { body: Array(31).fill(node('lua', { lua: '=' })) });
    expect(large.json).toMatchObject({ warnings: [], problems: [{ code: 'too_large' }] });
    const long = await request('/api/sequences/check', { body: [node('lua', { lua: '='.repeat(300_000) })] });
    expect(long.json).toEqual({
      ok: false,
      warnings: [],
      problems: [expect.objectContaining({ code: 'too_large', message: expect.stringContaining('262144 characters') })],
    });
    const many = await request('/api/sequences/check', { body: Array(500).fill(wait('x')) });
    expect(many.json.problems).toHaveLength(100);
    const deep = await request('/api/sequences/check', { body: '['.repeat(200) });
    expect(deep.json.problems).toHaveLength(1);
    const huge = await server.call('POST', '/api/sequences/check', {
      token: gardener.token,
      raw: `{"body":["${'x'.repeat(1_100_000)}"]}`,
      headers: { 'content-type': 'application/json' },
    });
    expect(huge.status).toBe(413);
  });

  it.each([
    ['no body', {}, '/body'],
    ['a body that is null', { body: null }, '/body'],
    ['a body that is an object', { body: {} }, '/body'],
    ['a body that is a text', { body: 'sync' }, '/body'],
    ['args that are a list', { args: [], body: [] }, '/args'],
    ['locals that are a text', { args: { locals: 'x' }, body: [] }, '/args/locals'],
  ])('reports %s', async (_what, sent, path) => {
    const { status, json } = await request('/api/sequences/check', sent);
    expect([status, json.ok]).toEqual([200, false]);
    expect(json.problems.map((problem: { path: string }) => problem.path)).toEqual([path]);
  });

  it('requires a token and an object', async () => {
    expect((await server.call('POST', '/api/sequences/check', { body: { body: [] } })).status).toBe(401);
    expect((await request('/api/sequences/check', [])).status).toBe(422);
    expect((await request('/api/sequences/check', { sequence: 'x' })).status).toBe(422);
  });

  describe('a stored program', () => {
    let plant: number;
    let id: number;
    beforeAll(async () => {
      plant = await make('/api/points', { pointer_type: 'Plant', x: 1, y: 2, name: 'Kale' });
      id = await make('/api/sequences', { name: 'Water', body: [goTo(plant), wait(5)] });
    });

    it('is checked, also if it names an archived plant', async () => {
      const good = { ok: true, problems: [], warnings: [] };
      expect((await request(`/api/sequences/${id}/check`)).json).toEqual(good);
      const other = await make('/api/points', { pointer_type: 'Plant', x: 1, y: 2 });
      const change = { body: [goTo(other)] };
      expect((await request(`/api/sequences/${id}/check`, change)).json).toEqual(good);
      expect((await request(`/api/sequences/${id}/check`, { body: [goTo(999_999)] })).json.problems).toMatchObject([
        { path: '/body/0/args/location/args/pointer_id', code: 'not_found' },
      ]);
      expect((await request(`/api/sequences/${id}/check`, {})).json).toEqual(good);
      const stored = await server.call('GET', `/api/sequences/${id}`, { token: gardener.token });
      expect(stored.json.body).toEqual([goTo(plant), wait(5)]);
    });

    it('is checked with new variables', async () => {
      const declared = await make('/api/sequences', {
        name: 'With a variable',
        args: {
          locals: node('scope_declaration', {}, [
            node('parameter_declaration', { label: 'where', default_value: coordinate }),
          ]),
        },
        body: [
          node('move_absolute', { location: node('identifier', { label: 'where' }), offset: coordinate, speed: 100 }),
        ],
      });
      const none = { args: { locals: node('scope_declaration') } };
      expect((await request(`/api/sequences/${declared}/check`, none)).json.problems).toMatchObject([
        { code: 'unbound' },
      ]);
      expect((await request(`/api/sequences/${declared}/check`, { args: null })).json.ok).toBe(true);
    });

    it('is not found in other accounts', async () => {
      for (const path of [`/api/sequences/${id}/check`, '/api/sequences/0/check', '/api/sequences/x/check'])
        expect((await request(path, {}, otherAccount)).status).toBe(404);
      expect((await server.call('GET', `/api/sequences/${id}/text`, { token: otherAccount.token })).status).toBe(404);
    });

    it('returns its text with the names of records', async () => {
      const tool = await make('/api/tools', { name: 'Nozzle' });
      const pump = await make('/api/peripherals', { label: 'Pump', pin: 8 });
      const pin = node('named_pin', { pin_type: 'Peripheral', pin_id: pump });
      const all = await make('/api/sequences', {
        name: 'All',
        body: [
          goTo(plant),
          node('move_absolute', { location: node('tool', { tool_id: tool }), offset: coordinate, speed: 50 }),
          node('write_pin', { pin_number: pin, pin_value: 1, pin_mode: 0 }),
          node('execute', { sequence_id: id }),
        ],
      });
      const { status, text, headers } = await server.call('GET', `/api/sequences/${all}/text`, {
        token: gardener.token,
      });
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(text).toBe(`All

1. move to Plant ${plant} "Kale", offset (0, 0, 0), at 100 % speed
2. move to tool ${tool} "Nozzle", offset (0, 0, 0), at 50 % speed
3. set pin Peripheral ${pump} "Pump" to 1 (mode 0)
4. run sequence ${id} "Water"
`);
    });
  });

  it('is documented as an addition', () => {
    const { paths } = server.app.openapi() as { paths: Record<string, Record<string, object>> };
    expect(paths['/api/sequences/check']?.post).toMatchObject({ 'x-addition': true });
    expect(paths['/api/sequences/{id}/check']?.post).toMatchObject({ 'x-addition': true });
    expect(paths['/api/sequences/{id}/text']?.get).toMatchObject({ 'x-addition': true });
  });
});
