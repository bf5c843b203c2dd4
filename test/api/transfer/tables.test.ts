import { Readable } from 'node:stream';
import inject from 'light-my-request';
import { beforeEach, expect, it } from 'vitest';
import type { Account } from '../../support/app.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

const day = 86_400_000;

describeEngines('tables of plants', (engine) => {
  const clock = { time: Date.parse('2026-06-01T12:00:00Z'), now: () => clock.time };
  const server = suiteApp(engine, {}, clock);
  let own: Account;

  beforeEach(async () => {
    own = await server.signUp();
    await ok('PATCH', '/api/device', { timezone: 'Pacific/Auckland' });
  });

  const ok = async (method: string, path: string, body?: object) => {
    const { status, json, text } = await server.call(method, path, { token: own.token, ...(body && { body }) });
    expect(status, text).toBe(200);
    return json;
  };
  const send = async (content: Buffer | string, { query = '', type = 'text/csv', language = '' } = {}) => {
    const response = await inject(server.app.http.handler, {
      method: 'POST',
      url: `/api/import${query}`,
      headers: {
        'user-agent': 'test',
        authorization: own.token,
        'content-type': type,
        ...(language && { 'x-potager-language': language }),
      },
      payload: Readable.from([Buffer.from(content)]),
    });
    return { status: response.statusCode, json: JSON.parse(response.body) };
  };
  const plants = async () => (await ok('GET', '/api/points')) as Record<string, unknown>[];
  const table = async () => {
    const { status, text, headers } = await server.call('GET', '/api/points/table', { token: own.token });
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    return text;
  };

  it('are reported first, and then added to what is there', async () => {
    await ok('POST', '/api/points', { pointer_type: 'Weed', x: 1, y: 2 });
    const csv = 'Crop,X,Y,Planted on,Taste\r\nbeetroot,100,200.5,2026-05-01,sweet\r\nMöhre,300,400,,\r\n';
    const report = {
      ok: true,
      mode: 'merge',
      taken: { points: 2 },
      reused: {},
      changed: [],
      left_out: [{ path: '/rows/1/Taste', message: 'This column is unknown.' }],
      problems: [],
      unlisted: 0,
      back_up: null,
    };
    expect(await send(csv, { query: '?check=true' })).toEqual({ status: 200, json: { ...report, check: true } });
    expect(await plants()).toHaveLength(1);
    expect(await send(csv)).toEqual({ status: 200, json: { ...report, check: false } });
    expect((await plants()).slice(1)).toMatchObject([
      {
        pointer_type: 'Plant',
        name: 'beetroot',
        openfarm_slug: 'beet',
        x: 100,
        y: 200.5,
        z: 0,
        depth: 20,
        plant_stage: 'planted',
        // Noon of that day in the garden.
        planted_at: '2026-05-01T00:00:00.000Z',
      },
      { name: 'Möhre', openfarm_slug: 'carrot', plant_stage: 'planned', planted_at: null },
    ]);
  });

  it.each([
    [
      'semicolons and commas of German spreadsheets',
      'Culture;x;y;Planté le\r\nPorree;1,5;2;01.05.2026\r\n',
      'text/csv',
    ],
    ['a line for Excel', 'sep=;\r\nCrop;x;y;planted\r\nPorree;1,5;2;1.5.2026\r\n', 'text/csv'],
    ['tabs', 'crop\tX (mm)\tY (mm)\tplanted_at\nPorree\t1.5\t2\t2026-05-01\n', 'text/tab-separated-values'],
    ['UTF-16', Buffer.from('\uFEFFcrop\tx\ty\tdate\r\nPorree\t1.5\t2\t2026-05-01\r\n', 'utf16le'), 'text/csv'],
    [
      'days before months, as other rows show',
      'crop,x,y,date\nPorree,1.5,2,1/5/2026\nleek,9,9,31/5/2026\n',
      'text/csv',
    ],
    ['months before days', 'crop,x,y,date\nPorree,1.5,2,5/1/2026\nleek,9,9,5/31/2026\n', 'text/csv'],
  ])('are read with %s', async (_what, content, type) => {
    expect(await send(content, { type })).toMatchObject({ status: 200, json: { ok: true, changed: [] } });
    expect((await plants())[0]).toMatchObject({
      name: 'Porree',
      openfarm_slug: 'leek',
      x: 1.5,
      y: 2,
      planted_at: '2026-05-01T00:00:00.000Z',
    });
  });

  it('have decimal commas wherever semicolons separate cells', async () => {
    expect((await send('x;y\n1,234;0,125\n')).status).toBe(200);
    expect(await plants()).toMatchObject([{ x: 1.234, y: 0.125 }]);
  });

  it('are planted from their day in the garden on, unless they have a stage', async () => {
    // In Auckland it is midnight: the second of June has begun.
    const csv =
      'crop,x,y,planted on,plant_stage\nleek,1,1,2026-06-02\nleek,2,2,2026-06-03,\nleek,3,3,2026-06-03,Sprouted\n';
    expect((await send(csv)).status).toBe(200);
    expect((await plants()).map(({ plant_stage }) => plant_stage)).toEqual(['planted', 'planned', 'sprouted']);
  });

  it('are not planted in a century that the table does not name', async () => {
    expect((await send('x,y,planted_at\n1,2,0024-05-31\n')).json).toEqual({
      '/rows/2/planted_at': '0024-05-31 is not a day. Write days like 2026-05-31.',
    });
  });

  it.each(['Vrai', 'TRUE', 'ja', '1'])('have truths as spreadsheets write them: %s', async (truth) => {
    const csv = `pointer_type,x,y,gantry_mounted\nToolSlot,1,1,${truth}\nToolSlot,2,2,Faux\n`;
    expect((await send(csv)).status).toBe(200);
    expect((await plants()).map(({ gantry_mounted }) => gantry_mounted)).toEqual([true, false]);
    const { json } = await send('pointer_type,x,y,gantry_mounted\nToolSlot,1,1,constructor\n');
    expect(json).toEqual({ '/rows/2/gantry_mounted': 'This must be true or false.' });
  });

  it('in Windows-1252 are read where it is named, or refused in words', async () => {
    const bytes = Buffer.from('crop;x;y\r\nM\xf6hre;1;2\r\n', 'latin1');
    expect(await send(bytes)).toEqual({
      status: 422,
      json: {
        error:
          'The table is neither UTF-8 nor UTF-16. Save it as UTF-8, or name its encoding: windows-1252 is that of older programs.',
      },
    });
    expect((await send(bytes, { language: 'fr' })).json.error).toContain('Le tableau n’est ni en UTF-8 ni en UTF-16.');
    expect(await send(bytes, { type: 'text/csv; charset=klingon' })).toEqual({
      status: 422,
      json: { error: 'The encoding klingon is unknown.' },
    });
    expect(await plants()).toEqual([]);
    expect((await send(bytes, { type: 'text/csv; charset=windows-1252' })).status).toBe(200);
    expect(await plants()).toMatchObject([{ name: 'Möhre', openfarm_slug: 'carrot' }]);
  });

  it('with problems store nothing, and name the row and the column', async () => {
    const csv = [
      'crop,x,y,planted on,depth,x (mm),stage',
      'leek,wide,2,31.02.2026,deep,,dancing',
      'leek,1,,,,,',
      'leek,60000,2,,,,',
      'leek,1,2,3,4,5,6,7',
    ].join('\n');
    const problems = {
      '/rows/1/x (mm)': 'There is another column for the same.',
      '/rows/2/x': 'wide is not a number.',
      '/rows/2/planted on': '31.02.2026 is not a day. Write days like 2026-05-31.',
      '/rows/2/depth': 'deep is not a number.',
      '/rows/3/y': expect.any(String),
      '/rows/4/x': expect.any(String),
      '/rows/5/planted on': expect.any(String),
    };
    const { status, json } = await send(csv);
    expect([status, json]).toEqual([422, expect.objectContaining(problems)]);
    const check = await send(csv, { query: '?check=true' });
    expect([check.status, check.json.ok, check.json.left_out]).toEqual([
      200,
      false,
      [{ path: '/rows/5', message: 'This row has more cells than the 7 columns.' }],
    ]);
    expect(await plants()).toEqual([]);
  });

  it.each([
    ['', { error: 'The table is empty: its first row must name the columns.' }],
    ['crop,z\nleek,1\n', { '/rows/1': 'The column x is missing. The column y is missing.' }],
    ['crop,x,y\n"leek,1,2\n', { error: 'Row 2: a quotation mark is not closed.' }],
    [
      'crop,x,y,date\nleek,1,2,3/4/2026\n',
      { '/rows/2/date': '3/4/2026 may begin with the day or with the month. Write days like 2026-05-31.' },
    ],
    [
      `crop,x,y\nba${'s'.repeat(15_000)},1,2\n`,
      {
        '/rows/2/crop': expect.stringContaining('too long'),
        '/rows/2/name': expect.stringContaining('too long'),
      },
    ],
    [
      'crop,x,y,z\nleek,"1,234","0,125","-1,5"\n',
      { '/rows/2/x': '1,234 may have a decimal comma or thousands. Write numbers like 1234.5.' },
    ],
    ['x\ty\n-12,345\t1\n', { '/rows/2/x': expect.stringContaining('-12,345 may have a decimal comma') }],
    [`x,y\n${'1,2\n'.repeat(1001)}`, { '/rows': 'There may be at most 1000 points, not 1001.' }],
  ])('are refused: %j', async (content, problems) => {
    expect(await send(content)).toEqual({ status: 422, json: problems });
    expect(await plants()).toEqual([]);
  });

  it('can only be added, by gardeners', async () => {
    expect(await send('x,y\n1,2\n', { query: '?mode=replace' })).toEqual({
      status: 422,
      json: { mode: 'A table can only be added: use the mode merge.' },
    });
    expect((await send(Buffer.alloc(4 * 1024 * 1024 + 1, ' '))).status).toBe(413);
    expect(await plants()).toEqual([]);
  });

  it('keep a crop that is unknown, and leave out references that are', async () => {
    const csv = 'crop,x,y,water curve\nMoonbeet,1,2,Rain\n';
    const { json } = await send(csv);
    expect(json.changed).toEqual([
      { path: '/rows/2/crop', message: 'The catalog has no crop Moonbeet: it is stored as it is.' },
      { path: '/rows/2/water curve', message: 'The garden has no Rain: the cell was left out.' },
    ]);
    expect(await plants()).toMatchObject([{ name: 'Moonbeet', openfarm_slug: 'Moonbeet', water_curve_id: null }]);
  });

  it('are the inverse of the export', async () => {
    const curve = await ok('POST', '/api/curves', { name: '=Water, daily', type: 'water', data: { 1: 10, 20: 500 } });
    const tool = await ok('POST', '/api/tools', { name: 'Watering "nozzle"' });
    const common = { x: 1.25, y: 2, z: -3 };
    for (const body of [
      { pointer_type: 'Plant', name: '=1+1', openfarm_slug: 'tomate', radius: 12.5, depth: 7, ...common },
      { pointer_type: 'Plant', name: 'two\nlines; "quoted", and more', water_curve_id: curve.id, ...common },
      {
        pointer_type: 'Plant',
        name: '-3',
        plant_stage: 'harvested',
        planted_at: '2026-03-04T05:06:07.089Z',
        ...common,
      },
      {
        pointer_type: 'Weed',
        name: 'Nettle;=1+1',
        meta: { color: 'red;=1', created_by: 'plant-detection' },
        ...common,
      },
      { pointer_type: 'GenericPointer', name: "'s-Gravenzande", meta: {}, ...common },
      {
        pointer_type: 'ToolSlot',
        name: 'Slot',
        tool_id: tool.id,
        pullout_direction: 2,
        gantry_mounted: true,
        mount_stage: 3,
        mount_offset_x: 4.5,
        ...common,
      },
    ])
      await ok('POST', '/api/points', body);
    const comparable = async () =>
      (await plants()).map(({ id: _id, created_at: _created, updated_at: _updated, ...rest }) => rest);
    const [before, csv] = [await comparable(), await table()];
    expect(csv.split('\r\n')[0]).toContain(
      'name,pointer_type,meta,x,y,z,radius,openfarm_slug,plant_stage,planted_at,depth',
    );
    expect(csv).toContain(`"Nettle;'=1+1",Weed,"{""color"":""red;'=1"",`);
    const ids = (await plants()).map(({ id }) => id);
    await server.call('DELETE', `/api/points/${ids.join(',')}`, { token: own.token });
    expect(await plants()).toEqual([]);
    clock.time += day;
    expect(await send(csv)).toMatchObject({
      status: 200,
      json: { ok: true, taken: { points: 6 }, changed: [], left_out: [] },
    });
    expect(await comparable()).toEqual(before);
    expect(await table()).toBe(csv);
    // The tool is in its slot.
    expect(await send(csv)).toEqual({ status: 422, json: { '/rows/7': 'The tool is in another slot.' } });
    const other = await server.signUp();
    expect((await server.call('GET', '/api/points/table', { token: other.token })).text.split('\r\n')).toHaveLength(2);
  });
});
