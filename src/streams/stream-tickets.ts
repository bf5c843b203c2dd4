import { randomBytes } from 'node:crypto';
import { Failure } from '../core/errors.ts';
import { secretDigest } from '../core/secret.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { Session } from '../engine/route.ts';
import { say } from './messages.ts';

/** How long a ticket is valid, in ms. */
const ticketLifetime = 30_000;
/** Unused tickets of a device. */
const maxTickets = 100;
/** Tickets of one member who is not an owner, and the number from which on only owners get more. */
const maxMemberTickets = 25;
const maxMembersTickets = 75;

/** Tickets for event streams, each for one use: browsers cannot send a token with `EventSource`. */
export const streamTickets = table(
  'stream_tickets',
  {
    device_id: column.bigint().references('devices'),
    user_id: column.bigint().references('users'),
    /** The token that it stands for. */
    jti: column.text(),
    kind: column.text(),
    /** SHA-256 of the ticket, in hexadecimal. */
    digest: column.text(),
    expires_at: column.time(),
  },
  { reach: 'both', unique: [['digest']], indexes: [['device_id']] },
);

const digestOf = (ticket: string): string => secretDigest(ticket).toString('hex');

/** The token for which a ticket stands. */
export type TicketHolder = Pick<Session, 'deviceId' | 'userId' | 'jti' | 'kind'>;

/** Creates a ticket, inside a transaction. Throws 429 if the device or the member has too many that were not used. */
export async function issueTicket(scope: DeviceScope, { userId, jti, kind, rights: { role } }: Session) {
  const now = scope.clock.now();
  await scope.delete(streamTickets, { where: { expires_at: { lte: new Date(now).toISOString() } } });
  const isOwner = role === 'owner';
  const isFull = (await scope.count(streamTickets)) >= (isOwner ? maxTickets : maxMembersTickets);
  const ofMember = isOwner ? 0 : await scope.count(streamTickets, { where: { user_id: userId } });
  if (isFull || ofMember >= maxMemberTickets)
    throw new Failure('too_many_open', say.manyTickets, {
      wait: ticketLifetime,
    });
  const ticket = randomBytes(24).toString('base64url');
  const expires_at = new Date(now + ticketLifetime).toISOString();
  await scope.insert(streamTickets, { user_id: userId, jti, kind, digest: digestOf(ticket), expires_at });
  return { ticket, expires_at };
}

/** Uses up a ticket. Returns undefined if there is no such ticket, or it expired. */
export async function redeemTicket(server: ServerScope, ticket: string): Promise<TicketHolder | undefined> {
  const [row] = await server.delete(streamTickets, { where: { digest: digestOf(ticket) } });
  return row && Date.parse(row.expires_at) > server.clock.now() ? holderOf(row) : undefined;
}

const holderOf = ({ device_id, user_id, jti, kind }: RowOf<typeof streamTickets>): TicketHolder => ({
  deviceId: device_id,
  userId: user_id,
  jti,
  kind: kind as Session['kind'],
});
