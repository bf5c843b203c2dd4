import { notFound, refused } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { boolean } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema } from '../engine/kinds.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { homeAssistants } from './home-assistant-rows.ts';

export interface HomeAssistantRouteOptions {
  /** `HOME_ASSISTANT` is set. */
  readonly isConfigured: boolean;
  /** Whether an administrator of the server belongs to the scope's garden, which needs no permission. */
  readonly isAdministrators: (scope: DeviceScope) => Promise<boolean>;
  readonly devices: Table<{ readonly id: number }, 'both'>;
  /** Called after a change. */
  readonly wake: () => Promise<void>;
}

const stateSchema = Type.Object(
  {
    configured: Type.Boolean({ description: 'The operator has set `HOME_ASSISTANT`.' }),
    allowed: Type.Boolean({ description: 'An administrator has allowed it, or belongs to the garden.' }),
    on: Type.Boolean(),
  },
  { $id: 'HomeAssistant', examples: [{ configured: true, allowed: true, on: true }] },
);

const inputOf = (name: 'on' | 'allowed', $id: string) =>
  Type.Object({ [name]: Type.Boolean() }, { $id, examples: [{ [name]: true }] });

function flagIn(body: Parameters<typeof parseBody>[1], name: 'on' | 'allowed'): boolean {
  const parsed = parseBody({ [name]: boolean().required().notNull() }, body, 'create');
  assertValid(parsed);
  return (parsed.values as Readonly<Record<string, boolean>>)[name] === true;
}

/** Changes the row of the scope's device, which is made if needed, in a transaction. */
async function change(scope: DeviceScope, changes: { is_on?: boolean; is_allowed?: boolean }): Promise<void> {
  const row = await scope.first(homeAssistants);
  if (row) await scope.update(homeAssistants, changes, { where: { id: row.id } });
  else await scope.insert(homeAssistants, { is_on: false, is_allowed: false, is_published: false, ...changes });
}

/** The routes of Home Assistant. */
export function homeAssistantRoutes(options: HomeAssistantRouteOptions): DeviceRoute[] {
  const { isConfigured, isAdministrators, devices, wake } = options;
  const common = { access: 'token', addition: true } as const;
  const path = '/api/home_assistant';
  const show = async (scope: DeviceScope) => {
    const row = await scope.first(homeAssistants);
    const allowed = row?.is_allowed === true || (await isAdministrators(scope));
    return { configured: isConfigured, allowed, on: row?.is_on ?? false };
  };
  return [
    {
      ...common,
      method: 'GET',
      path,
      tag: 'Control',
      summary: 'See whether the garden is shown in Home Assistant',
      description: 'Returns whether the garden is, and may be, shown in Home Assistant.',
      replies: { 200: stateSchema },
      handle: show,
    },
    {
      ...common,
      method: 'PATCH',
      path,
      tag: 'Control',
      role: 'owner',
      needsSession: true,
      transaction: false,
      summary: 'Show the garden in Home Assistant, or remove it',
      description:
        'Publishes the robot, its peripherals and sensors and the pinned sequences as one device of Home Assistant, which can then command the robot. An administrator must have allowed the garden, unless one belongs to it.',
      body: { rule: 'object', schema: inputOf('on', 'HomeAssistantInput') },
      replies: { 200: stateSchema, 422: fieldFailuresSchema },
      async handle(scope, call) {
        const is_on = flagIn(objectBody(call), 'on');
        await scope.transaction(async (inner) => {
          const { configured, allowed } = await show(inner);
          if (is_on && !configured) throw refused('The operator of this server has not set up Home Assistant.');
          if (is_on && !allowed) throw refused('An administrator of this server must allow it for this garden first.');
          await change(inner, { is_on, ...(is_on && { is_allowed: true }) });
        });
        await wake();
        return show(scope);
      },
    },
    {
      ...common,
      method: 'PATCH',
      path: '/api/admin/home_assistant/:id',
      tag: 'Administration',
      confirms: true,
      transaction: false,
      summary: 'Allow a garden to be shown in Home Assistant, or no longer',
      description: 'The id is that of the device. A garden that may no longer be shown is removed from Home Assistant.',
      body: { rule: 'object', schema: inputOf('allowed', 'HomeAssistantPermission') },
      replies: {
        200: Type.Object(
          { device_id: idSchema, allowed: Type.Boolean() },
          { examples: [{ device_id: 1, allowed: true }] },
        ),
      },
      async handle({ server }, call) {
        const is_allowed = flagIn(objectBody(call), 'allowed');
        const id = parseId(call.params.id, 'Device');
        if (!(await server.first(devices, { where: { id } }))) throw notFound('Device');
        await server.device(id).transaction((scope) => change(scope, { is_allowed }));
        await wake();
        return { device_id: id, allowed: is_allowed };
      },
    },
  ];
}
