import { timestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { CredentialClient } from './credential-uses.ts';
import type { AccountRules, EndSessions, SessionServices } from './services.ts';
import type { OpenedSession } from './sessions.ts';
import { endSurplusSessions, openSession, revokeTokens, termsFailure, verificationFailure } from './sessions.ts';
import { enqueueExpiredDeletion, tokenIssuances } from './token-issuances.ts';
import type { TokenAddresses } from './token-signer.ts';
import { userByEmail, users } from './users.ts';

interface NewSession {
  readonly isRobot: boolean;
  /** Time until it expires, in days; undefined: as after a sign-in. */
  readonly days?: number | undefined;
}

interface SessionDependencies extends SessionServices {
  readonly rules: AccountRules;
  /** The addresses in new tokens. */
  readonly addresses: TokenAddresses;
}

const kindOf = (aud: string): 'person' | 'robot' | 'temporary' =>
  aud === 'bot' ? 'robot' : aud === 'temporary' ? 'temporary' : 'person';

/** The text in the list of sessions for a token that the command line issued, until it is used. */
const commandLine: CredentialClient = { address: null, userAgent: 'potager token create' };

const seconds = (scope: ServerScope): number => Math.floor(scope.clock.now() / 1000);

/** The operations of the command line on the sessions of an account, in all of its gardens. Null: there is no such account. `open` loads the modules that only new sessions need. */
export const sessionOperations = (
  server: () => ServerScope,
  jobs: JobQueue,
  endSessions: EndSessions,
  open: () => Promise<SessionDependencies>,
) => ({
  /** Opens a session as a sign-in does, except that it may not change the means to recover the account. Throws Failure 403 or 451 as a sign-in does. */
  async create(email: string, { isRobot, days }: NewSession): Promise<OpenedSession | null> {
    const found = await userByEmail(server(), email);
    if (!found) return null;
    const services = await open();
    return server()
      .device(found.device_id)
      .transaction(async (scope) => {
        const user = await scope.first(users, { where: { id: found.id } });
        if (!user) return null;
        const failure = verificationFailure(services.rules, user) ?? termsFailure(services.rules, user);
        if (failure) throw failure;
        const aud = isRobot ? 'bot' : 'unknown';
        await endSurplusSessions(services, scope, user.id, aud);
        const session = await openSession(services, scope, {
          user,
          aud,
          addresses: services.addresses,
          signedInAt: null,
          client: commandLine,
          ...(days !== undefined && { exp: seconds(scope.server) + days * 86_400 }),
        });
        await enqueueExpiredDeletion(scope.server, jobs);
        return session;
      });
  },
  /** Lists the valid tokens, oldest first. `last_used_at`: as of the last minute; null: never, or before version 0.2.0. */
  async list(email: string) {
    const user = await userByEmail(server(), email);
    if (!user) return null;
    const rows = await server().rows(tokenIssuances, {
      where: { user_id: user.id, exp: { gt: seconds(server()) } },
      order: [['id', 'asc']],
    });
    return rows.map(({ id, jti, aud, created_at, last_used_at, exp }) => ({
      id,
      jti,
      kind: kindOf(aud),
      created_at,
      last_used_at,
      expires_at: timestamp(exp * 1000),
    }));
  },
  /** Ends one, or all, and closes their connections. Returns their number. */
  async revoke(email: string, id: number | 'all'): Promise<number | null> {
    const user = await userByEmail(server(), email);
    if (!user) return null;
    return server()
      .device(user.device_id)
      .transaction(async (scope) => {
        const where = { user_id: user.id, exp: { gt: seconds(scope.server) } };
        if (id === 'all') {
          const count = await scope.server.count(tokenIssuances, { where });
          await revokeTokens(endSessions, scope, user.id);
          return count;
        }
        const [ended] = await scope.server.delete(tokenIssuances, { where: { ...where, id } });
        if (!ended) return 0;
        await endSessions(scope.server, ended.device_id);
        return 1;
      });
  },
});
