import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { CredentialUses } from './credential-uses.ts';
import type { TokenIssuanceRow } from './token-issuances.ts';
import { isRobotSession, sessionIdOf, tokenIssuances } from './token-issuances.ts';

/** One sign-in with all tokens that were refreshed from it and are still valid. */
export interface ListedSession {
  readonly id: number;
  readonly kind: 'person' | 'robot';
  readonly created_at: Timestamp;
  readonly last_used_at: Timestamp | null;
  readonly expires_at: Timestamp;
  /** IP address and User-Agent of the last use. */
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly tokens: readonly TokenIssuanceRow[];
}

/** Returns the sessions of a user, the last used first. */
export async function listSessions(
  server: ServerScope,
  uses: CredentialUses,
  userId: number,
): Promise<ListedSession[]> {
  const now = Math.floor(server.clock.now() / 1000);
  const rows = await server.rows(tokenIssuances, { where: { user_id: userId, exp: { gt: now } } });
  const sessions = new Map<number, TokenIssuanceRow[]>();
  for (const row of rows) {
    const id = sessionIdOf(row);
    sessions.set(id, [...(sessions.get(id) ?? []), uses.overlay(row)]);
  }
  return [...sessions].map(([id, tokens]) => listed(id, tokens)).sort(byLastUse);
}

const lastUse = ({ last_used_at, created_at }: Pick<ListedSession, 'last_used_at' | 'created_at'>): Timestamp =>
  last_used_at ?? created_at;

const byLastUse = (a: ListedSession, b: ListedSession): number => lastUse(b).localeCompare(lastUse(a)) || b.id - a.id;

function listed(id: number, tokens: readonly TokenIssuanceRow[]): ListedSession {
  // In the order of their issue, so that the first has the time of the sign-in.
  const [first] = tokens;
  if (!first) throw new Error(`session ${id} has no token`);
  const latest = tokens.reduce((a, b) => (lastUse(b) >= lastUse(a) ? b : a));
  return {
    id,
    kind: isRobotSession(first) ? 'robot' : 'person',
    created_at: first.signed_in_at ?? first.created_at,
    last_used_at: latest.last_used_at,
    expires_at: timestamp(Math.max(...tokens.map(({ exp }) => exp)) * 1000),
    address: latest.address,
    user_agent: latest.user_agent,
    tokens,
  };
}
