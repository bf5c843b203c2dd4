import { parsePartialFields } from '../accounts/account-fields.ts';
import { isGuest } from '../accounts/guests.ts';
import type { AccountServices } from '../accounts/services.ts';
import { endUserSessions } from '../accounts/sessions.ts';
import { deleteUser } from '../accounts/user-deletion.ts';
import type { UserRow } from '../accounts/users.ts';
import { changeUser, shownLanguage, users } from '../accounts/users.ts';
import { currentTimestamp } from '../core/clock.ts';
import { invalid, notFound } from '../core/errors.ts';
import { jsonFor } from '../core/message.ts';
import { plainLetters } from '../core/plain-letters.ts';
import { quotaNames, quotas } from '../core/quotas.ts';
import { sanitizeText } from '../db/codec.ts';
import type { Query, ServerScope } from '../db/scope.ts';
import { nameSql, sql } from '../db/sql.ts';
import { changeLimits } from '../device/device-limits.ts';
import { usageSchema } from '../device/usage-route.ts';
import { untagged } from '../engine/entity-tag.ts';
import { bigint, boolean, integer } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { pageHeaders, parsePage } from '../engine/paging.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { emptyReply, Reply } from '../engine/route.ts';
import { inputBody, pageParameters } from '../engine/schemas.ts';
import { setOwnLimit } from '../quotas/account-quotas.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { currentLimits, gardenLimitNames, gardenLimits } from './garden-limits.ts';
import { say } from './messages.ts';

/** Users of a list without pages, and at most of a page. */
const maxListed = 1000;

const nullableTime = Type.Nullable(timeSchema);

const userSchema = Type.Object(
  {
    id: idSchema,
    created_at: timeSchema,
    name: Type.Nullable(Type.String()),
    email: Type.String(),
    language: Type.Nullable(Type.String()),
    device_id: idSchema,
    admin: Type.Boolean(),
    demo: Type.Boolean({ description: 'A visitor without an e-mail address, deleted when unused.' }),
    confirmed_at: nullableTime,
    disabled_at: nullableTime,
    last_sign_in_at: nullableTime,
  },
  {
    $id: 'AdministeredUser',
    examples: [
      {
        id: 1,
        created_at: '2026-04-01T08:00:00.000Z',
        name: 'Anna',
        email: 'anna@example.com',
        language: 'English',
        device_id: 1,
        admin: false,
        demo: false,
        confirmed_at: '2026-04-01T08:00:00.000Z',
        disabled_at: null,
        last_sign_in_at: null,
      },
    ],
  },
);

/** The JSON of a user for administrators. */
const recordOf = (accounts: AccountServices, row: UserRow) => {
  const { id, created_at, name, email, device_id, admin, confirmed_at, disabled_at } = row;
  const language = shownLanguage(row);
  return {
    id,
    created_at,
    name,
    email,
    language,
    device_id,
    admin,
    demo: isGuest(row),
    confirmed_at,
    disabled_at,
    last_sign_in_at: accounts.activity.overlay(row).current_sign_in_at,
  };
};

const changeFields = {
  confirmed: boolean().describe('`true` confirms the e-mail address, instead of the link in the mail.'),
  disabled: boolean().describe('Whether the user can no longer sign in; `true` ends all sessions.'),
};

const limitFields = Object.fromEntries(
  quotaNames.map((name) => [
    name,
    bigint().nullable().range(0, 1e15).describe(`${quotas[name].description}; null: the general limit.`),
  ]),
);

const gardenLimitFields = Object.fromEntries(
  gardenLimitNames.map((name) => {
    const { usual, max, description } = gardenLimits[name];
    return [name, integer().nullable().range(1, max).describe(`Maximum number of ${description}; null: ${usual}.`)];
  }),
);

const gardenLimitsSchema = Type.Object(
  Object.fromEntries(
    gardenLimitNames.map((name) => {
      const { usual, max, description } = gardenLimits[name];
      const sentence = `Maximum number of ${description}; ${usual} by default.`;
      return [name, Type.Integer({ minimum: 0, maximum: max, description: sentence })];
    }),
  ),
  {
    $id: 'GardenLimits',
    examples: [Object.fromEntries(gardenLimitNames.map((name) => [name, gardenLimits[name].usual]))],
  },
);

/** Conditions of a search; characters with a meaning in patterns stand for themselves. */
function matching(text = ''): Pick<Query<UserRow>, 'and'> {
  const sought = plainLetters(sanitizeText(text)).trim();
  if (sought === '') return {};
  const pattern = `%${sought.replaceAll(/[|%_]/g, '|$&')}%`;
  const [name, email] = [nameSql('name'), nameSql('email')];
  return {
    and: ({ plainLetters: plain }) =>
      sql`(${plain(email)} like ${pattern} escape '|' or ${plain(name)} like ${pattern} escape '|')`,
  };
}

/** Returns the user of a path. Throws 404. */
async function requestedUser(server: ServerScope, call: Call): Promise<UserRow> {
  const user = await server.first(users, { where: { id: parseId(call.params.id, 'User') } });
  if (!user) throw notFound('User');
  return user;
}

/** Throws 422: an administrator could lock the last one out. */
function assertOther(call: Call, user: UserRow, field: string): void {
  if (user.id === call.session.userId) throw invalid({ [field]: say.ownAccount });
}

/** `/api/admin/users`: the accounts of the server. [ADR 50] */
export function adminUserRoutes(accounts: AccountServices, quotas: Quotas): DeviceRoute[] {
  const common = { access: 'token', tag: 'Administration', addition: true } as const;
  const change = { ...common, transaction: false, confirms: true } as const;
  const one = '/api/admin/users/:id';
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/admin/users',
      summary: 'Find users of the server',
      description: `Returns the users by id, at most ${maxListed} of them or of a page; with \`search\`, those whose name or e-mail address contains the text.`,
      query: Type.Object({
        search: Type.Optional(Type.String({ description: 'Part of a name or an e-mail address.' })),
        ...pageParameters,
      }),
      replies: { 200: Type.Array(userSchema) },
      untagged: untagged.overlaid,
      async handle({ server }, call) {
        const { search } = call.query;
        const page = parsePage(call.query);
        const per = Math.min(page?.per ?? maxListed, maxListed);
        const offset = Math.floor(((page?.page ?? 1) - 1) * per);
        const rows = await server.rows(users, { ...matching(search), limit: per, offset });
        const filters = search === undefined ? {} : { search };
        const headers = page
          ? pageHeaders(
              call,
              '/api/admin/users',
              filters,
              { ...page, per },
              await server.count(users, matching(search)),
            )
          : {};
        return new Reply(
          jsonFor(
            'api',
            rows.map((row) => recordOf(accounts, row)),
          ),
          undefined,
          200,
          headers,
        );
      },
    },
    {
      ...common,
      method: 'GET',
      path: one,
      summary: 'Show a user of the server',
      description: 'Returns the user with the times of its confirmation, of its last sign-in, and of being disabled.',
      untagged: untagged.overlaid,
      replies: { 200: userSchema },
      handle: async ({ server }, call) => recordOf(accounts, await requestedUser(server, call)),
    },
    {
      ...change,
      method: 'PATCH',
      path: one,
      summary: 'Confirm the address of a user, disable the user, or enable it again',
      description:
        'Changes the fields that are sent and returns the user. A disabled user cannot sign in, with the browser or with a robot; all sessions end, those of other gardens included. The garden stays as it is.',
      body: inputBody(changeFields, 'update', 'AdministeredUserUpdate', { confirmed: true }),
      replies: { 200: userSchema },
      async handle({ server }, call) {
        const { confirmed, disabled } = parsePartialFields(changeFields, objectBody(call));
        const found = await requestedUser(server, call);
        if (confirmed === false) throw invalid({ confirmed: say.confirmed });
        if (disabled === true) assertOther(call, found, 'disabled');
        return server.device(found.device_id).transaction(async (scope) => {
          const user = await scope.first(users, { where: { id: found.id } });
          if (!user) throw notFound('User');
          const now = currentTimestamp(scope.clock);
          const changes = {
            ...(confirmed && user.confirmed_at === null && { confirmed_at: now }),
            ...(disabled === true && user.disabled_at === null && { disabled_at: now }),
            ...(disabled === false && { disabled_at: null }),
          };
          const changed = await changeUser(scope, user, changes);
          if (disabled === true) await endUserSessions(accounts.endSessions, scope.server, user.id);
          scope.log.info({ user: user.id, administrator: call.session.userId, ...changes }, 'an account was changed');
          return recordOf(accounts, changed);
        });
      },
    },
    {
      ...change,
      method: 'DELETE',
      path: one,
      summary: 'Delete a user of the server',
      description:
        'Deletes the account, and its garden with photos and robot sessions unless other people have it, immediately.',
      replies: { 200: 'empty' },
      async handle({ server }, call) {
        const found = await requestedUser(server, call);
        assertOther(call, found, 'id');
        if (!(await deleteUser(server, accounts, found))) throw notFound('User');
        server.log.info({ user: found.id, administrator: call.session.userId }, 'an account was deleted');
        return emptyReply;
      },
    },
    {
      ...common,
      method: 'GET',
      path: `${one}/quotas`,
      summary: "Show what a user's garden stores and does, and how much of it is allowed",
      description: 'Returns each quota with what is used of it.',
      replies: { 200: usageSchema },
      handle: async ({ server }, call) => quotas.usage(server.device((await requestedUser(server, call)).device_id)),
    },
    {
      ...change,
      method: 'PATCH',
      path: `${one}/quotas`,
      summary: "Change the limits of a user's garden",
      description: 'Sets the limits that are sent; null removes one, so that the general limit applies.',
      body: inputBody(limitFields, 'update', 'QuotaUpdate', { photos: 1000, tokens: null }),
      replies: { 200: usageSchema },
      async handle({ server }, call) {
        const limits = parsePartialFields(limitFields, objectBody(call));
        const { device_id } = await requestedUser(server, call);
        await server.device(device_id).transaction(async (scope) => {
          for (const name of quotaNames) {
            const { [name]: value } = limits;
            if (value !== undefined) await setOwnLimit(scope, name, value);
          }
        });
        return quotas.usage(server.device(device_id));
      },
    },
    {
      ...common,
      method: 'GET',
      path: `${one}/limits`,
      summary: "Show how many points, sequences and steps a user's garden may have",
      description: 'Returns the limits of the garden, beside its quotas.',
      replies: { 200: gardenLimitsSchema },
      handle: async ({ server }, call) => currentLimits(server.device((await requestedUser(server, call)).device_id)),
    },
    {
      ...change,
      method: 'PATCH',
      path: `${one}/limits`,
      summary: "Change how many points, sequences and steps a user's garden may have",
      description: 'Sets the limits that are sent; null sets the default. What a garden has beyond a limit stays.',
      body: inputBody(gardenLimitFields, 'update', 'GardenLimitUpdate', { points: 2000, sequences: null }),
      replies: { 200: gardenLimitsSchema },
      async handle({ server }, call) {
        const limits = parsePartialFields(gardenLimitFields, objectBody(call));
        const scope = server.device((await requestedUser(server, call)).device_id);
        await scope.transaction((inner) => changeLimits(inner, limits));
        return currentLimits(scope);
      },
    },
  ];
}
