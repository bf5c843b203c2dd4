import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import { idOf } from '../db/row-ids.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Call } from '../engine/route.ts';
import { WriteBehind } from '../engine/write-behind.ts';
import type { PersonalTokenRow } from './personal-tokens.ts';
import { personalTokens } from './personal-tokens.ts';
import type { TokenIssuanceRow } from './token-issuances.ts';
import { tokenIssuances } from './token-issuances.ts';
import type { Holder } from './token-resolver.ts';

/** The client that uses a credential; null where it is unknown. */
export interface CredentialClient {
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** Characters of a User-Agent that are stored. */
const maxUserAgentLength = 200;

/** Returns the client of a request. */
export const clientOf = ({ address, userAgent }: Call): CredentialClient => ({
  address,
  userAgent: userAgent.slice(0, maxUserAgentLength),
});

/** A client that only the message broker knows. */
export const unknownClient: CredentialClient = { address: null, userAgent: null };

interface SessionUse extends CredentialClient {
  /** In ms since the epoch: it is formatted when it is written, not for each request. */
  readonly at: number;
  readonly userId: number;
}

/** When and by which client tokens were last used, written once a minute. [ADR 8] */
export class CredentialUses {
  readonly #clock: Clock;
  readonly #sessions: WriteBehind<SessionUse>;
  /** In ms since the epoch. */
  readonly #personalTokens: WriteBehind<number>;

  constructor(scope: () => ServerScope, clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#sessions = new WriteBehind<SessionUse>({
      merge: (earlier, later) =>
        later.address === null || later.userAgent === null
          ? {
              ...later,
              address: later.address ?? earlier.address,
              userAgent: later.userAgent ?? earlier.userAgent,
            }
          : later,
      write: (uses) =>
        scope().transaction(async (inner) => {
          for (const [id, use] of uses)
            await inner.update(tokenIssuances, changedColumns(use), { where: { id } }, idOf);
        }),
      subject: 'the last use of sessions',
      log,
    });
    this.#personalTokens = new WriteBehind<number>({
      merge: (_earlier, later) => later,
      // `updated_at` is kept: a use is not a change.
      write: (uses) =>
        scope().transaction(async (inner) => {
          for (const [id, at] of uses) {
            const row = await inner.first(personalTokens, { where: { id } });
            const columns = row && { last_used_at: timestamp(at), updated_at: row.updated_at };
            if (columns) await inner.update(personalTokens, columns, { where: { id } });
          }
        }),
      subject: 'the last use of personal tokens',
      log,
    });
  }

  /** Records a use of a token. */
  record({ session, tokenId }: Holder, { address, userAgent }: CredentialClient): void {
    const at = this.#clock.now();
    if (session.kind === 'personal token') this.#personalTokens.add(tokenId, at);
    else this.#sessions.add(tokenId, { address, userAgent, at, userId: session.userId });
  }

  /** Returns the row with the use that is not written yet. */
  overlay(row: TokenIssuanceRow): TokenIssuanceRow {
    const use = this.#sessions.get(row.id);
    return use ? { ...row, ...changedColumns(use) } : row;
  }

  /** The same for a personal token. */
  overlayPersonal(row: PersonalTokenRow): PersonalTokenRow {
    const at = this.#personalTokens.get(row.id);
    return at === undefined ? row : { ...row, last_used_at: timestamp(at) };
  }

  /** Starts writing once a minute. */
  start(): void {
    this.#sessions.start();
    this.#personalTokens.start();
  }

  /** Writes the rest. */
  async stop(): Promise<void> {
    await this.#sessions.stop();
    await this.#personalTokens.stop();
  }
}

const changedColumns = ({ at, userId, address, userAgent }: SessionUse): Partial<TokenIssuanceRow> => ({
  last_used_at: timestamp(at),
  user_id: userId,
  ...(address === null ? {} : { address }),
  ...(userAgent === null ? {} : { user_agent: userAgent }),
});
