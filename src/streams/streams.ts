import { Failure } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Session } from '../engine/route.ts';
import type { Foundation, Room } from '../foundation.ts';
import { say } from './messages.ts';
import type { StreamDependencies } from './stream-registry.ts';
import { StreamRegistry } from './stream-registry.ts';
import { streamRoutes } from './stream-routes.ts';
import { redeemTicket } from './stream-tickets.ts';

/** Streams of changes over HTTP. */
export interface Streams extends Room {
  /** Returns the session for which a ticket stands, and uses the ticket up. Throws 401. */
  redeemTicket(server: ServerScope, ticket: string): Promise<Session>;
}

/** Opens the streams of changes. */
export function openStreams(foundation: Foundation, dependencies: StreamDependencies): Streams {
  const { changes, server, logger: log, resourceRights: rights } = foundation;
  const registry = new StreamRegistry({ changes, server, log, rights, ...dependencies });
  return {
    routes: streamRoutes(registry, rights),
    jobs: [],
    start: () => registry.start(),
    drain: () => registry.stop(),
    async redeemTicket(scope, ticket) {
      const holder = await redeemTicket(scope, ticket);
      const session = holder && (await dependencies.accounts.currentSession(scope, holder));
      if (!session) throw new Failure('bad_token', say.deadTicket);
      return session;
    },
  };
}
