import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countPending } from '../../../src/db/announcement-progress.ts';
import type { CommandSession } from '../../../src/operations.ts';
import { openCommandSession } from '../../../src/operations.ts';
import { readSettings } from '../../../src/settings/settings.ts';
import { type SignedInAccount, signUp } from '../../support/accounts.ts';
import { describeEngines } from '../../support/engines.ts';
import type { Json } from '../../support/json.ts';
import { numberAt } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { anyPort, prepareServer, type ServerProcess, startServer } from '../../support/servers.ts';

const wait = (milliseconds: Json): Json => ({ kind: 'wait', args: { milliseconds } });
const execute = (sequence_id: number): Json => ({ kind: 'execute', args: { sequence_id } });

describe('potager check', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await prepareServer('sqlite');
  });
  afterAll(() => server.remove());

  const check = (program: Json | string, file = '-') =>
    server.run(['check', file], {}, typeof program === 'string' ? program : JSON.stringify(program));

  it('accepts a valid program', async () => {
    expect(await check([wait(5)])).toMatchObject({ code: 0, output: 'No problems in 1 step.\n' });
    expect(await check({ name: 'Water', args: {}, body: [wait(5), execute(7)] })).toMatchObject({
      code: 0,
      output: 'No problems in 2 steps. References to records were not checked.\n',
    });
  });

  it('prints each problem on its own line', async () => {
    const found = await check({ args: null, body: [wait('long'), { kind: 'dance', args: {} }, execute(0)] });
    expect(found.code).toBe(1);
    expect(found.stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^\/body\/1: Step 2: .*dance.*\.$/),
      expect.stringMatching(/^\/body\/0\/args\/milliseconds: Step 1: .*\.$/),
      expect.stringMatching(/^\/body\/2\/args\/sequence_id: Step 3: .*\.$/),
    ]);
  });

  it('reads files without settings and without a database', async () => {
    const file = join(server.folder, 'program.json');
    await writeFile(file, JSON.stringify([wait(1), wait(2)]));
    expect(await server.run(['check', file], { DATABASE_URL: 'nonsense' })).toMatchObject({
      code: 0,
      output: 'No problems in 2 steps.\n',
    });
    const missing = await server.run(['check', 'no-such-file.json']);
    expect(missing).toMatchObject({ code: 1, output: 'no-such-file.json cannot be read (ENOENT).\n' });
  });

  it('rejects an empty file and one that is not UTF-8', async () => {
    const file = join(server.folder, 'empty.json');
    await writeFile(file, '');
    expect(await server.run(['check', file])).toMatchObject({ code: 1, output: `${file} is empty.\n` });
    await writeFile(file, Buffer.from('[{"kind":"\u00fc"}]', 'latin1'));
    expect(await server.run(['check', file])).toMatchObject({
      code: 1,
      output: 'The file is not valid JSON: it is not encoded in UTF-8.\n',
    });
  });

  it('prints a note about the default limit of steps', async () => {
    const note =
      'Note: an account allows 30 steps, not 31, unless its limit is raised ("potager device set-limits").\n';
    expect(await check(Array(30).fill(wait(1)))).toMatchObject({ code: 0, output: 'No problems in 30 steps.\n' });
    expect(await check(Array(31).fill(wait(1)))).toMatchObject({
      code: 0,
      output: `No problems in 31 steps.\n${note}`,
    });
    const bad = await check([...Array(30).fill(wait(1)), wait('x')]);
    expect(bad).toMatchObject({ code: 1, stdout: expect.stringMatching(/^\/body\/30\/.*\nNote: .*\n$/) });
  });

  it.each([
    ['no JSON', '{"body": [', /^The file is not valid JSON: .*\n$/],
    ['nothing', '', /^Standard input is empty\.\n$/],
    ['white space', '\ufeff \n\t', /^Standard input is empty\.\n$/],
    ['null', 'null', /^\/body: The "body" of a sequence must be a list of steps\.\n$/],
    ['something else', '5', /^\/body: The "body" of a sequence must be a list of steps\.\n$/],
    [
      'a very deep list',
      '['.repeat(100_000) + ']'.repeat(100_000),
      /^The JSON is nested more than 100 levels deep\.\n$/,
    ],
    ['too many nodes', JSON.stringify(Array(5000).fill(wait(1))), /^A program has at most 4000 nodes\.\nNote: .*\n$/],
    ['a very long file', `["${'x'.repeat(5_000_000)}"]`, /^A program may have at most 4 MiB\.\n$/],
    ['a terminal’s own characters', '[{"kind":"\\u001b[2J","args":{}}]', /^\/body\/0: \P{Cc}*\n$/u],
  ])('rejects %s', async (_what, text, message) => {
    expect(await check(text)).toMatchObject({ code: 1, output: expect.stringMatching(message) });
  });
});

describeEngines('commands about programs', (engine) => {
  let server: ServerProcess;
  let account: SignedInAccount;
  beforeAll(async () => {
    server = await startServer(engine);
    account = await signUp(server, 'Ada');
  });
  afterAll(() => server.remove());

  const store = (name: string, body: Json[]) => server.client.post('/api/sequences', { name, body }, account.token);

  it('set-limits changes the limits of a device while the server runs', async () => {
    expect((await store('Long', Array(31).fill(wait(1)))).status).toBe(422);
    const done = await server.run([
      'device',
      'set-limits',
      account.email.toUpperCase(),
      '--steps',
      '31',
      '--logs',
      '10',
    ]);
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Changed the limits of .*: steps 31, logs 10\.$/m),
    });
    expect((await store('Long', Array(31).fill(wait(1)))).status).toBe(200);
    expect((await server.client.get('/api/device', account.token)).json).toMatchObject({
      max_sequence_length: 31,
      max_sequence_count: 0,
    });
    const count = await server.run(['device', 'set-limits', account.email, '--sequences', '1', '--photos', '5']);
    expect(count.code).toBe(0);
    expect((await store('Second', [])).json).toEqual({ sequence_count: expect.stringContaining('at most 1') });
    expect((await server.run(['device', 'set-limits', account.email, '--sequences', '0'])).code).toBe(0);
    expect((await store('Second', [])).status).toBe(200);
  });

  it('set-limits reports invalid arguments', async () => {
    const none = await server.run(['device', 'set-limits', account.email]);
    expect(none).toMatchObject({ code: 2, output: expect.stringContaining('No limit was given') });
    const unknown = await server.run(['device', 'set-limits', 'nobody@example.com', '--steps', '5']);
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('nobody@example.com') });
    for (const bad of ['-1', 'many', '1e9', '10001'])
      expect((await server.run(['device', 'set-limits', account.email, `--steps=${bad}`])).code).toBe(2);
  });

  it('publish also shares programs that users cannot publish', async () => {
    const inner = numberAt((await store('Inner', [wait(1)])).json, 'id');
    const id = numberAt((await store('Outer', [execute(inner)])).json, 'id');
    const refused = await server.client.post(`/api/sequences/${id}/publish`, { copyright: 'MIT' }, account.token);
    expect(refused.status).toBe(422);
    const done = await server.run(['sequence', 'publish', String(id)]);
    expect(done).toMatchObject({ code: 0, stdout: `Published sequence ${id}.\n` });
    const { json } = await server.client.get(`/api/sequences/${id}`, account.token);
    const version = numberAt(json, 'sequence_versions.0');
    expect((await server.client.get(`/api/sequence_versions/${version}`, account.token)).json).toMatchObject({
      name: 'Outer',
      copyright: expect.stringMatching(/^Copyright \d{4} Ada$/),
      body: [execute(inner)],
    });
    await server.run(['sequence', 'publish', String(id), '--copyright', 'CC0']);
    expect((await server.client.get(`/api/sequences/${id}`, account.token)).json).toMatchObject({ copyright: 'CC0' });
    const unknown = await server.run(['sequence', 'publish', '999999']);
    expect(unknown).toMatchObject({ code: 1, output: 'There is no sequence 999999.\n' });
    expect((await server.run(['sequence', 'publish', 'x'])).code).toBe(2);
  });
});

describeEngines('changes by commands while the server runs', (engine) => {
  let server: ServerProcess;
  let account: SignedInAccount;
  let listener: MqttTestClient;
  /** A second process on the database. */
  let database: CommandSession;
  beforeAll(async () => {
    server = await startServer(engine, { MQTT_PORT: anyPort });
    const settings = readSettings({ ...server.env, DATA_DIR: server.dataDir });
    database = await openCommandSession(settings, pino({ level: 'silent' }));
    account = await signUp(server, 'Ada');
    listener = await MqttTestClient.connect(server.mqtt, { username: account.bot, password: account.token });
    await listener.subscribe(`bot/${account.bot}/sync/#`);
  });
  afterAll(async () => {
    await listener?.end();
    await database?.close();
    await server?.remove();
  });

  const messages = () => listener.received.map(({ topic, text }) => ({ topic, message: JSON.parse(text) }));
  /** Waits for messages, and until nothing is left that could be announced again. */
  const settled = async (count: number): Promise<void> => {
    await listener.waitUntil((all) => all.length >= count);
    await expect.poll(() => countPending(database.server())).toBe(0);
    // The broker's acknowledgment follows everything that it sent before.
    await listener.subscribe(`bot/${account.bot}/sync/#`);
  };

  it('is announced exactly once', async () => {
    const created = await server.client.post('/api/sequences', { name: 'Wait', body: [wait(1)] }, account.token);
    const id = numberAt(created.json, 'id');
    // Creating the account is announced too.
    await listener.waitUntil((all) => all.some(({ topic }) => topic.endsWith(`/Sequence/${id}`)));
    listener.take();

    expect((await server.run(['sequence', 'publish', String(id)])).code).toBe(0);
    await settled(1);
    const { json } = await server.client.get(`/api/sequences/${id}`, account.token);
    expect(messages()).toEqual([
      {
        topic: `bot/${account.bot}/sync/Sequence/${id}`,
        message: { args: { label: expect.any(String) }, body: json },
      },
    ]);
    listener.take();

    expect((await server.run(['device', 'set-limits', account.email, '--steps', '40'])).code).toBe(0);
    await settled(1);
    expect(messages()).toEqual([
      {
        topic: `bot/${account.bot}/sync/Device/${account.deviceId}`,
        message: expect.objectContaining({ body: expect.objectContaining({ max_sequence_length: 40 }) }),
      },
    ]);
    listener.take();
  });

  it('is announced before later changes of the server', async () => {
    listener.take();
    expect((await server.run(['device', 'set-limits', account.email, '--steps', '50'])).code).toBe(0);
    await server.client.send('PATCH', '/api/device', { token: account.token, body: { name: 'Later' } });
    await settled(2);
    expect(messages().map(({ message }) => [message.body.max_sequence_length, message.body.name === 'Later'])).toEqual([
      [50, false],
      [50, true],
    ]);
    listener.take();
  });

  it('is dropped at the next start if no server runs', async () => {
    await server.stop();
    expect((await server.run(['device', 'set-limits', account.email, '--steps', '60'])).code).toBe(0);
    await listener.end();
    await server.start();
    // It is published before the listener connects; the row must not remain.
    listener = await MqttTestClient.connect(server.mqtt, { username: account.bot, password: account.token });
    await listener.subscribe(`bot/${account.bot}/sync/#`);
    await server.client.send('PATCH', '/api/device', { token: account.token, body: { name: 'Last' } });
    await settled(1);
    expect(messages().filter(({ message }) => message.body.name === 'Last')).toHaveLength(1);
  });
});
