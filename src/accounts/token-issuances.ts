import { confirmedNow } from '../core/confirmed-time.ts';
import { column } from '../db/columns.ts';
import type { ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { JobQueue } from '../jobs/queue.ts';

/** Session tokens that were issued and not revoked; a token without a row is refused. */
export const tokenIssuances = table(
  'token_issuances',
  {
    device_id: column.bigint().references('devices'),
    /** The user of the token. Where users share a device, the first one for tokens of version 0.1.0, until their next use. */
    user_id: column.bigint().references('users'),
    jti: column.text(),
    aud: column.text(),
    /** Seconds since the epoch; may be earlier than the token's own, and later after a correction of the clock. */
    exp: column.bigint(),
    /** When the user entered the password; null for sessions from encrypted credentials or links. A renewed token inherits it. [decision 59] */
    signed_in_at: column.time().nullable(),
    /** The session that a temporary token was issued to, and with which it ends; null for sessions. [ADR 41] */
    parent_id: column.bigint().references('token_issuances').nullable(),
    /** The first token of the sign-in from which this one was refreshed; it may be revoked by now. Null for the first one. [ADR 57] */
    session_id: column.bigint().nullable(),
    last_used_at: column.time().nullable(),
    /** IP address of the last use. */
    address: column.text().nullable(),
    /** Client of the last use. */
    user_agent: column.text().nullable(),
    /** SHA-256 of the key with which a page resumes the session; null: none does. [ADR 125] */
    resume_key_hash: column.text().nullable(),
    /** SHA-256 of the cookie that it needs besides, and of the one before. */
    resume_cookie_hash: column.text().nullable(),
    resume_previous_hash: column.text().nullable(),
    resume_rotated_at: column.time().nullable(),
  },
  {
    reach: 'both',
    unique: [['jti', 'device_id'], ['resume_key_hash']],
    indexes: [['device_id'], ['exp'], ['user_id'], ['resume_cookie_hash']],
    unwatched: [
      ...(['last_used_at', 'user_id', 'address', 'user_agent'] as const),
      ...(['resume_key_hash', 'resume_cookie_hash', 'resume_previous_hash', 'resume_rotated_at'] as const),
    ],
  },
);

export type TokenIssuanceRow = RowOf<typeof tokenIssuances>;

/** Whether a session was opened by a robot: with encrypted credentials, or by its operating system. A client without a User-Agent may be a person's. [decision 59] */
export const isRobotSession = ({ aud, signed_in_at }: TokenIssuanceRow): boolean =>
  aud === 'bot' && signed_in_at === null;

/** The sign-in that a token belongs to. */
export const sessionIdOf = ({ session_id, id }: Pick<TokenIssuanceRow, 'session_id' | 'id'>): number =>
  session_id ?? id;

/** The kind of the job that {@link deleteExpired} does. */
export const expiredTokensJob = 'delete_expired_tokens';

/** Interval of the deletion of expired tokens, besides that at sign-ins, in ms. */
export const expiredTokensInterval = 86_400_000;

/** Rows per transaction, since other writers wait for it. */
const batchSize = 500;

const seconds = (scope: ServerScope): number => Math.floor(confirmedNow(scope.clock) / 1000);

/** Enqueues the deletion of expired rows, if there are any. */
export async function enqueueExpiredDeletion(scope: ServerScope, jobs: JobQueue): Promise<void> {
  // In the order of the index, so that its first entry decides.
  const expired = await scope.first(tokenIssuances, {
    where: { exp: { lte: seconds(scope) } },
    order: [['exp', 'asc']],
  });
  if (expired) await jobs.enqueueOnce(scope, expiredTokensJob, {});
}

/** Deletes expired rows in batches. Not for use inside a transaction. */
export async function deleteExpired(server: ServerScope): Promise<void> {
  let removed: number;
  do {
    const query = { where: { exp: { lte: seconds(server) } }, limit: batchSize };
    const ids = (await server.rows(tokenIssuances, query)).map(({ id }) => id);
    removed = ids.length;
    if (removed > 0) await server.delete(tokenIssuances, { where: { id: ids } });
  } while (removed === batchSize);
}
