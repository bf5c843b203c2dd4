import type { Action, AnyResource } from '../../src/engine/resource.ts';
import type { Account, TestApp } from './app.ts';
import { createSequence } from './programs.ts';

/** Returns a valid body for a create. Its unique fields differ from those of all bodies before. */
export async function example(server: TestApp, resource: string, account: Account): Promise<Record<string, unknown>> {
  const make = examples[resource];
  if (!make) throw new Error(`no example of ${resource}`);
  return make(++count, server, account);
}

let count = 0;

type Maker = (
  n: number,
  server: TestApp,
  account: Account,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

const examples: Record<string, Maker> = {
  tools: (n) => ({ name: `Tool ${n}` }),
  sensors: (n) => ({ label: `Sensor ${n}`, pin: n % 70, mode: 0 }),
  sensor_readings: () => ({ pin: 13, value: 500, x: 1, y: 2, z: 3 }),
  peripherals: (n) => ({ label: `Peripheral ${n}`, pin: n % 1001 }),
  pin_bindings: (n) => ({ pin_num: 100 + n, special_action: 'sync' }),
  webcam_feeds: (n) => ({ name: `Feed ${n}`, url: 'http://webcam.example/1' }),
  farmware_envs: (n) => ({ key: `key ${n}`, value: 'value' }),
  farmware_installations: (n) => ({ url: `http://farmware.invalid/${n}.json` }),
  curves: (n) => ({ name: `Curve ${n}`, type: 'water', data: { '1': 10, '20': 500 } }),
  folders: (n) => ({ name: `Folder ${n}`, color: 'blue' }),
  points: (n) => ({ pointer_type: 'Plant', name: `Plant ${n}`, x: 1, y: 2, z: 3 }),
  point_groups: (n) => ({ name: `Group ${n}`, point_ids: [] }),
  saved_gardens: (n) => ({ name: `Garden ${n}` }),
  plant_templates: async (n, server, account) => {
    const { json } = await server.call('POST', '/api/saved_gardens', {
      token: account.token,
      body: { name: `For ${n}` },
    });
    return { saved_garden_id: json.id, x: 1, y: 2, name: `Template ${n}` };
  },
  sequences: (n) => ({ name: `Sequence ${n}`, body: [{ kind: 'wait', args: { milliseconds: n } }] }),
  regimens: (n) => ({ name: `Regimen ${n}`, color: 'red', regimen_items: [] }),
  farm_events: async (_n, server, account) => ({
    executable_id: await createSequence(server, account),
    repeat: 1,
    time_unit: 'hourly',
    start_time: '2040-01-01T00:00:00.000Z',
    end_time: '2040-01-02T00:00:00.000Z',
  }),
  scene_objects: (n) => ({
    name: `Object ${n}`,
    texture: 'wood',
    shape: 'box',
    color: '#abc123',
    x_origin: 'home',
    y_origin: 'max',
    z_origin: 'world',
    x_center: 1,
    y_center: 2,
    z_base: 3,
    x_size: 4,
    y_size: 5,
    z_size: 6,
    rotation: 7,
  }),
  wizard_step_results: (n) => ({ slug: `step-${n}` }),
  telemetries: () => ({ target: 'rpi3' }),
  logs: (n) => ({ message: `Log ${n}` }),
  images: (n) => ({ attachment_url: `http://photos.invalid/${n}.jpg`, meta: { x: 1, y: 2, z: 3 } }),
  ai_feedbacks: (n) => ({ prompt: `Prompt ${n}`, reaction: 'good' }),
};

/** Fields whose JSON differs from what was sent, or that treat null specially. Other tests cover them. */
export const presentations: ReadonlySet<string> = new Set([
  'points.meta',
  'points.z',
  'points.plant_stage',
  'pin_bindings.special_action',
  'pin_bindings.sequence_id',
  'scene_objects.show',
  'sensor_readings.read_at',
  'images.attachment_url',
]);

/** Actions whose routes are written by hand. Deletes of several points and of all logs have other tests. */
const handwritten: Readonly<Record<string, readonly Action[]>> = {
  points: ['list', 'show', 'create', 'update'],
  point_groups: ['list', 'show', 'create', 'update', 'destroy'],
  peripherals: ['create'],
  farmware_installations: ['create'],
  logs: ['list', 'create'],
  images: ['list', 'show', 'create'],
  regimens: ['create', 'update', 'destroy'],
};

/** Returns the actions that a resource serves. */
export const actionsOf = ({ name, options }: AnyResource): Set<Action> =>
  new Set([...(options.routes ?? []), ...(handwritten[name] ?? [])]);

export const hasExample = ({ name }: AnyResource): boolean => name in examples;
