import type { FieldFailures } from '../core/errors.ts';
import { invalid, refused } from '../core/errors.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import { parseTime, timeSchema } from '../engine/kinds.ts';
import { ownsAll } from '../engine/own-record.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { emptyReply, jsonReply } from '../engine/route.ts';
import { inputSchema } from '../engine/schemas.ts';
import { ignoredId } from '../engine/singleton-routes.ts';
import type { DeviceActivity } from './device-activity.ts';
import type { CreateDevice, DeviceInput } from './device-creation.ts';
import { deviceFields } from './device-fields.ts';
import type { DeviceRow, Owners } from './devices.ts';
import { changeDevice, deviceJson, devices, ownDevice } from './devices.ts';

/** Deletes a device with all of its data, including files. */
export type DestroyDevice = (server: ServerScope, deviceId: number) => Promise<void>;

interface Services {
  readonly activity: DeviceActivity;
  readonly owners: Owners;
  readonly createDevice: CreateDevice;
  readonly destroyDevice: DestroyDevice;
}

const record = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    created_at: timeSchema,
    updated_at: timeSchema,
    ...Object.fromEntries(Object.entries(deviceFields).map(([name, field]) => [name, field.output])),
    tz_offset_hrs: Type.Integer({ description: 'Current offset of its time zone from UTC in hours, rounded down.' }),
  },
  { additionalProperties: false, title: 'Device', description: 'A robot.' },
);

const { name, timezone, lat, lng, indoor, rpi } = deviceFields;
const createFields = { name, timezone, lat, lng, indoor, rpi };

/** Returns the current JSON of the device. */
const jsonNow = (scope: DeviceScope, activity: DeviceActivity, row: DeviceRow): string =>
  deviceJson(activity.overlay(row), scope.clock.now());

/** Fields in which invalid times are stored as null instead of refused. [rule D2] */
const lenientTimes = ['setup_completed_at', 'account_seeded_at'] as const;

function withLenientTimes(body: Body): Body {
  const changes: Record<string, null> = {};
  for (const field of lenientTimes) {
    const sent = body[field];
    if (typeof sent === 'string' && sent.trim() !== '' && (sent.length > 100 || parseTime(sent) === null))
      changes[field] = null;
  }
  return { ...body, ...changes };
}

/** Changes the device according to a body. Throws 422. */
async function updateDevice(scope: DeviceScope, body: Body): Promise<DeviceRow> {
  const before = await ownDevice(scope);
  const parsed = parseBody(deviceFields, withLenientTimes(body), 'update');
  const values = parsed.values as Partial<DeviceRow>;
  const failures: FieldFailures = {};
  const tool = values.mounted_tool_id;
  if (typeof tool === 'number' && tool <= 0) values.mounted_tool_id = null;
  else if (
    typeof tool === 'number' &&
    Object.keys(parsed.failures).length === 0 &&
    !(await ownsAll(scope, 'tools', [tool]))
  )
    failures.mounted_tool_id = 'Mounted Tool ID must be one of your own tools.';
  assertValid(parsed, failures);
  const order = values.fb_order_number;
  if (order) {
    const holder = await scope.server.first(devices, { where: { fb_order_number: order } });
    if (holder && holder.id !== before.id)
      throw refused('This order number belongs to another device. If you have several robots, add -1, -2 and so on.');
  }
  return changeDevice(scope, before, values);
}

/** Moves the caller to a new device, and deletes the old one if that was its last user. [decision 40] */
async function replaceDevice(
  scope: DeviceScope,
  { owners, createDevice, destroyDevice }: Services,
  input: DeviceInput,
): Promise<number> {
  const { server, deviceId, userId } = scope;
  const newId = await createDevice(server, input);
  if (userId !== null) await owners.move(server, userId, newId);
  if ((await owners.addresses(server, deviceId)).length === 0) await destroyDevice(server, deviceId);
  return newId;
}

export function deviceOwnRoutes(services: Services): DeviceRoute[] {
  const { activity } = services;
  const common = { access: 'token', tag: 'device' } as const;
  const updates: JsonSchema = inputSchema(deviceFields, 'update', 'Device update');
  const shown = ['/api/device', '/api/device/:ignored'].flatMap((path): DeviceRoute[] => [
    {
      ...common,
      ...(path.endsWith('/:ignored') ? { addition: true as const, params: ignoredId } : {}),
      method: 'GET',
      path,
      summary: 'Show the device',
      replies: { 200: record },
      handle: async (scope) => jsonReply(jsonNow(scope, activity, await ownDevice(scope))),
    },
    {
      ...common,
      ...(path.endsWith('/:ignored') ? { addition: true as const, params: ignoredId } : {}),
      method: 'PATCH',
      path,
      summary: 'Update the device',
      body: { rule: 'object', schema: updates },
      replies: { 200: record },
      handle: async (scope, call) => jsonReply(jsonNow(scope, activity, await updateDevice(scope, objectBody(call)))),
    },
  ]);
  return [
    ...shown,
    {
      ...common,
      method: 'POST',
      path: '/api/device',
      summary: 'Replace the device by a new one; sign in again afterwards',
      body: { rule: 'object', schema: inputSchema(createFields, 'create', 'Device create') },
      replies: { 200: record },
      async handle(scope, call) {
        const parsed = parseBody(createFields, objectBody(call), 'create');
        if (Object.keys(parsed.failures).length > 0) throw invalid(parsed.failures);
        assertValid(parsed);
        const id = await replaceDevice(scope, services, parsed.values as DeviceInput);
        const row = await scope.server.first(devices, { where: { id } });
        if (!row) throw new Error(`device ${id} does not exist`);
        return jsonReply(jsonNow(scope, activity, row));
      },
    },
    {
      ...common,
      method: 'DELETE',
      path: '/api/device',
      summary: 'Delete the device with all of its data; the next sign-in has a new one',
      replies: { 200: 'empty' },
      async handle(scope) {
        await replaceDevice(scope, services, {});
        return emptyReply;
      },
    },
  ];
}
