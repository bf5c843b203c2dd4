import { notFound } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { untagged } from '../engine/entity-tag.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { parseId } from '../engine/resource-routes.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import type { AccountServices } from './services.ts';
import type { ListedSession } from './session-list.ts';
import { listSessions } from './session-list.ts';
import { tokenIssuances } from './token-issuances.ts';

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
  },
  { $id: 'ListedSession' },
);

/** `/api/sessions`: where the user is signed in. [ADR 57] */
export function sessionRoutes(services: AccountServices): DeviceRoute[] {
  const common = { tag: 'Sign in', access: 'token', addition: true } as const;

  /** Ends sessions of the user, wherever their tokens lead. */
  async function end(scope: DeviceScope, sessions: readonly ListedSession[]): Promise<void> {
    const where = { id: sessions.flatMap(({ tokens }) => tokens.map(({ id }) => id)) };
    const ended = await scope.server.delete(tokenIssuances, { where });
    for (const deviceId of new Set(ended.map(({ device_id }) => device_id)))
      await services.endSessions(scope.server, deviceId);
  }

  return [
    {
      ...common,
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
      ...common,
      method: 'DELETE',
      path: '/api/sessions/:id',
      confirms: true,
      summary: 'End a session',
      description:
        'Revokes all tokens of the session and closes its connections to the message broker. A robot keeps its settings, and signs in again if it still knows the password.',
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
      ...common,
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
  ];

  function ownSessions(scope: DeviceScope, call: Call): Promise<ListedSession[]> {
    return listSessions(scope.server, services.uses, call.session.userId);
  }
}
