import { beforeEach, expect, it } from 'vitest';
import { assertStrictlyValid } from '../../src/http/strict-handling.ts';
import type { Account } from '../support/app.ts';
import { suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

const strict = { prefer: 'handling=strict' };

describeEngines('strict handling', (engine) => {
  const server = suiteApp(engine);
  let account: Account;
  beforeEach(async () => {
    account = await server.signUp();
  });

  const send = async (line: string, body?: object, headers: Record<string, string> = strict) => {
    const [method = '', path = ''] = line.split(' ');
    return server.call(method, path, { token: account.token, headers, ...(body && { body }) });
  };

  it('refuses unknown fields, and changes nothing', async () => {
    const plant = { pointer_type: 'Plant', x: 1, y: 2, slug: 'mint' };
    const refused = await send('POST /api/points', plant);
    expect([refused.status, Object.keys(refused.json)]).toEqual([422, ['slug']]);
    expect(refused.json.slug).toMatch(
      /^Slug is unknown here: known are depth, height_curve_id, meta, name, openfarm_slug, .*, z\.$/,
    );
    expect(refused.headers['preference-applied']).toBe('handling=strict');
    expect((await send('GET /api/points')).json).toEqual([]);
    const { slug: _, ...known } = plant;
    expect((await send('POST /api/points', { ...known, openfarm_slug: 'mint' })).status).toBe(200);
    const lenient = await send('POST /api/points', plant, {});
    expect([lenient.status, lenient.headers['preference-applied']]).toEqual([200, undefined]);
  });

  it('knows the fields of the variant, and of the record that is returned', async () => {
    const { json: weed } = await send('POST /api/points', { pointer_type: 'Weed', x: 1, y: 2, radius: 9 });
    expect((await send(`PUT /api/points/${weed.id}`, { ...weed, x: 5 })).json).toMatchObject({ x: 5, radius: 9 });
    const slotted = await send('POST /api/points', { pointer_type: 'Weed', x: 1, y: 2, gantry_mounted: true });
    expect([slotted.status, Object.keys(slotted.json)]).toEqual([422, ['gantry_mounted']]);
    const sequence = (await send('POST /api/sequences', { name: 'Water', body: [] })).json;
    const items = [{ time_offset: 5, sequence_id: sequence.id }];
    const { json: regimen } = await send('POST /api/regimens', { name: 'Daily', color: 'red', regimen_items: items });
    expect(Object.keys(regimen.regimen_items[0])).toContain('regimen_id');
    expect((await send(`PUT /api/regimens/${regimen.id}`, regimen)).status).toBe(200);
    expect((await send(`PUT /api/sequences/${sequence.id}`, sequence)).status).toBe(200);
    const { json: config } = await send('GET /api/fbos_config');
    expect((await send('PATCH /api/fbos_config', config)).status).toBe(200);
    expect((await send('PATCH /api/fbos_config', { boot_sequence: 5 })).status).toBe(422);
  });

  it('refuses unknown names within lists and objects', async () => {
    const points = [
      { pointer_type: 'Plant', x: 1, y: 2 },
      { pointer_type: 'Plant', x: 1, y: 2, slug: 'mint' },
    ];
    expect((await send('POST /api/points/bulk', { points })).json).toEqual({
      points: [null, { slug: expect.stringContaining('Slug is unknown here') }],
    });
    const meta = { color: 'red', anything: 'goes' };
    expect((await send('POST /api/points', { ...points[0], meta })).json.meta).toEqual(meta);
    const criteria = { day: { op: '<', days_ago: 0 }, string_eq: {}, number_eq: {}, number_lt: {}, number_gt: {} };
    const group = { name: 'Dry', point_ids: [], sort_type: 'xy_ascending' };
    expect((await send('POST /api/point_groups', { ...group, criteria })).status).toBe(200);
    const wrong = { ...criteria, strings_eq: {}, day: { ...criteria.day, days: 1 } };
    const { json } = await send('POST /api/point_groups', { ...group, criteria: wrong });
    expect(json).toEqual({ criteria: { strings_eq: expect.any(String), day: { days: expect.any(String) } } });
  });

  it('reports at most 100 of them', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`key ${index}`, 1]));
    const { status, json } = await send('POST /api/tools', { name: 'Rake', ...many });
    expect([status, Object.keys(json).length]).toEqual([422, 100]);
  });

  it('leaves lists that are too long, and the shape of lists in replies, to others', async () => {
    const points = Array.from({ length: 501 }, () => ({ slug: 'mint' }));
    expect((await send('POST /api/points/bulk', { points })).json.points).toEqual(expect.any(String));
    const part = { method: 'GET', path: '/api/tools', status: 200 };
    expect((await send('POST /api/batch', [part])).json).toEqual({ 1: { status: expect.any(String) } });
  });

  it('refuses the name that is special in JavaScript', async () => {
    const body = JSON.parse('{"name":"Rake","__proto__":1}');
    expect(JSON.stringify((await send('POST /api/tools', body)).json)).toContain('"__proto__":');
    expect((await send('GET /api/points?__proto__=1')).status).toBe(422);
  });

  it('refuses unknown parameters, and half a page', async () => {
    for (const [path, failures] of [
      ['points?pointertype=Weed', ['pointertype']],
      ['points?per=5', ['page']],
      ['points?page=1', ['per']],
      ['users?per=5', ['per']],
      ['points/search?meta[color]=red&x[y]=1', ['x[y]']],
      ['logs?pin=5', ['pin']],
    ] as const) {
      const { status, json } = await send(`GET /api/${path}`);
      expect([path, status, Object.keys(json)]).toEqual([path, 422, failures]);
      expect((await send(`GET /api/${path}`, undefined, {})).status).toBe(200);
    }
    for (const path of ['points?page=1&per=5', 'points/search?meta[color]=red&filter=all', 'logs/search?type=info'])
      expect((await send(`GET /api/${path}`)).status).toBe(200);
  });

  it('refuses values of parameters that are ignored without it', async () => {
    for (const [path, failures] of [
      ['points?filter=olds', { filter: 'Filter must be one of kept, old, all.' }],
      ['points?page=0&per=5', { page: 'Page is too small (at least 1).' }],
      ['points?page=1&per=-5', { per: 'Per is too small (at least 1).' }],
      ['points?page=a&per=2000000', { page: 'Page must be a whole number.', per: 'Per is too big (at most 1000000).' }],
      ['logs/search?type=warning&x=1mm', { type: expect.stringMatching(/, warn\.$/), x: 'X must be a number.' }],
    ] as const) {
      const { status, json } = await send(`GET /api/${path}`);
      expect([path, status, json]).toEqual([path, 422, failures]);
      expect((await send(`GET /api/${path}`, undefined, {})).status).toBe(200);
    }
    const exported = await send('POST /api/export_data?photos=yes', {});
    expect([exported.status, exported.json]).toEqual([422, { photos: 'Photos must be true or false.' }]);
    for (const path of ['points?filter=old&page=2&per=5', 'logs/search?x=-1.5&verbosity=-1'])
      expect((await send(`GET /api/${path}`)).status).toBe(200);
  });

  it('is for the parts of a batch, too', async () => {
    const tool = { method: 'POST', path: '/api/tools', body: { name: 'Rake' } };
    const wrong = { method: 'POST', path: '/api/tools', body: { nam: 'Rake' } };
    const { status, json } = await send('POST /api/batch', [tool, wrong]);
    expect([status, json]).toEqual([422, { 2: { nam: expect.stringContaining('known are') } }]);
    const extra = await send('POST /api/batch', [tool, { ...tool, label: 'x' }]);
    expect(extra.json).toEqual({ 2: { label: 'Label is unknown here: known are body, method, path.' } });
    expect((await send('GET /api/tools')).json).toEqual([]);
    expect((await send('POST /api/batch', [tool, { method: 'GET', path: '/api/tools/$1.id' }])).status).toBe(200);
  });

  it('comes after the rights', async () => {
    const { status } = await server.call('GET', '/api/points?pin=5', { headers: strict });
    expect(status).toBe(401);
  });

  it('knows the examples of all operations', () => {
    let count = 0;
    for (const route of server.app.routes) {
      const examples = route.body?.schema.examples;
      for (const body of Array.isArray(examples) ? examples : []) {
        expect(() => assertStrictlyValid(route, { query: {}, body }), `${route.method} ${route.path}`).not.toThrow();
        count++;
      }
    }
    expect(count).toBeGreaterThan(80);
  });
});

describeEngines('filters of lists', (engine) => {
  const server = suiteApp(engine);

  it('select readings by pin and points by type, in pages, too', async () => {
    const { token } = await server.signUp();
    const call = (method: string, path: string, body?: object) =>
      server.call(method, path, { token, ...(body && { body }) });
    for (const [pin, value] of [
      [59, 1],
      [60, 2],
      [59, 3],
    ])
      await call('POST', '/api/sensor_readings', { pin, value, mode: 1, x: 0, y: 0, z: 0 });
    const values = async (query: string) => {
      const { json } = await call('GET', `/api/sensor_readings?${query}`);
      return json.map(({ value }: { value: number }) => value).toSorted();
    };
    expect([await values('pin=59'), await values('pin=61'), await values('')]).toEqual([[1, 3], [], [1, 2, 3]]);
    const page = await call('GET', '/api/sensor_readings?pin=59&page=2&per=1');
    expect([page.json.length, page.headers['x-total-count']]).toEqual([1, '2']);
    expect(page.headers.link).toContain('/api/sensor_readings?pin=59&page=1&per=1>; rel="prev"');
    for (const pointer_type of ['Plant', 'Weed', 'Plant'])
      await call('POST', '/api/points', { pointer_type, x: 1, y: 2 });
    const types = async (query: string) => {
      const { json } = await call('GET', `/api/points?${query}`);
      return json.map((point: { pointer_type: string }) => point.pointer_type);
    };
    expect(await types('pointer_type=Weed')).toEqual(['Weed']);
    expect(await types('pointer_type=Plant&filter=all')).toEqual(['Plant', 'Plant']);
    const paged = await call('GET', '/api/points?pointer_type=Plant&page=1&per=1');
    expect([paged.json.length, paged.headers['x-total-count']]).toEqual([1, '2']);
    for (const [path, failures] of [
      [
        'points?pointer_type=Tree',
        { pointer_type: 'Pointer Type must be one of GenericPointer, Plant, ToolSlot, Weed.' },
      ],
      ['sensor_readings?pin=a', { pin: 'Pin must be a whole number.' }],
      ['sensor_readings?pin=59&pin=60', { pin: 'Pin must be sent once.' }],
    ] as const) {
      const { status, json } = await call('GET', `/api/${path}`);
      expect([status, json]).toEqual([422, failures]);
    }
  });
});
