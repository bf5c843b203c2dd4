import { Failure, invalid, notFound } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { devices } from '../device/devices.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { text } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema } from '../engine/kinds.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { Role } from '../engine/rights.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { deviceRoutes } from '../engine/route.ts';
import { inputBody } from '../engine/schemas.ts';
import { parseFields } from './account-fields.ts';
import { gardenPasswords, renewGardenPassword } from './garden-passwords.ts';
import { isGuest } from './guests.ts';
import { roleSchema } from './member-routes.ts';
import { members, membershipsOf, roleIn, roleOf } from './members.ts';
import { say } from './messages.ts';
import type { AccountServices } from './services.ts';
import type { OpenedSession } from './sessions.ts';
import { currentUser, endSurplusSessions, identityOf, openSession, requestOf, sessionSchema } from './sessions.ts';
import { sessionIdOf, tokenIssuances } from './token-issuances.ts';

/** Maximum number of gardens that a user creates. */
const maxGardens = 20;

const gardenFields = { name: text().required().max(80).label(labels.name) };

const shape = {
  id: { ...idSchema, description: 'The id of the device: the session of a garden has `device_{id}` as `bot`.' },
  name: Type.String({ examples: ['Greenhouse'] }),
  role: roleSchema,
  is_home: Type.Boolean({ description: 'The garden of a sign-in.' }),
};

const listedShape = {
  ...shape,
  has_robot_password: Type.Boolean({
    description:
      'Whether the robot has a password of its own. That password is revoked when an owner leaves or is demoted. In the home garden the robot uses the password of its user.',
  }),
};

const gardenSchema = Type.Object(listedShape, { $id: 'Garden' });

const rightsSchema = Type.Object(
  {
    role: roleSchema,
    scopes: { ...Type.Nullable(Type.Array(Type.String())), description: 'Null: all rights of the role.' },
    administrator: Type.Boolean({ description: 'Whether it may use the routes of administrators, within its scopes.' }),
  },
  { $id: 'Rights', examples: [{ role: 'owner', scopes: null, administrator: false }] },
);

const passwordField = {
  robot_password: Type.String({
    description: "For the garden's robot, together with the e-mail address of an owner. Shown once.",
    examples: ['robot_3gk1vJ0dVZ8bT5n2mQxYwA4sLrE'],
  }),
};

const newGardenSchema = Type.Object({ ...shape, ...passwordField }, { $id: 'NewGarden' });
const passwordSchema = Type.Object(passwordField, { $id: 'GardenPassword' });

/** Returns the name of a garden; '' if it does not exist. */
export const gardenName = async (server: ServerScope, id: number): Promise<string> =>
  (await server.first(devices, { where: { id } }))?.name ?? '';

/** Returns the gardens of a user, the home garden first. */
async function gardensOf(server: ServerScope, user: { readonly id: number; readonly device_id: number }) {
  const others = await membershipsOf(server, user.id);
  const roles = new Map<number, Role>(others.map((member) => [member.device_id, roleOf(member)]));
  roles.set(user.device_id, 'owner');
  const ids = [...roles.keys()];
  const found = await server.rows(devices, { where: { id: ids } });
  const passwords = await server.rows(gardenPasswords, { where: { device_id: ids } });
  const named = new Set(passwords.map(({ device_id }) => device_id));
  return found
    .map(({ id, name }) => ({
      id,
      name,
      role: roles.get(id),
      is_home: id === user.device_id,
      has_robot_password: named.has(id),
    }))
    .sort((one, other) => Number(other.is_home) - Number(one.is_home) || one.id - other.id);
}

/**
 * Opens a session of a garden for the user of a request: part of the same sign-in, which expires and ends with it. Inside a transaction of the garden.
 * Throws 401 if the request's session has ended.
 */
export async function openGardenSession(
  services: AccountServices,
  scope: DeviceScope,
  call: Call,
): Promise<OpenedSession> {
  const user = await currentUser(scope);
  const issuance = await scope.server.first(tokenIssuances, { where: { jti: call.session.jti } });
  if (!issuance) throw new Failure('bad_token');
  const { aud, exp, signed_in_at: signedInAt } = issuance;
  await endSurplusSessions(services, scope, user.id, aud);
  const sessionId = sessionIdOf(issuance);
  return openSession(services, scope, { ...requestOf(services, call), user, aud, exp, signedInAt, sessionId });
}

/** `/api/gardens`: the gardens of a user. [ADR 58] */
export function gardenRoutes(services: AccountServices): DeviceRoute[] {
  /** Returns the garden of a path with the role of the user. Throws 404. */
  async function gardenOf(scope: DeviceScope, call: Call): Promise<{ readonly id: number; readonly role: Role }> {
    const id = parseId(call.params.id, 'Garden');
    const role = await roleIn(scope.server, await currentUser(scope), id);
    if (role === null) throw notFound('Garden');
    return { id, role };
  }

  /** Runs work in a transaction of a garden of the user, with the role that the user has then. */
  async function inGarden<T>(
    scope: DeviceScope,
    call: Call,
    work: (garden: DeviceScope, role: Role) => Promise<T>,
  ): Promise<T> {
    const { id } = await gardenOf(scope, call);
    const user = await currentUser(scope);
    return scope.server.device(id, identityOf(call, user)).transaction(async (garden) => {
      const role = await roleIn(garden.server, user, id);
      if (role === null) throw notFound('Garden');
      return work(garden, role);
    });
  }

  return deviceRoutes({ tag: 'People', addition: true, role: 'viewer' }, [
    {
      method: 'GET',
      path: '/api/rights',
      scope: 'any',
      personal: true,
      summary: 'Show what your token may do',
      description:
        'Returns the role of the user in the garden, the scopes of a personal token, and whether the token may administer the server.',
      replies: { 200: rightsSchema },
      handle: (_scope, { session: { rights, isAdministrator } }) => ({
        role: rights.role,
        scopes: rights.scopes && [...rights.scopes],
        administrator: isAdministrator,
      }),
    },
    {
      method: 'GET',
      path: '/api/gardens',
      summary: 'List your gardens',
      description: 'Returns the gardens of the user with the role in each, the home garden first.',
      replies: { 200: Type.Array(gardenSchema) },
      handle: async (scope) => gardensOf(scope.server, await currentUser(scope)),
    },
    {
      method: 'POST',
      path: '/api/gardens',
      confirms: true,
      summary: 'Create a garden',
      description: `Creates a garden, which the user owns, and returns it with the password of its robot. At most ${maxGardens}.`,
      body: inputBody(gardenFields, 'create', 'GardenInput', { name: 'Greenhouse' }),
      replies: { 200: newGardenSchema },
      async handle(scope, call) {
        const sent = parseFields<typeof gardenFields, 'name'>(gardenFields, objectBody(call));
        const { server } = scope;
        const user = await currentUser(scope);
        if (isGuest(user)) throw new Failure('forbidden', say.demoGarden);
        const where = { user_id: user.id, role: 'owner' };
        if ((await server.count(members, { where })) >= maxGardens)
          throw invalid({ name: say.ownedGardens(maxGardens) });
        const id = await services.gardens.create(server);
        const garden = server.device(id);
        const [device] = await garden.update(devices, { name: sent.name }, {});
        await garden.insert(members, { user_id: user.id, role: 'owner' });
        const robot_password = await renewGardenPassword(garden, services.endSessions);
        // As it is stored.
        return { id, name: device?.name ?? sent.name, role: 'owner', is_home: false, robot_password };
      },
    },
    {
      method: 'POST',
      path: '/api/gardens/:id/token',
      transaction: false,
      needsSession: true,
      summary: 'Get a token of another garden of yours',
      description:
        'Returns a session of the garden, with the role that the user has there. It is part of the same sign-in: it expires and ends with it.',
      replies: { 200: sessionSchema, 422: fieldFailuresSchema },
      handle: (scope, call) => inGarden(scope, call, (garden) => openGardenSession(services, garden, call)),
    },
    {
      method: 'POST',
      path: '/api/gardens/:id/robot_password',
      transaction: false,
      confirms: true,
      summary: "Renew the password of a garden's robot",
      description:
        'Returns a new password. The robot of an additional garden signs in with it and the e-mail address of an owner. The previous password and its sessions are revoked. In your home garden the robot uses your own password.',
      replies: { 200: passwordSchema },
      handle: (scope, call) =>
        inGarden(scope, call, async (garden, role) => {
          if (role !== 'owner') throw new Failure('forbidden', say.ownersOnly(role));
          const user = await currentUser(garden);
          if (user.device_id === garden.deviceId) throw invalid({ id: say.homeRobot });
          return { robot_password: await renewGardenPassword(garden, services.endSessions) };
        }),
    },
  ]);
}
