import { Failure, invalid, notFound } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { oneOf, text } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, Problem, timeSchema } from '../engine/kinds.ts';
import { pageLanguage } from '../engine/page-language.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { Role } from '../engine/rights.ts';
import { hasRole, roles } from '../engine/rights.ts';
import type { Call, DeviceRoute, Route } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import { inputBody, inputSchema, withExample } from '../engine/schemas.ts';
import { emailProblem, maxEmailLength, normalizeEmail, parseFields } from './account-fields.ts';
import { gardenName, openGardenSession } from './garden-routes.ts';
import { isGuest } from './guests.ts';
import type { InvitationRow } from './invitations.ts';
import { invitationOf, invitations, invite, isOfAdministrator } from './invitations.ts';
import { countMembers, roleSchema } from './member-routes.ts';
import { members, roleIn, roleOf } from './members.ts';
import { say } from './messages.ts';
import { notifyOwners } from './new-members.ts';
import type { SignUp } from './server-settings.ts';
import { currentSignUp } from './server-settings.ts';
import type { AccountServices } from './services.ts';
import { currentUser, identityOf, sessionSchema } from './sessions.ts';
import { users } from './users.ts';

/** Returns the invitation of a link; null: it has expired, was used or withdrawn. */
async function shownInvitation(server: ServerScope, token: string, setting: SignUp) {
  const row = await invitationOf(server, token);
  const inviter = row && (await server.first(users, { where: { id: row.invited_by } }));
  if (!row || !inviter) return null;
  const isOpen = (await currentSignUp(server, setting)) === 'open';
  return {
    email: row.email,
    inviter: inviter.name ?? inviter.email,
    garden: row.role === null ? null : { name: await gardenName(server, row.device_id), role: row.role },
    may_sign_up: isOpen || (await isOfAdministrator(server, row)),
  };
}

/** People in a garden, and invitations of it that are open. */
const maxMembers = 50;
const maxInvitations = 50;

const emailField = () =>
  text()
    .max(maxEmailLength)
    .required()
    .check((email) => {
      const problem = emailProblem(normalizeEmail(email), []);
      return problem === null ? null : new Problem(problem);
    });
const invitationFields = { email: emailField().label(labels.email), role: oneOf(...roles).required() };
const serverInvitationFields = { email: emailField().label(labels.email) };
const linkFields = { token: text().max(100, 'field').required() };

const shape = {
  id: idSchema,
  created_at: timeSchema,
  email: Type.String({ examples: ['bob@example.com'] }),
  expires_at: timeSchema,
};
const link = Type.Optional(
  Type.String({
    description: 'Only where the server sends no mail: for you to pass on.',
    examples: ['http://192.168.1.20:3000/invitation/5mBq0GcUo2'],
  }),
);
const invitationSchema = Type.Object({ ...shape, role: roleSchema, link }, { $id: 'Invitation' });
const serverInvitationSchema = Type.Object({ ...shape, link }, { $id: 'ServerInvitation' });

const shownInvitationSchema = Type.Object(
  {
    email: shape.email,
    inviter: Type.String({ examples: ['Anna'] }),
    garden: Type.Nullable(
      Type.Object(
        { name: Type.String({ examples: ['Greenhouse'] }), role: roleSchema },
        {
          description: 'Null: to create an account on the server.',
        },
      ),
    ),
    may_sign_up: Type.Boolean({ description: 'Whether an account may be created with it.' }),
  },
  { $id: 'ShownInvitation' },
);

const recordOf = ({ id, created_at, email, role, expires_at }: InvitationRow, address: string | null = null) => ({
  id,
  created_at,
  email,
  expires_at,
  ...(role === null ? {} : { role }),
  ...(address === null ? {} : { link: address }),
});

/** `/api/invitations` and `/api/admin/invitations`. [ADR 58] */
export function invitationRoutes(services: AccountServices): Route[] {
  return [
    ...[false, true].flatMap((isServer) => managementRoutes(services, isServer)),
    {
      access: 'public',
      tag: 'Sign in',
      addition: true,
      method: 'POST',
      path: '/api/invitations/show',
      transaction: false,
      summary: 'Show what a link invites to',
      description:
        'Takes the last part of the link of an invitation, and returns to whom it was sent, by whom, and for which garden.',
      body: inputBody(linkFields, 'create', 'InvitationRequest', { token: '5mBq0GcUo2' }),
      replies: { 200: shownInvitationSchema, 404: failureSchema },
      handle: (server, call) => show(services, server, call),
    },
    {
      access: 'token',
      tag: 'People',
      addition: true,
      role: 'viewer',
      method: 'POST',
      path: '/api/invitations/accept',
      transaction: false,
      needsSession: true,
      summary: 'Accept an invitation to a garden',
      description:
        'Takes the last part of the link of an invitation to the e-mail address of the user, and returns a session of the garden. A link works once.',
      body: inputBody(linkFields, 'create', 'InvitationAcceptance', { token: '5mBq0GcUo2' }),
      replies: { 200: sessionSchema, 404: failureSchema },
      handle: (scope, call) => accept(services, scope, call),
    },
    {
      access: 'public',
      tag: 'Sign in',
      addition: true,
      method: 'POST',
      path: '/api/invitations/decline',
      transaction: false,
      summary: 'Decline an invitation',
      description:
        'Takes the last part of the link of an invitation, which no longer works afterward and is no longer in the list of open invitations. No account is needed.',
      body: inputBody(linkFields, 'create', 'InvitationRefusal', { token: '5mBq0GcUo2' }),
      replies: { 200: 'empty', 404: failureSchema },
      handle: (server, call) => decline(services, server, call),
    },
  ];
}

/** The routes for inviting: owners invite to their garden, administrators to the server. */
function managementRoutes(services: AccountServices, isServer: boolean): DeviceRoute[] {
  const path = isServer ? '/api/admin/invitations' : '/api/invitations';
  const common = { access: 'token', tag: isServer ? 'Administration' : 'People', addition: true } as const;
  const role = isServer ? {} : ({ role: 'owner' } as const);
  const where = isServer ? { role: null } : { role: { not: null } };
  const schema = isServer ? serverInvitationSchema : invitationSchema;
  const to = isServer ? 'to create an account on the server' : 'to the garden';
  return [
    {
      ...common,
      ...role,
      method: 'GET',
      path,
      summary: `List the open invitations ${to}`,
      description: 'Returns those that were neither used nor have expired.',
      replies: { 200: Type.Array(schema) },
      handle: async (scope) => {
        const rows = isServer ? scope.server.rows(invitations, { where }) : scope.rows(invitations, { where });
        const now = scope.clock.now();
        return (await rows).filter(({ expires_at }) => Date.parse(expires_at) > now).map((row) => recordOf(row));
      },
    },
    {
      ...common,
      ...role,
      method: 'POST',
      path,
      confirms: true,
      summary: `Invite a person ${to}`,
      description: `Sends a mail with a link that works once, for 7 days and for this address only; without a mail server, the link is returned. The response does not show whether the address has an account.${isServer ? '' : ' Where sign-up is closed, only the invitations of administrators may create accounts.'}`,
      body: {
        rule: 'object',
        schema: isServer
          ? withExample(inputSchema(serverInvitationFields, 'create', 'ServerInvitationInput'), {
              email: 'bob@example.com',
            })
          : withExample(inputSchema(invitationFields, 'create', 'InvitationInput'), {
              email: 'bob@example.com',
              role: 'viewer',
            }),
      },
      replies: { 200: schema },
      handle: (scope, call) => create(services, scope, call, isServer),
    },
    {
      ...common,
      ...role,
      method: 'DELETE',
      path: `${path}/:id`,
      confirms: true,
      summary: 'Withdraw an invitation',
      description: 'Its link no longer works.',
      replies: { 200: 'empty' },
      async handle(scope, call) {
        const query = { where: { id: parseId(call.params.id, 'Invitation'), ...where } };
        const deleted = isServer
          ? await scope.server.delete(invitations, query)
          : await scope.delete(invitations, query);
        if (deleted.length === 0) throw notFound('Invitation');
        return emptyReply;
      },
    },
  ];
}

async function create(services: AccountServices, scope: DeviceScope, call: Call, isServer: boolean) {
  const sent = isServer
    ? parseFields<typeof serverInvitationFields, 'email'>(serverInvitationFields, objectBody(call))
    : parseFields<typeof invitationFields, 'email' | 'role'>(invitationFields, objectBody(call));
  const email = normalizeEmail(sent.email);
  const user = await currentUser(scope);
  if (isGuest(user)) throw new Failure('forbidden', say.demoInvitation);
  services.limits.countInvitation(call, user.id);
  if (services.sendsMail) services.limits.countConfirmationMail(call, email);
  if ((await scope.count(invitations)) >= maxInvitations || (await countMembers(scope)) >= maxMembers)
    throw invalid({ email: say.invitationsFull(maxMembers, maxInvitations) });
  const role = 'role' in sent ? (sent.role as Role) : null;
  const { row, link: address } = await invite(services, scope, user.id, { email, role, page: pageLanguage(call) });
  return recordOf(row, address);
}

const unusable = () => new Failure('not_found', say.deadInvitation);

/** Rejects invalid links. Only these are counted: people who share an address may open all of their own links. */
function deadLink(services: AccountServices, call: Call): Failure {
  services.limits.countUnverified(call);
  return unusable();
}

async function show(services: AccountServices, server: ServerScope, call: Call) {
  const { token } = parseFields<typeof linkFields, 'token'>(linkFields, objectBody(call));
  const shown = await shownInvitation(server, token, services.rules.signUp);
  if (!shown) throw deadLink(services, call);
  return shown;
}

/** Declines for the person who has the link: a mail's link proves the mailbox, and no account may exist. */
async function decline(services: AccountServices, server: ServerScope, call: Call) {
  const { token } = parseFields<typeof linkFields, 'token'>(linkFields, objectBody(call));
  const found = await invitationOf(server, token);
  const deleted = found ? await server.delete(invitations, { where: { id: found.id } }) : [];
  if (deleted.length === 0) throw deadLink(services, call);
  return emptyReply;
}

async function accept(services: AccountServices, scope: DeviceScope, call: Call) {
  const { token } = parseFields<typeof linkFields, 'token'>(linkFields, objectBody(call));
  const user = await currentUser(scope);
  const found = await invitationOf(scope.server, token);
  if (!found?.role) throw unusable();
  if (found.email !== user.email) throw new Failure('forbidden', say.otherInvitation);
  return scope.server.device(found.device_id, identityOf(call, user)).transaction(async (garden) => {
    if (!(await invitationOf(garden.server, token))) throw unusable();
    // It may be withdrawn or declined at the same time: the first request that deletes it wins.
    const used = await garden.delete(invitations, { where: { id: found.id } });
    if (used.length === 0) throw unusable();
    const role = roleOf({ role: found.role ?? '' });
    const before = await roleIn(garden.server, user, garden.deviceId);
    if (before === null || !hasRole(before, role))
      await notifyOwners(services, garden, { id: user.id, role, page: pageLanguage(call) });
    if (before === null) {
      if ((await countMembers(garden)) >= maxMembers) throw invalid({ token: say.gardenFull });
      await garden.insert(members, { user_id: user.id, role });
    } else if (!hasRole(before, role)) await garden.update(members, { role }, { where: { user_id: user.id } });
    return openGardenSession(services, garden, call);
  });
}
