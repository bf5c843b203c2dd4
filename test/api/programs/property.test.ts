import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { describeEngines, itAnyEngine } from '../../support/engines.ts';
import { eventSummaries, suiteEventClient } from '../../support/event-recording-client.ts';
import { invalidPrograms, type OwnedRecords, programs } from '../../support/program-trees.ts';

// Programs generated from the tables of the language, sent over HTTP. The seed is fixed.

const seed = 20_261_121;
const runs = 60;

describeEngines('programs generated from the tables', (engine) => {
  const client = suiteEventClient(engine);
  let own: OwnedRecords;
  /** Another account, whose records have no ids in common with this one. */
  let foreignId: number;
  let sequence: number;
  let names = 0;

  beforeAll(async () => {
    const point = async (pointer_type: OwnedRecords['points'][number]['pointer_type']) => ({
      id: await client.create('points', { pointer_type }),
      pointer_type,
    });
    const makeSequence = async () =>
      (await client.requestOk('POST', '/api/sequences', { name: `Own ${++names}`, body: [] })).json.id;
    own = {
      ids: {
        sequences: [await makeSequence(), await makeSequence()],
        tools: [await client.create('tools')],
        point_groups: [await client.create('point_groups')],
        peripherals: [await client.create('peripherals')],
        sensors: [await client.create('sensors')],
      },
      points: [await point('Plant'), await point('Weed'), await point('ToolSlot'), await point('GenericPointer')],
    };
    sequence = await makeSequence();
    foreignId = await foreign();
  });

  /** An id of a record of each kind in the other account, and of none in this one. */
  async function foreign(): Promise<number> {
    const other = await client.server.signUp();
    const kinds = ['tools', 'sensors', 'peripherals', 'points', 'point_groups', 'sequences'] as const;
    const ids = new Map<string, number>();
    const make = async (kind: string): Promise<void> => {
      const n = ++names;
      const body = {
        name: `Foreign ${n}`,
        label: `Foreign ${n}`,
        mode: 0,
        body: [],
        point_ids: [],
        ...(kind === 'points' && { pointer_type: 'Plant', x: 1, y: 2 }),
        ...((kind === 'sensors' || kind === 'peripherals') && { pin: n }),
      };
      const { status, json, text } = await client.server.call('POST', `/api/${kind}`, { token: other.token, body });
      expect(status, `${kind} ${text}`).toBe(200);
      ids.set(kind, json.id);
    };
    for (const kind of kinds) await make(kind);
    const highest = Math.max(...ids.values());
    for (const kind of kinds) while ((ids.get(kind) ?? 0) < highest) await make(kind);
    return highest;
  }

  // Imports of generated gardens store such programs on both engines, and export them unchanged.
  itAnyEngine('are accepted, returned unchanged and can be sent again', async () => {
    await fc.assert(
      fc.asyncProperty(programs(own), async (program) => {
        const generated = await client.requestOk('POST', '/api/sequences', { name: `Made ${++names}`, ...program });
        const { id } = generated.json;
        expect(generated.json.args).toEqual({ version: 20180209, ...program.args });
        expect(generated.json.body).toEqual(program.body);
        expect(eventSummaries(generated.events)).toEqual([`Sequence ${id}`]);
        expect(generated.events[0]?.body).toBe(generated.text);
        expect((await client.requestOk('GET', `/api/sequences/${id}`)).text).toBe(generated.text);
        const again = await client.requestOk('PATCH', `/api/sequences/${id}`, generated.json);
        expect({ ...again.json, updated_at: '' }).toEqual({ ...generated.json, updated_at: '' });
        // Generated texts are hardly ever valid Lua, so there are warnings.
        expect((await client.requestOk('POST', `/api/sequences/${id}/check`)).json).toMatchObject({
          ok: true,
          problems: [],
        });
        expect((await client.requestOk('GET', `/api/sequences/${id}/text`)).text).toContain(`Made ${names}`);
        await client.requestOk('DELETE', `/api/sequences/${id}`);
      }),
      { seed, numRuns: runs },
    );
  });

  // The checker rejects them without the database.
  itAnyEngine('are rejected with one error, change nothing and are not announced', async () => {
    const all = async () => (await client.requestOk('GET', '/api/sequences')).text;
    const before = await all();
    await fc.assert(
      fc.asyncProperty(invalidPrograms(own, foreignId), async ({ change, program }) => {
        const generated = await client.request('POST', '/api/sequences', { name: 'Spoiled', ...program });
        const changed = await client.request('PATCH', `/api/sequences/${sequence}`, { name: 'Spoiled', ...program });
        const checked = await client.request('POST', '/api/sequences/check', program);
        for (const { status, events, text } of [generated, changed]) {
          expect(status, `${change} ${text}`).toBe(422);
          expect(events, change).toEqual([]);
        }
        expect(changed.json, change).toEqual(generated.json);
        expect([checked.status, checked.json.ok, checked.events], change).toEqual([200, false, []]);
        const sentences = JSON.stringify(generated.json);
        const [first] = checked.json.problems;
        // Values that are not programs are reported by the fields.
        if ('body' in generated.json || 'error' in generated.json)
          expect(sentences, change).toContain(JSON.stringify(first.message));
      }),
      { seed, numRuns: 150 },
    );
    expect(await all()).toBe(before);
  });

  it('are rejected with ids of another account in any position', async () => {
    const at = (args: object, kind: string) => ({ kind, args });
    const offset = at({ x: 0, y: 0, z: 0 }, 'coordinate');
    const move = (location: object) => at({ location, offset, speed: 100 }, 'move_absolute');
    const pair = { kind: 'pair', args: { label: 'mounted_tool_id', value: foreignId } };
    const places: object[] = [
      at({ sequence_id: foreignId }, 'execute'),
      move(at({ tool_id: foreignId }, 'tool')),
      move(at({ pointer_type: 'Plant', pointer_id: foreignId }, 'point')),
      at({ pin_number: at({ pin_type: 'Peripheral', pin_id: foreignId }, 'named_pin') }, 'toggle_pin'),
      at({ pin_number: at({ pin_type: 'Sensor', pin_id: foreignId }, 'named_pin') }, 'toggle_pin'),
      ...['Plant', 'Point', 'Sequence', 'Peripheral', 'Sensor'].map((resource_type) =>
        at({ resource: at({ resource_type, resource_id: foreignId }, 'resource') }, 'update_resource'),
      ),
      {
        ...at({ resource: at({ resource_type: 'Device', resource_id: 0 }, 'resource') }, 'update_resource'),
        body: [pair],
      },
      {
        ...at({ sequence_id: own.ids.sequences[0] }, 'execute'),
        body: [
          at({ label: 'x', data_value: at({ point_group_id: foreignId }, 'point_group') }, 'parameter_application'),
        ],
      },
    ];
    for (const step of places) {
      const { status, json } = await client.request('POST', '/api/sequences', { name: 'Foreign', body: [step] });
      expect([status, Object.keys(json)], JSON.stringify(step)).toEqual([422, ['body']]);
      expect(json.body).toContain(`this account has no`);
    }
  });
});
