import { Farmbot, type Sequence } from 'farmbot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEngines } from '../../support/engines.ts';
import { everyDaySequence, publishableSequence, visitSequence } from '../../support/farmbot-programs.ts';
import { isObject, type Json, type JsonObject, numberAt } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { type RobotAccount, type RobotServer, suiteRobotServer, waitUntil } from '../../support/robot-server.ts';

// Two users, the published JavaScript client and a virtual robot: programs are written, shared, scheduled and run.

const location = (x: number, y: number, z: number) => ({ kind: 'coordinate', args: { x, y, z } });
const given = (label: string, data_value: JsonObject) => ({
  kind: 'parameter_application',
  args: { label, data_value },
});

/** A user with a client that receives all messages. */
class Person {
  readonly gardener: RobotAccount;
  readonly #garden: RobotServer;
  readonly #listener: MqttTestClient;

  private constructor(garden: RobotServer, gardener: RobotAccount, listener: MqttTestClient) {
    this.#garden = garden;
    this.gardener = gardener;
    this.#listener = listener;
  }

  static async join(garden: RobotServer): Promise<Person> {
    const gardener = await garden.signUp();
    const listener = await MqttTestClient.connect(garden.mqtt, { username: gardener.bot, password: gardener.token });
    await listener.subscribe(`bot/${gardener.bot}/#`);
    return new Person(garden, gardener, listener);
  }

  leave(): Promise<void> {
    return this.#listener.end();
  }

  async request(method: string, path: string, body?: unknown): Promise<{ status: number; json: JsonObject }> {
    const sending = { token: this.gardener.token, ...(body !== undefined && { body: body as Json }) };
    const { status, text } = await this.#garden.http.send(method, path, sending);
    return { status, json: text === '' ? {} : (JSON.parse(text) as JsonObject) };
  }

  async requestOk(method: string, path: string, body?: unknown): Promise<JsonObject> {
    const { status, json } = await this.request(method, path, body);
    expect(status, `${method} ${path} ${JSON.stringify(json)}`).toBe(200);
    return json;
  }

  async make(path: string, body: unknown): Promise<number> {
    return numberAt(await this.requestOk('POST', path, body), 'id');
  }

  store(name: string, { args, body }: Sequence): Promise<number> {
    return this.make('/api/sequences', { name, args, body });
  }

  #received(channel: string): string[] {
    const topic = `bot/${this.gardener.bot}/${channel}`;
    return this.#listener.received.filter((each) => each.topic === topic).map(({ text }) => text);
  }

  /** The logs of the robot in order. */
  get logs(): string[] {
    return this.#received('logs').map((text) => String((JSON.parse(text) as JsonObject).message));
  }

  /** Reads a record and compares it with its last announcement and its pair in `device/sync`. */
  async agreed(path: string, announced: string, id: number): Promise<JsonObject> {
    const record = await this.requestOk('GET', `/api/${path}/${id}`);
    const last = () => this.#received(`sync/${announced}/${id}`).at(-1) ?? '{}';
    await waitUntil(
      () => ((JSON.parse(last()) as JsonObject).body as JsonObject | undefined)?.updated_at === record.updated_at,
      `the announcement of ${announced} ${id}`,
    );
    expect((JSON.parse(last()) as JsonObject).body).toEqual(record);
    const sync = await this.requestOk('GET', '/api/device/sync');
    const pairs = sync[path];
    expect(Array.isArray(pairs) ? pairs.filter((pair) => Array.isArray(pair) && pair[0] === id) : []).toEqual([
      [id, record.updated_at],
    ]);
    return record;
  }

  /** Schedules a sequence, directly and in a regimen. */
  async schedule(sequence_id: number, body: JsonObject[]): Promise<void> {
    const regimen = await this.make('/api/regimens', {
      name: `Plan of ${sequence_id}`,
      color: 'blue',
      regimen_items: [
        { time_offset: 300_000, sequence_id },
        { time_offset: 86_700_000, sequence_id },
      ],
      body,
    });
    const kept = await this.agreed('regimens', 'Regimen', regimen);
    expect(kept.body).toEqual(body);
    const event = {
      start_time: '2027-04-01T06:00:00.000Z',
      end_time: '2027-04-10T06:00:00.000Z',
      repeat: 2,
      time_unit: 'daily',
      body,
    };
    for (const executable of [
      { executable_type: 'Sequence', executable_id: sequence_id },
      { executable_type: 'Regimen', executable_id: regimen, time_unit: 'never' },
    ]) {
      const id = await this.make('/api/farm_events', { ...event, ...executable });
      expect(await this.agreed('farm_events', 'FarmEvent', id)).toMatchObject({ ...executable, body });
    }
    // Scheduled sequences stay.
    expect((await this.request('DELETE', `/api/sequences/${sequence_id}`)).status).toBe(422);
  }
}

describeEngines('the life of two programs', (engine) => {
  const garden = suiteRobotServer(engine, '127.0.0.23');
  let author: Person;
  let neighbor: Person;

  beforeAll(async () => {
    author = await Person.join(garden);
    neighbor = await Person.join(garden);
  });
  afterAll(async () => {
    await author.leave();
    await neighbor.leave();
  });

  it('one is shared, with all publishable steps and variables', async () => {
    const written = publishableSequence();
    const own = await author.store('Morning round', written);
    const shown = await author.agreed('sequences', 'Sequence', own);
    expect(shown).toMatchObject({ args: written.args, body: written.body, sequence_versions: [] });

    await author.requestOk('POST', `/api/sequences/${own}/publish`, { copyright: 'MIT' });
    const published = await author.agreed('sequences', 'Sequence', own);
    const version = numberAt(published, 'sequence_versions.0');
    expect(await neighbor.requestOk('GET', `/api/sequence_versions/${version}`)).toMatchObject({
      name: 'Morning round',
      copyright: 'MIT',
      body: written.body,
    });

    const other = numberAt(await neighbor.requestOk('POST', `/api/sequences/${version}/install`), 'id');
    expect(await neighbor.agreed('sequences', 'Sequence', other)).toMatchObject({
      name: 'Morning round',
      args: written.args,
      body: written.body,
      sequence_version_id: version,
    });
    const plant = await neighbor.make('/api/points', { pointer_type: 'Plant', x: 1, y: 2 });
    await neighbor.schedule(other, [
      given('Place', { kind: 'point', args: { pointer_type: 'Plant', pointer_id: plant } }),
      given('Amount', { kind: 'numeric', args: { number: 12 } }),
      given('Words', { kind: 'text', args: { string: 'grow' } }),
    ]);
    expect((await neighbor.request('DELETE', `/api/points/${plant}`)).status).toBe(422);
  });

  describe('one is private', () => {
    let program: number;
    let bot: Farmbot;

    beforeAll(async () => {
      const tool = await author.make('/api/tools', { name: 'Seeder' });
      await author.make('/api/points', { pointer_type: 'ToolSlot', x: 5, y: 6, z: 7, tool_id: tool });
      const ids = {
        visit: await author.store('Visit', visitSequence()),
        plant: await author.make('/api/points', { pointer_type: 'Plant', x: 10, y: 20, z: 0 }),
        tool,
        peripheral: await author.make('/api/peripherals', { label: 'Pump', pin: 8 }),
        sensor: await author.make('/api/sensors', { label: 'Soil', pin: 59, mode: 1 }),
      };
      const written = everyDaySequence(ids);
      program = await author.store('Every day', written);
      expect(await author.agreed('sequences', 'Sequence', program)).toMatchObject({
        args: written.args,
        body: written.body,
      });
      expect(new Set((written.body ?? []).map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(20);
      await author.requestOk('PATCH', '/api/fbos_config', {
        sequence_init_log: true,
        sequence_body_log: true,
        sequence_complete_log: true,
      });
      // Its programs move up from home.
      await author.requestOk('PATCH', '/api/firmware_config', { movement_stop_at_home_z: 0 });
      await garden.robot(author.gardener);
      bot = new Farmbot({ token: author.gardener.token });
      await bot.connect();
    });
    afterAll(async () => {
      await bot.client?.endAsync(true);
    });

    it('cannot be published', async () => {
      const { status, json } = await author.request('POST', `/api/sequences/${program}/publish`, { copyright: 'MIT' });
      expect([status, Object.keys(json)]).toEqual([422, ['sequence']]);
      for (const word of ['_if', 'named_pin', 'sequence_id', 'write_pin']) expect(json.sequence).toContain(word);
      expect((await author.requestOk('GET', `/api/sequences/${program}`)).sequence_versions).toEqual([]);
    });

    it('is scheduled', async () => {
      await author.schedule(program, [given('Target', location(1, 2, 3))]);
    });

    it('is run at the request of a client, and logged', async () => {
      const before = author.logs.length;
      expect(await bot.execSequence(program)).toMatchObject({ kind: 'rpc_ok' });
      await waitUntil(() => author.logs.includes('Completed "Every day".'), 'the end');
      const logs = author.logs.slice(before);
      const steps = logs.filter((line) => line.startsWith('"Every day", step '));
      const { body } = await author.requestOk('GET', `/api/sequences/${program}`);
      expect(steps).toEqual(
        (Array.isArray(body) ? body : []).map(
          (step, index) => `"Every day", step ${index + 1}: ${isObject(step) ? step.kind : ''}.`,
        ),
      );
      // The simulated moisture depends on the time and on water.
      const withoutMoisture = logs.map((line) => line.replace(/^Read \d{3} (?=from Soil)/, 'Read 450 '));
      expect(withoutMoisture.filter((line) => !/^"[^"]*", step \d+: /.test(line))).toEqual([
        'Started "Every day".',
        'Unlocked.',
        'Moved to (0, 0, 0).',
        'Moved to (0, 0, 0).',
        'Set Z to 0.',
        'Set Pump to 1.',
        'Pump is 1: "Pump is 1" is true, so it runs a sequence.',
        'Started "Visit".',
        'Moved to (10, 20, 0).',
        'Moved to (10, 20, 7).',
        'Visited (10, 20, 7)',
        'Completed "Visit".',
        'Set Pump to 0.',
        'Pump is 0: "Pump is 1" is false, so it continues.',
        'Read 450 from Soil.',
        'Started "Visit".',
        'Moved to (30, 40, 0).',
        'Moved to (30, 40, 7).',
        'Visited (30, 40, 7)',
        'Completed "Visit".',
        'Moved to (5, 6, 8).',
        'Moved to (6, 7, 7).',
        'Moved to (30, 7, 7).',
        'Moved to (30, 7, 0).',
        'Waited 20 ms.',
        'Almost done at 30',
        'Turned the servo on pin 5 to 45 degrees.',
        'Made pin 6 an input_pullup.',
        'A virtual robot is always up to date.',
        'Completed "Every day".',
      ]);
      await waitUntil(async () => {
        const { json } = await garden.http.get('/api/logs', author.gardener.token);
        const kept = new Set((json as JsonObject[]).map(({ message }) => message));
        return logs.every((line) => kept.has(line));
      }, 'the logs over HTTP');
    });

    it('uses the arguments of the client', async () => {
      const before = author.logs.length;
      await bot.execSequence(program, [
        {
          kind: 'parameter_application',
          args: { label: 'Target', data_value: { kind: 'coordinate', args: { x: 3, y: 2, z: 1 } } },
        },
      ]);
      await waitUntil(() => author.logs.slice(before).includes('Visited (3, 2, 8)'), 'the visit');
    });

    it('is run in its latest state', async () => {
      await author.requestOk('PATCH', `/api/sequences/${program}`, {
        body: [{ kind: 'send_message', args: { message: 'Changed', message_type: 'info' } }],
      });
      await author.agreed('sequences', 'Sequence', program);
      const before = author.logs.length;
      await bot.execSequence(program);
      await waitUntil(() => author.logs.includes('Changed'), 'the message');
      expect(author.logs.slice(before)).toEqual(expect.not.arrayContaining(['Unlocked.']));
    });

    it('is aborted by an emergency stop', async () => {
      await author.requestOk('PATCH', `/api/sequences/${program}`, {
        body: [
          { kind: 'wait', args: { milliseconds: 180_000 } },
          { kind: 'send_message', args: { message: 'Never said', message_type: 'info' } },
        ],
      });
      await author.agreed('sequences', 'Sequence', program);
      const before = author.logs.length;
      const outcome = bot.execSequence(program).then(
        () => 'done',
        (error: Error) => error.message,
      );
      await waitUntil(() => author.logs.slice(before).some((line) => line.endsWith('step 1: wait.')), 'the wait');
      await bot.emergencyLock();
      expect(await outcome).toBe('The emergency stop was pressed.');
      expect(author.logs).not.toContain('Never said');
    });
  });
});
