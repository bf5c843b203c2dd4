import { Failure } from '../core/errors.ts';
import { jsonFor } from '../core/message.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { text } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, Route } from '../engine/route.ts';
import { jsonContentType, Reply } from '../engine/route.ts';
import { inputSchema, withExample } from '../engine/schemas.ts';
import { parseFields } from './account-fields.ts';
import { say } from './messages.ts';
import type { AccountServices } from './services.ts';
import type { OwnPage } from './session-resumption.ts';
import { giveUpCookies, makeResumable, ofKey, ownPageOf, rotateCookie } from './session-resumption.ts';
import { endSession, identityOf, sessionSchema } from './sessions.ts';
import type { TokenIssuanceRow } from './token-issuances.ts';
import { tokenIssuances } from './token-issuances.ts';
import { tokenUser, users } from './users.ts';

const exampleKey = 'mVq1h2T3yQ5w8e0rKc7d9uJx4b6n1a3sZg5f7h9j2k4';
const keyFields = { key: text().required().max(100).label('Key', 'Clé') };
const resumeSchema = withExample(inputSchema(keyFields, 'create', 'ResumeInput'), { key: exampleKey });
const keySchema = Type.Object({ key: Type.String({ examples: [exampleKey] }) }, { $id: 'Resumption' });

const notResumable = (): Failure => new Failure('unauthenticated', say.notResumable);

/** `/api/tokens/resumable` and `resume`: a page of this server stays signed in. [ADR 125] */
export function resumptionRoutes(services: AccountServices): Route[] {
  const common = { method: 'POST', tag: 'Sign in', addition: true } as const;
  return [
    {
      ...common,
      path: '/api/tokens/resumable',
      access: 'token',
      needsSession: true,
      summary: 'Let pages of this server in this browser resume the session',
      description:
        'For pages of this server only. Returns a key for the storage of the page, and sets a cookie; with both, `POST /api/tokens/resume` opens the session again until it expires. Another call replaces both, and the session of the earlier cookie is no longer resumed. The cookie alone signs in no client.',
      replies: { 200: keySchema },
      handle: async (scope, call) => {
        const page = ownPageOf(call);
        const row = await scope.server.first(tokenIssuances, { where: { jti: call.session.jti } });
        if (!row) throw new Failure('bad_token');
        await giveUpCookies(scope.server, call, page, row.id);
        const { key, headers } = await makeResumable(scope, page, row);
        return new Reply(jsonFor('api', { key }), jsonContentType, 200, headers);
      },
    },
    {
      ...common,
      method: 'DELETE',
      path: '/api/tokens/resumable',
      access: 'token',
      needsSession: true,
      summary: 'Let pages of this server in this browser resume no session',
      description:
        'For pages of this server only. Gives up the session that the cookie of the request is of, and deletes the cookie. Tokens stay valid.',
      replies: { 204: 'empty' },
      handle: async (scope, call) => {
        const headers = await giveUpCookies(scope.server, call, ownPageOf(call));
        return new Reply('', jsonContentType, 204, headers);
      },
    },
    {
      ...common,
      path: '/api/tokens/resume',
      access: 'public',
      transaction: false,
      summary: 'Resume the session of this browser',
      description:
        'For pages of this server only. Returns a token of the session that `POST /api/tokens/resumable` prepared, with the time of its sign-in and its expiry, and replaces the cookie, at most once a minute. A cookie that was replaced earlier has been copied: the session ends. 401: the key is of no session any more; 403: the cookie is missing, and the key stays.',
      body: { rule: 'object', schema: resumeSchema },
      replies: { 200: sessionSchema, 401: failureSchema, 403: failureSchema },
      handle: async (server, call) => {
        const page = ownPageOf(call);
        const { key } = parseFields<typeof keyFields, 'key'>(keyFields, call.body as Body);
        const where = { ...ofKey(key), exp: { gt: Math.floor(server.clock.now() / 1000) } };
        const row = await server.first(tokenIssuances, { where });
        if (!row) throw notResumable();
        return resume(server, call, page, key, row);
      },
    },
  ];

  async function resume(
    server: ServerScope,
    call: Call,
    page: OwnPage,
    key: string,
    { id, device_id, user_id }: TokenIssuanceRow,
  ) {
    const user = await server.first(users, { where: { id: user_id } });
    if (!user || user.disabled_at !== null) throw notResumable();
    return server.device(device_id, identityOf(call, user)).transaction(async (scope: DeviceScope) => {
      const row = await scope.server.first(tokenIssuances, { where: { id, ...ofKey(key) } });
      if (!row) throw notResumable();
      const headers = await rotateCookie(scope, call, page, key, row);
      // The key is right: the browser keeps it, as the cookie may be there the next time.
      if (headers === null) throw new Failure('forbidden', say.noCookie);
      if (headers === 'copied') {
        await endSession(services.endSessions, scope.server, row);
        scope.log.warn({ user: user.id }, 'a session ended: its cookie was used twice');
        // Returned, so that the end of the session stays.
        return notResumable();
      }
      const { aud, exp, jti } = row;
      const token = services.signer.signSession({
        ...{ userId: user.id, deviceId: device_id, aud, exp, jti },
        addresses: services.addresses(call),
      });
      const session = { token, user: tokenUser(services.activity.overlay(user)) };
      return new Reply(jsonFor('api', session), jsonContentType, 200, headers);
    });
  }
}
