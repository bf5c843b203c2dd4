import type { FieldFailures } from '../core/errors.ts';
import { Failure, invalid, refused } from '../core/errors.ts';
import { parseTime } from '../core/time-formats.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { untagged } from '../engine/entity-tag.ts';
import { withGroups } from '../engine/field-groups.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { Type, titled } from '../engine/json-schema.ts';
import { ownsAll } from '../engine/own-record.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { emptyReply, jsonReply } from '../engine/route.ts';
import { columnSchemas, inputBody, inputSchema, withExample } from '../engine/schemas.ts';
import { ignoredId } from '../engine/singleton-routes.ts';
import type { DeviceActivity } from './device-activity.ts';
import { deviceFields } from './device-fields.ts';
import type { DeviceRow } from './devices.ts';
import { changeDevice, deviceJson, devices, ownDevice } from './devices.ts';
import type { DeviceInput, Gardens } from './gardens.ts';
import { say } from './messages.ts';
import { settingGroups } from './setting-groups.ts';

const record = Type.Object(
  {
    ...columnSchemas,
    ...Object.fromEntries(Object.entries(deviceFields).map(([name, field]) => [name, field.output])),
    tz_offset_hrs: Type.Integer({
      ...titled({ en: 'Hours from UTC', fr: 'Heures par rapport à UTC' }),
      description: 'Current offset of its time zone from UTC in hours, rounded down.',
    }),
  },
  {
    $id: 'Device',
    description: 'A robot.',
    examples: [
      {
        id: 1,
        created_at: '2026-04-01T08:00:00.000Z',
        updated_at: '2026-04-01T08:00:00.000Z',
        ...Object.fromEntries(Object.entries(deviceFields).map(([name, { initial }]) => [name, initial ?? null])),
        tz_offset_hrs: 0,
      },
    ],
  },
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
    if (typeof sent === 'string' && sent.trim() !== '' && parseTime(sent) === null) changes[field] = null;
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
    failures.mounted_tool_id = say.ownTool;
  assertValid(parsed, failures);
  const order = values.fb_order_number;
  if (order) {
    const holder = await scope.server.first(devices, { where: { fb_order_number: order } });
    if (holder && holder.id !== before.id) throw refused(say.otherNumber);
  }
  return changeDevice(scope, before, values);
}

/** Moves the caller to a new device, and deletes the old one if that was its last owner. Outside of a transaction. Returns the new one. [decision 40] */
async function replaceDevice(scope: DeviceScope, gardens: Gardens, input: DeviceInput): Promise<DeviceRow> {
  const { deviceId, userId } = scope;
  const assertHome = async (each: DeviceScope): Promise<void> => {
    if (!(await gardens.isHome(each))) throw new Failure('forbidden', say.otherGarden);
  };
  await assertHome(scope);
  if ((await gardens.recipients(scope.server, deviceId)).length === 1) await gardens.empty(scope);
  return scope.transaction(async (inner) => {
    await assertHome(inner);
    const { server } = inner;
    const newId = await gardens.create(server, input);
    await gardens.copyLimits(inner, server.device(newId));
    if (userId !== null) await gardens.move(server, userId, newId);
    if ((await gardens.recipients(server, deviceId)).length === 0) await gardens.destroy(server, deviceId);
    return ownDevice(server.device(newId));
  });
}

export function deviceOwnRoutes(activity: DeviceActivity, gardens: Gardens): DeviceRoute[] {
  const common = { access: 'token', tag: 'Device' } as const;
  const updates: JsonSchema = withExample(
    withGroups(inputSchema(deviceFields, 'update', 'DeviceUpdate'), settingGroups.device),
    {
      name: 'Otto',
      timezone: 'Europe/Berlin',
    },
  );
  const shown = ['/api/device', '/api/device/:ignored'].flatMap((path): DeviceRoute[] => [
    {
      ...common,
      ...(path.endsWith('/:ignored') ? { addition: true as const, params: ignoredId, aliasOf: '/api/device' } : {}),
      method: 'GET',
      path,
      summary: 'Show the device',
      description:
        'Returns the robot: its name, time zone, versions, position of the garden and limits. Each account has exactly one.',
      untagged: untagged.overlaid,
      replies: { 200: record },
      handle: async (scope) => jsonReply(jsonNow(scope, activity, await ownDevice(scope))),
    },
    {
      ...common,
      ...(path.endsWith('/:ignored') ? { addition: true as const, params: ignoredId, aliasOf: '/api/device' } : {}),
      method: 'PATCH',
      path,
      batch: true,
      summary: 'Update the device',
      description:
        'Changes the fields that are sent and returns the whole device. `mounted_tool_id` 0 stands for no tool.',
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
      role: 'owner',
      // The old device is emptied in small steps.
      transaction: false,
      needsSession: true,
      summary: 'Replace the device by a new one; sign in again afterwards',
      description:
        'Moves the user to a new, empty garden and returns its device. The old one is deleted unless it has other members. All sessions end.',
      body: inputBody(createFields, 'create', 'DeviceInput', { name: 'Otto' }),
      replies: { 200: record },
      async handle(scope, call) {
        const parsed = parseBody(createFields, objectBody(call), 'create');
        if (Object.keys(parsed.failures).length > 0) throw invalid(parsed.failures);
        assertValid(parsed);
        const row = await replaceDevice(scope, gardens, parsed.values as DeviceInput);
        return jsonReply(jsonNow(scope, activity, row));
      },
    },
    {
      ...common,
      method: 'DELETE',
      path: '/api/device',
      role: 'owner',
      // The old device is emptied in small steps.
      transaction: false,
      needsSession: true,
      summary: 'Delete the device with all of its data; the next sign-in has a new one',
      description:
        'Moves the user to a new, empty garden. The old one is deleted unless it has other members. All sessions end.',
      replies: { 200: 'empty' },
      async handle(scope) {
        await replaceDevice(scope, gardens, {});
        return emptyReply;
      },
    },
  ];
}
