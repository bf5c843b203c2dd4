import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { Document } from '../../support/account-transfer.ts';
import { exportAccount, fixture, sendImport, zipArchive } from '../../support/account-transfer.ts';
import { suiteAccount, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

const plain = (): Document => fixture('plain');
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Returns all files below a folder. */
const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : [];

/** Replaces all occurrences of a name in an archive by another of the same length. */
function renamed(archive: Buffer, from: string, to: string): Buffer {
  if (from.length !== to.length) throw new Error('names of different lengths');
  const copy = Buffer.from(archive);
  for (let at = copy.indexOf(from); at >= 0; at = copy.indexOf(from, at + 1)) copy.write(to, at, 'latin1');
  return copy;
}

/** Replaces the size of an archive's last file in the central directory. */
function withDeclaredSize(archive: Buffer, size: number): Buffer {
  const copy = Buffer.from(archive);
  const at = copy.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
  copy.writeUInt32LE(size, at + 24);
  return copy;
}

/** Sets the encryption flag of all files of an archive. */
function encrypted(archive: Buffer): Buffer {
  const copy = Buffer.from(archive);
  for (const [mark, offset] of [
    ['PK\x03\x04', 6],
    ['PK\x01\x02', 8],
  ] as const) {
    const bytes = Buffer.from(mark, 'latin1');
    for (let at = copy.indexOf(bytes); at >= 0; at = copy.indexOf(bytes, at + 1))
      copy.writeUInt16LE(copy.readUInt16LE(at + offset) | 1, at + offset);
  }
  return copy;
}

describeEngines('an invalid import', (engine) => {
  const server = suiteApp(engine);
  const account = suiteAccount(server);
  const other = suiteAccount(server);
  let before: string;
  const kept = async (): Promise<string> => {
    const {
      export_created_at: _time,
      token_issuances: _tokens,
      users: _users,
      ...rest
    } = await exportAccount(server, account);
    return JSON.stringify(rest);
  };
  beforeAll(async () => {
    before = await kept();
  });
  afterEach(async () => {
    expect(await kept()).toBe(before);
    for (const folder of ['imports', 'imports-replaced', 'photos'])
      expect(filesIn(join(server.settings.DATA_DIR, folder)), folder).toEqual([]);
  });

  /** Sends a document and returns the problems by path. */
  const problemsOf = async (content: Document | Buffer, query = ''): Promise<Record<string, string>> => {
    const { status, json: body, text } = await sendImport(server, account, content, query);
    expect(status, text).toBe(422);
    return body;
  };

  it('is rejected as a whole if the database rejects the last record', async () => {
    const document = plain();
    // Two names that only differ in a character that databases do not store.
    document.scene_objects.push({
      ...document.scene_objects[0],
      id: 8888,
      name: `${document.scene_objects[0].name}\0`,
    });
    const { status } = await sendImport(server, account, document);
    expect(status).toBe(422);
  });

  it('is rejected if it refers to records of other accounts', async () => {
    const { token } = other;
    const body = { name: 'Theirs', body: [] };
    const foreign = (await server.call('POST', '/api/sequences', { token, body })).json.id;
    let tool = 0;
    // An id that is not in the document.
    for (let n = 0; tool < 10; n++)
      tool = (await server.call('POST', '/api/tools', { token, body: { name: `Theirs ${n}` } })).json.id;
    const document = plain();
    document.farm_events[0].executable_id = foreign;
    document.sequences[1].body = [{ kind: 'execute', args: { sequence_id: foreign } }];
    document.points.find(({ pointer_type }: Document) => pointer_type === 'ToolSlot').tool_id = tool;
    const report = await sendImport(server, account, document, '?check=true');
    expect(report.json).toMatchObject({ ok: false });
    const text = JSON.stringify(report.json);
    for (const path of ['/farm_events/0/executable_id', '/sequences/1/body/0/args/sequence_id', '/points/2/tool_id'])
      expect(text).toContain(path);
    expect(Object.keys(await problemsOf(document))).toEqual(['/farm_events/0/executable_id']);
  });

  it('is rejected if a record requires a missing one', async () => {
    const document = plain();
    document.farm_events[0].executable_id = 4040;
    document.regimens[0].regimen_items[0].sequence_id = 4041;
    document.plant_templates[0].saved_garden_id = 4042;
    document.pin_bindings[0].sequence_id = 4043;
    expect(await problemsOf(document)).toEqual({
      '/farm_events/0/executable_id': 'The document has no sequence 4040.',
      '/regimens/0/regimen_items/0/sequence_id': 'The document has no sequence 4041.',
      '/plant_templates/0/saved_garden_id': 'The document has no saved garden 4042.',
      '/pin_bindings/0/sequence_id': 'The document has no sequence 4043.',
    });
  });

  // Documents are read, and most of their problems found, without the database.
  if (engine !== 'sqlite') return;

  it('is rejected if it is not JSON, not an object, or not an account', async () => {
    for (const text of ['', 'hello', '{"tools":', '\x00\x01\x02', '{"a":1}{"b":2}', 'PK\x05\x06'])
      expect(await problemsOf(Buffer.from(text, 'latin1'))).toEqual({
        error: 'The file is neither JSON nor a ZIP archive.',
      });
    for (const value of [[], 'text', 5, null])
      expect(await problemsOf(json(value))).toEqual({
        error: 'The document is not an exported account: it must be an object.',
      });
    expect(Object.keys(await problemsOf({}))).toContain('/sequences');
    const { points: _points, ...rest } = plain();
    expect(await problemsOf(rest)).toEqual({ '/points': 'This is missing: the document is not an exported account.' });
    expect(await problemsOf({ ...plain(), tools: {}, device: [], fbos_config: null })).toEqual({
      '/tools': 'This must be a list.',
      '/device': 'This must be an object.',
      '/fbos_config': 'This must be an object.',
    });
    expect(await problemsOf({ ...plain(), database_schema: 'yes' })).toHaveProperty(['/database_schema']);
  });

  it('is rejected if it is nested too deeply, or it or a record is too large', async () => {
    const depth = 200_000;
    expect((await problemsOf(Buffer.from(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`))).error).toContain(
      'levels deep',
    );
    const values = Buffer.from(`{"a":[${'0,'.repeat(4_100_000)}0]}`);
    expect((await problemsOf(values)).error).toContain('more than 4000000 values');
    const records = Buffer.from(`{"a":[${'0,'.repeat(100_000)}0]}`);
    expect((await problemsOf(records)).error).toContain('more than 100000 records');
    const document = plain();
    document.saved_gardens.push({ id: 999, name: 'x'.repeat(1_100_000) });
    expect(await problemsOf(document)).toEqual({ '/saved_gardens/1': expect.stringContaining('has more than') });
    const { status, json: body } = await sendImport(server, account, Buffer.alloc(100 * 1024 * 1024, ' '));
    expect([status, Object.keys(body)]).toEqual([413, ['error']]);
  });

  it('is rejected with all problems by path', async () => {
    const document = plain();
    document.points[0].x = 'far';
    document.points[1].plant_stage = 'flying';
    document.tools[0].name = '';
    document.tools[1].id = document.tools[0].id;
    document.curves[0] = 'curve';
    document.peripherals[0].pin = 5000;
    document.sensors.push({ ...document.sensors[0], id: 888 });
    document.farm_events[0].end_time = '2099-01-01T00:00:00.000Z';
    expect(await problemsOf(document)).toEqual({
      '/tools/0/name': 'Name must not be blank.',
      '/tools/1': `There is another record with the id ${document.tools[0].id}.`,
      '/points/0/x': 'X must be a number.',
      '/points/1/plant_stage': expect.stringContaining('must be one of'),
      '/curves/0': 'A record must be an object.',
      '/peripherals/0': 'Pin is too big (at most 1000).',
      '/sensors/1/pin': 'There are two records with Pin 59.',
      '/farm_events/0/end_time': expect.stringContaining('too far in the future'),
      '/farm_events/0/occurrences': expect.stringContaining('would occur'),
    });
  });

  it('is rejected if folders contain each other', async () => {
    const document = plain();
    const [outer, inner] = document.folders;
    outer.parent_id = inner.id;
    expect(await problemsOf(document)).toEqual({ '/folders/0/parent_id': 'This folder is inside itself.' });
  });

  it('is rejected if there are more records than the account may have', async () => {
    const document = plain();
    const many = (count: number, one: Document, more: (n: number) => object): Document[] =>
      Array.from({ length: count }, (_, n) => ({ ...one, id: 10_000 + n, ...more(n) }));
    document.sequences.push(...many(80, document.sequences[0], (n) => ({ name: `More ${n}` })));
    document.points.push(...many(1001, document.points[0], () => ({})));
    document.farmware_envs.push(...many(300, document.farmware_envs[0], (n) => ({ key: `key ${n}` })));
    document.tools.push(...many(999, document.tools[0], (n) => ({ name: `More ${n}` })));
    document.sequences[1].body = Array.from({ length: 31 }, () => ({ kind: 'sync', args: {} }));
    const problems = await problemsOf(document);
    expect(Object.keys(problems).sort()).toEqual([
      '/farmware_envs',
      '/points',
      '/sequences',
      '/sequences/1/body',
      '/tools',
    ]);
    expect(problems['/tools']).toBe('There may be at most 1000 tools, not 1001.');
  });

  it('is rejected if an archive contains other files, or is too large when uncompressed', async () => {
    const document = { 'export.json': json(plain()) };
    const good = await zipArchive({ ...document, 'photos/900.jpg': Buffer.from('photo') });
    const other = await zipArchive({ ...document, aaaaaaaaaaaa: Buffer.from('x') });
    const zeros = Buffer.alloc(3_000_000);
    const bomb = await zipArchive({
      ...document,
      ...Object.fromEntries([...Array(40).keys()].map((n) => [`photos/${n + 1}.jpg`, zeros])),
    });
    const archives: [string, Buffer][] = [
      ['photos/a.jpg, which is not part of an export', renamed(other, 'aaaaaaaaaaaa', 'photos/a.jpg')],
      ['aaaaaaaaaaaa, which is not part of an export', other],
      ['damaged', renamed(other, 'aaaaaaaaaaaa', '../../../x.y')],
      ['damaged', renamed(other, 'aaaaaaaaaaaa', '/etc/passwd1')],
      ['damaged', renamed(other, 'aaaaaaaaaaaa', 'C:\\temp\\a.jp')],
      ['does not contain export.json', await zipArchive({ 'photos/1.jpg': Buffer.from('x') })],
      [
        'contains export.json twice',
        renamed(await zipArchive({ ...document, 'export.jsom': json({}) }), 'export.jsom', 'export.json'),
      ],
      ['export.json is encrypted', encrypted(good)],
      ['damaged', good.subarray(0, good.length - 30)],
      ['photos/900.jpg is damaged', withDeclaredSize(good, 50)],
      ['too large when uncompressed', withDeclaredSize(good, 4_000_000_000)],
      ['too large when uncompressed', bomb],
      [
        'export.json is too large when uncompressed',
        await zipArchive({ 'export.json': Buffer.alloc(33 * 1024 * 1024, ' ') }),
      ],
      ['export.json is not JSON', await zipArchive({ 'export.json': Buffer.from('hello') })],
    ];
    for (const [message, archive] of archives) expect((await problemsOf(archive)).error, message).toContain(message);
    const understated = withDeclaredSize(await zipArchive({ ...document, 'photos/900.jpg': zeros }), 10);
    expect((await problemsOf(understated)).error).toContain('damaged');
  });

  it('is rejected with an unknown mode, or without a token', async () => {
    expect(await problemsOf(plain(), '?mode=overwrite')).toEqual({
      mode: 'Mode must be one of empty, merge, replace.',
    });
    expect(await problemsOf(plain(), '?check=perhaps')).toEqual({ check: 'This must be true or false.' });
    const { status } = await server.call('POST', '/api/import', { raw: JSON.stringify(plain()) });
    expect(status).toBe(401);
  });
});
