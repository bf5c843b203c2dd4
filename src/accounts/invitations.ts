import { randomBytes } from 'node:crypto';
import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import type { Language } from '../core/languages.ts';
import { preferredLanguage } from '../core/languages.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { Role } from '../engine/rights.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { invitationMail } from '../mail/invitation.ts';
import { maxMailAttempts } from '../mail/message.ts';
import type { MailTransport } from '../mail/transport.ts';
import { hashOfSecret } from './garden-passwords.ts';
import { accountJob } from './job-kinds.ts';
import { roleIn, roleOf } from './members.ts';
import type { AccountServices } from './services.ts';
import { userByEmail, users } from './users.ts';

/** Invitations to gardens, or, without a role, to create an account on the server. Only a hash of the link is stored. [ADR 58] */
export const invitations = table(
  'invitations',
  {
    device_id: column.bigint().references('devices'),
    email: column.text(),
    role: column.text().nullable(),
    invited_by: column.bigint().references('users'),
    /** Null until the mail with the link is written. */
    token_hash: column.text().nullable(),
    /** Whether the link was mailed, so that it shows that the mailbox is the client's. */
    is_mailed: column.boolean(),
    expires_at: column.time(),
  },
  { reach: 'both', unique: [['token_hash']], indexes: [['device_id'], ['expires_at']] },
);

export type InvitationRow = RowOf<typeof invitations>;

const lifetime = 7 * 86_400_000;

const newToken = (): string => randomBytes(24).toString('base64url');

/** The garden and the recipient of an invitation; `role` null: it is to create an account. */
export interface Invited {
  readonly email: string;
  readonly role: Role | null;
  /** The language of the page on which the invitation is created. */
  readonly page: Language | null;
}

/**
 * Invites an address, inside a transaction, and replaces an earlier invitation to it. The link is mailed; without a mail server it is
 * returned, for the owner to pass on.
 */
export async function invite(
  services: AccountServices,
  scope: DeviceScope,
  invitedBy: number,
  { email, role, page }: Invited,
): Promise<{ readonly row: InvitationRow; readonly link: string | null }> {
  await scope.delete(invitations, { where: role === null ? { email, role: null } : { email, role: { not: null } } });
  const token = services.sendsMail ? null : newToken();
  const row = await scope.insert(invitations, {
    email,
    role,
    invited_by: invitedBy,
    is_mailed: false,
    token_hash: token && hashOfSecret(token),
    expires_at: timestamp(scope.clock.now() + lifetime),
  });
  if (token === null)
    await services.jobs.enqueue(
      scope.server,
      accountJob.invitation,
      { invitation_id: row.id, language: page },
      { deviceId: scope.deviceId, maxAttempts: maxMailAttempts },
    );
  return { row, link: token && linkOf(services, token) };
}

const linkOf = ({ baseUrl }: AccountServices, token: string): string => `${baseUrl()}/invitation/${token}`;

/** Returns the invitation of a link; undefined: it has expired, was used or withdrawn, or its author may no longer invite. */
export async function invitationOf(server: ServerScope, token: string): Promise<InvitationRow | undefined> {
  const row = await server.first(invitations, {
    where: { token_hash: hashOfSecret(token), expires_at: { gt: timestamp(server.clock.now()) } },
  });
  const inviter = row && (await server.first(users, { where: { id: row.invited_by, disabled_at: null } }));
  if (!row || !inviter) return undefined;
  const mayInvite = row.role === null ? inviter.admin : (await roleIn(server, inviter, row.device_id)) === 'owner';
  return mayInvite ? row : undefined;
}

/** Whether an invitation permits the creation of an account where sign-up is closed: an administrator's does. */
export const isOfAdministrator = async (server: ServerScope, { invited_by }: InvitationRow): Promise<boolean> =>
  (await server.first(users, { where: { id: invited_by } }))?.admin === true;

/** Deletes invitations that have expired. */
export async function deleteExpiredInvitations(server: ServerScope): Promise<void> {
  await server.delete(invitations, { where: { expires_at: { lte: timestamp(confirmedNow(server.clock)) } } });
}

/** The job that mails a link. It creates the link, so that none is stored with a job. */
export const invitationJob = (
  services: AccountServices,
  mail: MailTransport,
  nameOf: (server: ServerScope, deviceId: number) => Promise<string>,
): JobDefinition => ({
  kind: accountJob.invitation,
  waitsFor: 'mail',
  async handle(server, { invitation_id: id, language }) {
    const row = typeof id === 'number' ? await server.first(invitations, { where: { id } }) : undefined;
    const inviter = row && (await server.first(users, { where: { id: row.invited_by } }));
    if (!row || !inviter) return;
    const token = newToken();
    // Before the mail is sent, because its link must work immediately. Each attempt creates a new link.
    await server.update(invitations, { token_hash: hashOfSecret(token), is_mailed: true }, { where: { id: row.id } });
    const { email, role, device_id } = row;
    const garden = role === null ? null : { name: await nameOf(server, device_id), role: roleOf({ role }) };
    const account = await userByEmail(server, email);
    const recipient = { to: email, language: preferredLanguage(account?.language, language) };
    const invitation = { inviter: inviter.name ?? inviter.email, garden, link: linkOf(services, token) };
    await mail.send(invitationMail(recipient, invitation));
  },
});
