import type { Action, AnyResource } from '../../src/engine/resource.ts';
import { resources } from '../../src/resources.ts';
import type { Account, TestApp } from './app.ts';
import { createSequence } from './programs.ts';

let count = 0;

/** Texts that differ in each example, besides unique fields'. */
const varied = ['name', 'label', 'message', 'prompt', 'slug'];

/** Returns the example that a resource declares, with other unique values than all before. Records that it refers to are created. */
export async function example(server: TestApp, name: string, account: Account): Promise<Record<string, unknown>> {
  const found = resources.find((each) => each.name === name);
  if (!found?.options.example) throw new Error(`no example of ${name}`);
  const { fields, options } = found;
  const n = ++count;
  const body: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(options.example ?? {})) {
    const traits = fields[key]?.traits;
    if (key === 'executable_id') body[key] = await createSequence(server, account);
    else if (traits?.foreignKey) body[key] = await createRecord(server, traits.foreignKey.table, account);
    else body[key] = traits?.isUnique || varied.includes(key) ? variant(value, n, traits?.limits ?? {}) : value;
  }
  return body;
}

async function createRecord(server: TestApp, table: string, account: Account): Promise<number> {
  const body = await example(server, table, account);
  const { json } = await server.call('POST', `/api/${table}`, { token: account.token, body });
  return json.id;
}

/** Returns another value of the same kind. */
function variant(value: unknown, n: number, limits: { format?: string; maximum?: number }): unknown {
  if (typeof value === 'number') return limits.maximum === undefined ? value + n : (value + n) % (limits.maximum + 1);
  return limits.format === 'uri' ? `${value}?${n}` : `${value} ${n}`;
}

/** Fields whose JSON differs from the sent value, or that treat null specially. Other tests cover them. */
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

/** Whether there is an example of a create. */
export const hasExample = (resource: AnyResource): boolean =>
  resource.options.example !== undefined && !('path' in resource);
