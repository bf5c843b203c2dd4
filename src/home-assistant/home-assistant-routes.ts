import type { AccountsOffer } from '../accounts/offer.ts';
import { notFound, refused } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { devices } from '../device/devices.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { boolean } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema } from '../engine/kinds.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { deviceRoutes } from '../engine/route.ts';
import { gardenUsername, mayConnect, renewPassword, withoutPassword } from './garden-users.ts';
import { homeAssistants } from './home-assistant-rows.ts';
import { say } from './messages.ts';

export interface HomeAssistantRouteOptions {
  /** The way to Home Assistant: over its own broker, or over the built-in one; null: `HOME_ASSISTANT` is not set. */
  readonly broker: 'external' | 'built-in' | null;
  readonly accounts: AccountsOffer;
  /** Called after a change. */
  readonly wake: () => Promise<void>;
}

const stateSchema = Type.Object(
  {
    configured: Type.Boolean({ description: 'The operator has set `HOME_ASSISTANT`.' }),
    allowed: Type.Boolean({ description: 'An administrator has allowed it, or belongs to the garden.' }),
    on: Type.Boolean(),
    username: Type.Nullable(
      Type.String({
        description:
          "The user with which Home Assistant connects to this server's message broker; null: Home Assistant has a broker of its own, or none is configured.",
      }),
    ),
    has_password: Type.Boolean({
      description: 'That user has a password, which `POST /api/home_assistant/password` returned.',
    }),
  },
  {
    $id: 'HomeAssistant',
    examples: [{ configured: true, allowed: true, on: true, username: 'home_assistant_1', has_password: true }],
  },
);

const passwordSchema = Type.Object(
  {
    username: Type.String(),
    password: Type.String({ description: 'Shown once.' }),
  },
  {
    $id: 'HomeAssistantPassword',
    examples: [{ username: 'home_assistant_1', password: 'ha_3gk1vJ0dVZ8bT5n2mQxYwA4sLrE' }],
  },
);

const inputOf = (name: 'on' | 'allowed', $id: string) =>
  Type.Object({ [name]: Type.Boolean() }, { $id, examples: [{ [name]: true }] });

function flagIn(body: Parameters<typeof parseBody>[1], name: 'on' | 'allowed'): boolean {
  const parsed = parseBody({ [name]: boolean().required().notNull() }, body, 'create');
  assertValid(parsed);
  return (parsed.values as Readonly<Record<string, boolean>>)[name] === true;
}

/** Changes the row of the scope's device, which is created if needed, in a transaction. A garden that is no longer shown has no password. */
async function change(scope: DeviceScope, changes: { is_on?: boolean; is_allowed?: boolean }): Promise<void> {
  const row = await scope.first(homeAssistants);
  const isEnd = changes.is_on === false || changes.is_allowed === false;
  const all = { ...changes, ...(isEnd && withoutPassword) };
  if (row) await scope.update(homeAssistants, all, { where: { id: row.id } });
  else await scope.insert(homeAssistants, { is_on: false, is_allowed: false, is_published: false, ...changes });
}

/** The routes of Home Assistant. */
export function homeAssistantRoutes(options: HomeAssistantRouteOptions): DeviceRoute[] {
  const { broker, accounts, wake } = options;
  const path = '/api/home_assistant';
  const show = async (scope: DeviceScope) => {
    const row = await scope.first(homeAssistants);
    return {
      configured: broker !== null,
      allowed: row?.is_allowed === true || (await accounts.isAdministrators(scope)),
      on: row?.is_on ?? false,
      username: broker === 'built-in' ? gardenUsername(scope.deviceId) : null,
      has_password: broker === 'built-in' && row !== undefined && mayConnect(row),
    };
  };
  return deviceRoutes({ addition: true }, [
    {
      method: 'GET',
      path,
      tag: 'Control',
      summary: 'See whether the garden is shown in Home Assistant',
      description: 'Returns whether the garden is, and may be, shown in Home Assistant.',
      replies: { 200: stateSchema },
      handle: show,
    },
    {
      method: 'PATCH',
      path,
      tag: 'Control',
      role: 'owner',
      confirms: true,
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
          if (is_on && !configured) throw refused(say.notConfigured);
          if (is_on && !allowed) throw refused(say.notAllowed);
          await change(inner, { is_on, ...(is_on && { is_allowed: true }) });
        });
        await wake();
        return show(scope);
      },
    },
    {
      method: 'POST',
      path: `${path}/password`,
      tag: 'Control',
      role: 'owner',
      confirms: true,
      transaction: false,
      summary: "Make the password with which Home Assistant connects to this server's message broker",
      description:
        'Returns a new password of the garden, for a server whose own message broker Home Assistant uses. The earlier one and its connections end. It also ends when the garden is switched off, no longer allowed or reset, and when its maker no longer owns the garden.',
      replies: { 200: passwordSchema, 422: fieldFailuresSchema },
      async handle(scope, call) {
        if (broker !== 'built-in') throw refused(say.otherBroker);
        const password = await scope.transaction(async (inner) => {
          if (!(await inner.first(homeAssistants, { where: { is_on: true, is_allowed: true } })))
            throw refused(say.off);
          return renewPassword(inner, call.session.userId);
        });
        await wake();
        return { username: gardenUsername(scope.deviceId), password };
      },
    },
    {
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
  ]);
}
