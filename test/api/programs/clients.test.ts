import {
  Farmbot,
  type RpcRequest,
  type RpcRequestBodyItem,
  rpcRequest,
  type Sequence,
  type SequenceBodyItem,
} from 'farmbot';
import { beforeAll, describe, expect, it } from 'vitest';
import { stepKinds } from '../../../src/programs/grammar.ts';
import { suiteAccount, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import {
  type EveryDayIds,
  everyDaySequence,
  publishableSequence,
  storableSteps,
  visitSequence,
} from '../../support/farmbot-programs.ts';

// Programs written with the published JavaScript client, stored and read again.

/** The requests of the client's methods, which are not sent. */
function requestsOf(work: (bot: Farmbot) => unknown): RpcRequestBodyItem[] {
  const claims = Buffer.from(JSON.stringify({ bot: 'device_1', mqtt: '127.0.0.1', mqtt_ws: 'ws://127.0.0.1' }));
  const bot = new Farmbot({ token: `.${claims.toString('base64')}.` });
  const requests: RpcRequestBodyItem[] = [];
  const keep = (request: RpcRequest) => requests.push(...(request.body ?? []));
  bot.send = (request) => {
    keep(request);
    return Promise.resolve({ kind: 'rpc_ok', args: { label: request.args.label } });
  };
  bot.publish = keep;
  work(bot);
  return requests;
}

describeEngines('programs of the JavaScript client', (engine) => {
  const server = suiteApp(engine);
  const account = suiteAccount(server);
  let ids: EveryDayIds;
  let count = 0;

  beforeAll(async () => {
    const make = async (path: string, body: object): Promise<number> => (await requestOk('POST', path, body)).json.id;
    ids = {
      visit: (await store(visitSequence())).id,
      plant: await make('/api/points', { pointer_type: 'Plant', x: 10, y: 20 }),
      tool: await make('/api/tools', { name: 'Seeder' }),
      peripheral: await make('/api/peripherals', { label: 'Pump', pin: 8 }),
      sensor: await make('/api/sensors', { label: 'Soil', pin: 59, mode: 1 }),
    };
  });

  async function requestOk(method: string, path: string, body?: unknown) {
    const response = await server.call(method, path, { token: account.token, ...(body !== undefined && { body }) });
    expect(response.status, response.text).toBe(200);
    return response;
  }

  /** Stores a program like the web app and reads it again. */
  async function store({ args, body }: Sequence) {
    const created = await requestOk('POST', '/api/sequences', {
      name: `Program ${++count}`,
      kind: 'sequence',
      args,
      body,
    });
    const read = await requestOk('GET', `/api/sequences/${created.json.id}`);
    expect(read.text).toBe(created.text);
    return read.json;
  }

  it.each([
    ['with every step that can be published', () => publishableSequence()],
    ['with variables', () => visitSequence()],
    ['with more than twenty kinds of steps', () => everyDaySequence(ids)],
    ['with steps that only some robots can do', () => storableSteps(ids)],
  ])('are returned as they were written: %s', async (_what, write) => {
    const written = write();
    const read = await store(written);
    // An empty list of variables is omitted.
    const locals = { ...written.args.locals };
    if (locals.body?.length === 0) delete locals.body;
    expect(read.args).toEqual({ version: 20180209, locals });
    expect(read.body).toEqual(written.body);
  });

  it('are unchanged when they are sent again', async () => {
    const read = await store(everyDaySequence(ids));
    const again = await requestOk('PUT', `/api/sequences/${read.id}`, read);
    expect({ ...again.json, updated_at: '' }).toEqual({ ...read, updated_at: '' });
  });

  it('contain every kind of step', () => {
    const kinds = new Set(
      [publishableSequence(), everyDaySequence(ids), storableSteps(ids)].flatMap(({ body }) =>
        (body ?? []).map(({ kind }) => kind),
      ),
    );
    expect(stepKinds.filter((kind) => !kinds.has(kind))).toEqual(['change_ownership']);
  });

  it("can contain the requests of the client's methods", async () => {
    const requests = requestsOf((bot) => {
      bot.home({ axis: 'all', speed: 100 });
      bot.findHome({ axis: 'z', speed: 50 });
      bot.moveAbsolute({ x: 1.5, y: 2, z: -3, speed: 80 });
      bot.moveRelative({ x: 1, y: 0, z: 0 });
      bot.writePin({ pin_number: 7, pin_value: 1, pin_mode: 0 });
      bot.readPin({ pin_number: 59, label: 'Soil', pin_mode: 1 });
      bot.togglePin({ pin_number: 7 });
      bot.setServoAngle({ pin_number: 4, pin_value: 90 });
      bot.setZero('x');
      bot.calibrate({ axis: 'y' });
      bot.sendMessage('success', 'Done', ['toast', 'espeak']);
      bot.setUserEnv({ camera: 'USB' });
      bot.lua('return true');
      bot.takePhoto();
      bot.readStatus();
      bot.sync();
      bot.checkUpdates();
      bot.execScript('plant-detection', [{ kind: 'pair', args: { label: 'a', value: 'b' } }]);
      bot.execSequence(ids.visit, [
        { kind: 'parameter_application', args: { label: 'Up', data_value: { kind: 'numeric', args: { number: 3 } } } },
      ]);
      bot.installFirstPartyFarmware();
      bot.emergencyLock();
      bot.emergencyUnlock();
      bot.rebootFirmware();
      bot.reboot();
      bot.powerOff();
    });
    expect(requests).toHaveLength(25);
    const { body } = rpcRequest(requests);
    const read = await store({
      kind: 'sequence',
      args: { version: 20180209, locals: { kind: 'scope_declaration', args: {} } },
      body: body as SequenceBodyItem[],
    });
    // Empty bodies are omitted.
    const withoutEmpty = JSON.parse(JSON.stringify(body), (key, value) =>
      key === 'body' && Array.isArray(value) && value.length === 0 ? undefined : value,
    );
    expect(read.body).toEqual(withoutEmpty);
  });

  describe('with arguments for other programs', () => {
    it('are stored in regimens and farm events too', async () => {
      const { id } = await store(visitSequence());
      const given = [
        {
          kind: 'parameter_application',
          args: {
            label: 'Where',
            data_value: { kind: 'point', args: { pointer_type: 'Plant', pointer_id: ids.plant } },
          },
        },
      ];
      const regimen = await requestOk('POST', '/api/regimens', {
        name: 'Weekly',
        color: 'green',
        regimen_items: [{ time_offset: 300_000, sequence_id: id }],
        body: given,
      });
      expect(regimen.json.body).toEqual(given);
      const event = await requestOk('POST', '/api/farm_events', {
        start_time: '2027-03-01T10:00:00.000Z',
        end_time: '2027-03-05T10:00:00.000Z',
        repeat: 1,
        time_unit: 'daily',
        executable_type: 'Sequence',
        executable_id: id,
        body: given,
      });
      expect(event.json.body).toEqual(given);
    });
  });
});
