import { invalid, notFound } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { oneOf } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { Role } from '../engine/rights.ts';
import { assertRole, hasRole, roles } from '../engine/rights.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { deviceRoutes, emptyReply } from '../engine/route.ts';
import { inputBody } from '../engine/schemas.ts';
import { parseFields } from './account-fields.ts';
import { endGardenPasswords } from './garden-passwords.ts';
import type { MemberRow } from './members.ts';
import { members, roleOf } from './members.ts';
import { say } from './messages.ts';
import type { AccountServices } from './services.ts';
import { endGardenSessions } from './sessions.ts';
import { users } from './users.ts';

export const roleSchema = Type.OneOf([...roles]);

const memberSchema = Type.Object(
  {
    id: { ...idSchema, description: 'The id of the user.' },
    created_at: { ...timeSchema, description: 'When the membership began.' },
    name: Type.Nullable(Type.String({ examples: ['Bob'] })),
    email: Type.String({ examples: ['bob@example.com'] }),
    role: roleSchema,
    is_home: Type.Boolean({
      description: 'It is the home garden of the user, who can be neither removed nor demoted.',
    }),
  },
  { $id: 'Member' },
);

const roleFields = { role: oneOf(...roles).required() };

const ofOwner =
  'If an owner is concerned, the password of the robot of a further garden ends, too: make another one with `POST /api/gardens/{id}/robot_password`. The robot stays signed in until then.';

/** Returns the people of the scope's garden, its own users first. */
async function membersOf(scope: DeviceScope) {
  const home = await scope.rows(users);
  const rows = await scope.rows(members);
  const found = await scope.server.rows(users, { where: { id: rows.map(({ user_id }) => user_id) } });
  const people = new Map(found.map((user) => [user.id, user]));
  return [
    ...home.map(({ id, created_at, name, email }) => ({ id, created_at, name, email, role: 'owner', is_home: true })),
    ...rows.flatMap((row) => {
      const user = people.get(row.user_id);
      if (!user) return [];
      const { id, name, email } = user;
      return [{ id, created_at: row.created_at, name, email, role: roleOf(row), is_home: false }];
    }),
  ];
}

/** Throws 422 if a garden would be left without an owner. Inside a transaction of the device. */
async function assertOwnerLeft(scope: DeviceScope, { user_id, role }: MemberRow, field: string): Promise<void> {
  if (role !== 'owner' || (await scope.count(users)) > 0) return;
  if ((await scope.count(members, { where: { role: 'owner', user_id: { not: user_id } } })) === 0)
    throw invalid({ [field]: say.lastOwner });
}

/** `/api/members`: the people of a garden. [ADR 58] */
export function memberRoutes(services: AccountServices): DeviceRoute[] {
  /** Ends the sessions and credentials of a member who leaves or is demoted. */
  async function endMembership(scope: DeviceScope, before: MemberRow): Promise<void> {
    await endGardenSessions(services, scope, before.user_id);
    if (before.role === 'owner') await endGardenPasswords(scope.server, [scope.deviceId]);
  }

  return deviceRoutes({ tag: 'People', addition: true }, [
    {
      method: 'GET',
      path: '/api/members',
      role: 'owner',
      summary: 'List the people of the garden',
      description: 'Returns the people who can sign in to this garden, with the role.',
      replies: { 200: Type.Array(memberSchema) },
      handle: membersOf,
    },
    {
      method: 'PATCH',
      path: '/api/members/:id',
      confirms: true,
      summary: 'Change the role of a member',
      description: `A lower role ends all sessions, connections and the calendar feed of the member in this garden. ${ofOwner}`,
      body: inputBody(roleFields, 'create', 'MemberUpdate', { role: 'viewer' }),
      replies: { 200: memberSchema },
      async handle(scope, call) {
        const before = await memberOf(scope, call, 'role');
        const { role } = parseFields<typeof roleFields, 'role'>(roleFields, objectBody(call));
        if (before.role !== role) {
          if (role !== 'owner') await assertOwnerLeft(scope, before, 'role');
          await scope.update(members, { role }, { where: { id: before.id } });
          if (!hasRole(role as Role, roleOf(before))) await endMembership(scope, before);
        }
        return (await membersOf(scope)).find(({ id }) => id === before.user_id) ?? {};
      },
    },
    {
      method: 'DELETE',
      path: '/api/members/:id',
      // Viewers can leave.
      role: 'viewer',
      confirms: true,
      summary: 'Remove a member, or leave the garden',
      description: `Ends all sessions, connections and the calendar feed of the member in this garden. Owners remove others; all may leave. ${ofOwner}`,
      replies: { 200: 'empty' },
      async handle(scope, call) {
        if (parseId(call.params.id, 'Member') !== call.session.userId) assertRole(call.session.rights, 'owner');
        const before = await memberOf(scope, call, 'id');
        await assertOwnerLeft(scope, before, 'id');
        await scope.delete(members, { where: { id: before.id } });
        await endMembership(scope, before);
        return emptyReply;
      },
    },
  ]);
}

/** Returns the member of a path. Throws 404, or 422 for the user whose own garden it is. */
async function memberOf(scope: DeviceScope, call: Call, field: string): Promise<MemberRow> {
  const id = parseId(call.params.id, 'Member');
  const row = await scope.first(members, { where: { user_id: id } });
  if (row) return row;
  if (await scope.first(users, { where: { id } })) throw invalid({ [field]: say.homeOwner });
  throw notFound('Member');
}

/** The number of people in a garden. */
export const countMembers = async (scope: DeviceScope): Promise<number> =>
  (await scope.count(members)) + (await scope.count(users));
