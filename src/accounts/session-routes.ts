import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { notFound } from '../core/errors.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { untagged } from '../engine/entity-tag.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { parseId } from '../engine/resource-routes.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { deviceRoutes, emptyReply } from '../engine/route.ts';
import type { CredentialUses } from './credential-uses.ts';
import type { AccountServices } from './services.ts';
import type { TokenIssuanceRow } from './token-issuances.ts';
import { isRobotSession, sessionIdOf, tokenIssuances } from './token-issuances.ts';

/** One sign-in with all tokens that were refreshed from it and are still valid. */
type ListedSession = ReturnType<typeof listed>;

/** Returns the sessions of a user, the last used first. */
async function listSessions(server: ServerScope, uses: CredentialUses, userId: number): Promise<ListedSession[]> {
  const now = Math.floor(server.clock.now() / 1000);
  const rows = await server.rows(tokenIssuances, { where: { user_id: userId, exp: { gt: now } } });
  const sessions = new Map<number, TokenIssuanceRow[]>();
  for (const row of rows) {
    const id = sessionIdOf(row);
    sessions.set(id, [...(sessions.get(id) ?? []), uses.overlay(row)]);
  }
  return [...sessions].map(([id, tokens]) => listed(id, tokens)).sort(byLastUse);
}

const lastUse = ({ last_used_at, created_at }: Pick<TokenIssuanceRow, 'last_used_at' | 'created_at'>): Timestamp =>
  last_used_at ?? created_at;

const byLastUse = (a: ListedSession, b: ListedSession): number => lastUse(b).localeCompare(lastUse(a)) || b.id - a.id;

function listed(id: number, tokens: readonly TokenIssuanceRow[]) {
  // In the order of their issue, so that the first has the time of the sign-in.
  const [first] = tokens;
  if (!first) throw new Error(`session ${id} has no token`);
  const latest = tokens.reduce((a, b) => (lastUse(b) >= lastUse(a) ? b : a));
  return {
    id,
    kind: isRobotSession(first) ? ('robot' as const) : ('person' as const),
    created_at: first.signed_in_at ?? first.created_at,
    last_used_at: latest.last_used_at,
    expires_at: timestamp(Math.max(...tokens.map(({ exp }) => exp)) * 1000),
    /** IP address and User-Agent of the last use. */
    address: latest.address,
    user_agent: latest.user_agent,
    stays_signed_in: tokens.some(({ resume_key_hash }) => resume_key_hash !== null),
    tokens,
  };
}

const sessionSchema = Type.Object(
  {
    id: idSchema,
    kind: Type.OneOf(['person', 'robot']),
    is_current: Type.Boolean({ description: 'The session of this request.' }),
    created_at: timeSchema,
    last_used_at: Type.Nullable({ ...timeSchema, description: 'Recorded since version 0.2.0.' }),
    expires_at: timeSchema,
    address: Type.Nullable(
      Type.String({
        description: 'IP address of the last use; for virtual robots of the server, their name.',
        examples: ['192.168.1.31'],
      }),
    ),
    user_agent: Type.Nullable(Type.String({ description: 'Client of the last use.', examples: ['Mozilla/5.0'] })),
    stays_signed_in: Type.Boolean({ description: 'New tabs of its browser resume it without the password.' }),
  },
  { $id: 'ListedSession' },
);

/** `/api/sessions`: where the user is signed in. [ADR 57] */
export function sessionRoutes(services: AccountServices): DeviceRoute[] {
  /** Ends sessions of the user, wherever their tokens lead. */
  async function end(scope: DeviceScope, sessions: readonly ListedSession[]): Promise<void> {
    const where = { id: sessions.flatMap(({ tokens }) => tokens.map(({ id }) => id)) };
    const ended = await scope.server.delete(tokenIssuances, { where });
    for (const deviceId of new Set(ended.map(({ device_id }) => device_id)))
      await services.endSessions(scope.server, deviceId);
  }

  return deviceRoutes({ tag: 'Sign in', addition: true }, [
    {
      method: 'GET',
      path: '/api/sessions',
      summary: 'List the sessions of the user',
      description:
        'Returns where the user is signed in, the last used first. A session is one sign-in with all tokens that were refreshed from it. Personal tokens are not sessions.',
      replies: { 200: Type.Array(sessionSchema) },
      untagged: untagged.overlaid,
      handle: async (scope, call) =>
        (await listSessions(scope.server, services.uses, call.session.userId)).map(({ tokens: _tokens, ...shown }) => ({
          ...shown,
          is_current: shown.id === call.session.id,
        })),
    },
    {
      method: 'DELETE',
      path: '/api/sessions/:id',
      confirms: true,
      summary: 'End a session',
      description:
        'Revokes all tokens of the session and closes its connections to the message broker. A robot keeps its settings: it signs in again after it was switched off and on, if it still knows the password.',
      replies: { 200: 'empty' },
      handle: async (scope, call) => {
        const id = parseId(call.params.id, 'Session');
        const found = (await ownSessions(scope, call)).filter((session) => session.id === id);
        if (found.length === 0) throw notFound('Session');
        await end(scope, found);
        return emptyReply;
      },
    },
    {
      method: 'DELETE',
      path: '/api/sessions',
      confirms: true,
      summary: 'End all other sessions of the user',
      description: 'Ends all sessions but that of this request, those of robots, too. Personal tokens stay.',
      replies: { 200: 'empty' },
      handle: async (scope, call) => {
        await end(
          scope,
          (await ownSessions(scope, call)).filter(({ id }) => id !== call.session.id),
        );
        return emptyReply;
      },
    },
  ]);

  function ownSessions(scope: DeviceScope, call: Call): Promise<ListedSession[]> {
    return listSessions(scope.server, services.uses, call.session.userId);
  }
}
