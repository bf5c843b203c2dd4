import { describe, expect, it } from 'vitest';
import { type ProductLine, productOptions } from '../../../src/seeding/product-lines.ts';
import type { Json } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { QuickTime } from '../../support/robot-harness.ts';
import { type RobotAccount, suiteRobotServer } from '../../support/robot-server.ts';

const products = productOptions.filter((offer): offer is ProductLine => 'frame' in offer && offer.frame !== null);

// biome-ignore lint/suspicious/noExplicitAny: tests access records of any shape
type Row = any;

/** The tools that programs need, by their names. */
const neededTools: readonly (readonly [program: RegExp, tool: string])[] = [
  [/^(Pick|Plant)/, 'Seeder'],
  [/^Mow/, 'Rotary Tool'],
  [/Water/, 'Watering Nozzle'],
];

describe('the seeded programs on the virtual robot', () => {
  const garden = suiteRobotServer('sqlite', '127.0.0.26');

  /** Calls the API as the owner of a garden. */
  const callsOf = ({ token }: RobotAccount) => ({
    get: async (path: string): Promise<Row> => (await garden.http.get(`/api/${path}`, token)).json,
    send: async (method: string, path: string, body: Json): Promise<Row> => {
      const { status, json } = await garden.http.send(method, `/api/${path}`, {
        token,
        headers: { 'content-type': 'application/json' },
        body,
      });
      if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
      return json;
    },
  });

  /** Adds the records that the programs work on: plants with a water curve, a weed and a flow rate. The axes have the size of one photo of a calibrated camera. */
  async function prepare({ get, send }: ReturnType<typeof callsOf>): Promise<void> {
    const axes = { movement_axis_nr_steps_x: 3000, movement_axis_nr_steps_y: 2300 };
    await send('PATCH', 'firmware_config', { ...axes, movement_step_per_mm_x: 5, movement_step_per_mm_y: 5 });
    const camera = { total_rotation_angle: 0, coord_scale: 1, camera_z: 0, camera_offset_x: 0, camera_offset_y: 0 };
    const center = { center_pixel_location_x: 320, center_pixel_location_y: 240 };
    for (const [name, value] of Object.entries({ ...camera, ...center }))
      await send('POST', 'farmware_envs', { key: `CAMERA_CALIBRATION_${name}`, value: String(value) });
    const curve = await send('POST', 'curves', { name: 'Water', type: 'water', data: { 1: 100, 10: 1000 } });
    const planted_at = new Date(Date.now() - 4 * 86_400_000).toISOString();
    const plant = { pointer_type: 'Plant', openfarm_slug: 'beet', water_curve_id: curve.id, planted_at, z: 0 };
    for (const x of [300, 100]) await send('POST', 'points', { ...plant, name: `Beet ${x}`, x, y: 50 });
    await send('POST', 'points', { pointer_type: 'Weed', name: 'Thistle', x: 200, y: 300, z: 0, radius: 20 });
    const nozzle = (await get('tools')).find(({ name }: Row) => name === 'Watering Nozzle');
    await send('PATCH', `tools/${nozzle.id}`, { flow_rate_ml_per_s: 100 });
    // Where slots are seeded, cells of a tray are beyond home.
    for (const { id, pointer_type, gantry_mounted } of await get('points'))
      if (pointer_type === 'ToolSlot' && !gantry_mounted) await send('PATCH', `points/${id}`, { x: 100 });
  }

  it.each(products)('of $line run from start to end', async ({ line, programs }) => {
    const gardener = await garden.signUp();
    await garden.seed(gardener, line);
    const { get, send } = callsOf(gardener);
    await prepare({ get, send });
    const [tools, sequences]: Row[] = [await get('tools'), await get('sequences')];
    const sequenceNamed = (name: string): Row => sequences.find((each: Row) => each.name === name);

    /** A value for a parameter without one: the tool of its name, a sequence, or a place; a plant's place for its parent. */
    const valueFor = ({ label, default_value }: Row): object => {
      if (label === 'parent') return { kind: 'coordinate', args: { x: 100, y: 50, z: 0 } };
      if (default_value.kind === 'resource_placeholder') {
        const resource_id = sequenceNamed('Find Home').id;
        return { kind: 'resource', args: { resource_type: 'Sequence', resource_id } };
      }
      const slotted = label === 'Tool' ? 'Seeder' : label;
      const tool = tools.find(({ name }: Row) => name === slotted || name === `${slotted} 1`);
      return tool
        ? { kind: 'tool', args: { tool_id: tool.id } }
        : { kind: 'coordinate', args: { x: 10, y: 20, z: -300 } };
    };

    const { robot, lines } = await garden.robot(gardener, {
      time: new QuickTime(Date.now()),
      speed: 100_000,
      statusInterval: 10_000,
    });
    const client = await MqttTestClient.connect(garden.mqtt, { username: gardener.bot, password: gardener.token });
    await client.subscribe(`bot/${gardener.bot}/from_device`);
    for (const { name } of programs) {
      const { id, args } = sequenceNamed(name);
      const body = (args.locals.body ?? [])
        .filter(
          ({ kind, args }: Row) =>
            kind === 'parameter_declaration' &&
            (args.label === 'parent' || args.default_value.kind.endsWith('placeholder')),
        )
        .map((each: Row) => ({
          kind: 'parameter_application',
          args: { label: each.args.label, data_value: valueFor(each.args) },
        }));
      // Tools are mounted by the mounting program, and by hand for programs that need one.
      const needed = neededTools.find(([program]) => program.test(name))?.[1];
      const tool = tools.find((each: Row) => each.name === needed) ?? tools[0];
      const mounted_tool_id = name === 'Mount Tool' ? null : tool.id;
      await send('PATCH', 'device', { mounted_tool_id });
      const request = {
        kind: 'rpc_request',
        args: { label: name, priority: 500 },
        body: [{ kind: 'execute', args: { sequence_id: id }, body }],
      };
      await client.publish(`bot/${gardener.bot}/from_clients`, JSON.stringify(request));
      const answer = () => client.received.map(({ text }) => JSON.parse(text)).find((each) => each.args.label === name);
      await client.waitUntil(() => answer() !== undefined, `the end of ${name}`);
      expect([name, answer()]).toEqual([name, { kind: 'rpc_ok', args: { label: name } }]);
      expect(lines).toContain(`success: Completed "${name}".`);
      const seeder = tools.find((each: Row) => each.name === 'Seeder');
      // 25 mm in the soil, which is at -500 mm, with the tip of the seeder. [rule S20]
      if (name === 'Plant seed')
        expect(lines).toContain(`info: Moved to (${seeder ? '82.5, 50, -445' : '100, 50, -525'}).`);
      const left = { 'Mount Tool': seeder?.id, 'Dismount Tool': null }[name];
      expect((await get('device')).mounted_tool_id).toBe(left === undefined ? mounted_tool_id : left);
    }
    await client.end();
    await robot.stop();
    const problems = lines.filter((each) => /^(error|warn):/.test(each) && !each.includes('soil heights are measured'));
    expect(problems).toEqual(['warn: A virtual robot has no weed detection: the step was skipped.']);
    const images: Row[] = await get('images');
    expect(images.map(({ meta }) => [meta.x, meta.y])).toEqual([
      [317.5, 237.5],
      [317.5, 237.5],
      [100, 50],
    ]);
    const points: Row[] = await get('points');
    expect(points.filter(({ meta }) => meta.at_soil_level === 'true')).toMatchObject([
      { name: 'Soil Height', x: 317.5, y: 237.5, radius: 0, meta: { created_by: 'measure-soil-height' } },
    ]);
  });
});

it('all product lines are tested', () => {
  expect(products).toHaveLength(20);
});
