import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import { invalid } from '../core/errors.ts';
import type { Language } from '../core/languages.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { maxMailAttempts } from '../mail/message.ts';
import { accountJob } from './job-kinds.ts';
import { say } from './messages.ts';
import type { RegistrationServices } from './services.ts';
import type { UserRow } from './users.ts';
import { changeUser } from './users.ts';

/** Changes of e-mail addresses, kept while the old address can take them back. [ADR 30] */
export const emailChanges = table(
  'email_changes',
  {
    user_id: column.bigint().references('users'),
    old_email: column.text(),
    new_email: column.text(),
    /** Waits for the link in the mail to the new address. */
    is_pending: column.boolean(),
  },
  { reach: 'server', indexes: [['user_id'], ['old_email']] },
);

export type EmailChangeRow = RowOf<typeof emailChanges>;

const hour = 3_600_000;
/** How long the link to the new address is valid, in ms. [decision 59] */
export const confirmationTime = 24 * hour;
/** How long the old address can take a change back, in ms. [decision 59] */
export const takeBackTime = 7 * 24 * hour;

/** Changes the address, inside a transaction: immediately, or when the new address is confirmed. Notifies the old address. `page`: the language of the page that asks for it. */
export async function changeEmail(
  { rules, jobs }: RegistrationServices,
  scope: DeviceScope,
  user: UserRow,
  email: string,
  page: Language | null = null,
): Promise<UserRow> {
  const { server, deviceId } = scope;
  await withdrawPendingChange(server, user.id);
  const is_pending = rules.requiresVerification;
  const { id } = await server.insert(emailChanges, {
    user_id: user.id,
    old_email: user.email,
    new_email: email,
    is_pending,
  });
  const options = { deviceId, maxAttempts: maxMailAttempts };
  const payload = { user_id: user.id, change_id: id, language: page };
  await jobs.enqueue(server, accountJob.emailChangeNotice, payload, options);
  if (!is_pending) return changeUser(scope, user, { email });
  await jobs.enqueue(server, accountJob.emailChange, payload, options);
  return user;
}

/** Ends the link to a new address that was not opened yet: a new password ends it, and so does another change. */
export async function withdrawPendingChange(server: ServerScope, userId: number): Promise<void> {
  await server.update(emailChanges, { is_pending: false }, { where: { user_id: userId, is_pending: true } });
}

/** Returns a change that its old address can take back. */
export const changeToTakeBack = (server: ServerScope, id: number): Promise<EmailChangeRow | undefined> =>
  server.first(emailChanges, { where: { id, created_at: { gt: timestamp(server.clock.now() - takeBackTime) } } });

/** Takes a change and later ones back, inside a transaction. Returns undefined if another request did so first. */
export async function takeBackChange(
  scope: DeviceScope,
  user: UserRow | undefined,
  change: EmailChangeRow,
): Promise<UserRow | undefined> {
  if (!user) return undefined;
  const ended = await scope.server.delete(emailChanges, { where: { user_id: user.id, id: { gte: change.id } } });
  if (!ended.some(({ id }) => id === change.id)) return undefined;
  return changeUser(scope, user, { email: change.old_email });
}

/** Whether an address is reserved for another user, who can still take it back. */
export async function isReservedEmail(server: ServerScope, email: string, userId: number | null): Promise<boolean> {
  const created_at = { gt: timestamp(server.clock.now() - takeBackTime) };
  const rows = await server.rows(emailChanges, { where: { old_email: email, created_at } });
  return rows.some(({ user_id }) => user_id !== userId);
}

/** Throws 422 `email` while the former address can be restored: the person who changed it must not delete the account. */
export async function assertNoneToTakeBack(server: ServerScope, { id, email }: UserRow): Promise<void> {
  const created_at = { gt: timestamp(server.clock.now() - takeBackTime) };
  const rows = await server.rows(emailChanges, { where: { user_id: id, old_email: { not: email }, created_at } });
  const last = rows.at(-1);
  if (!last) return;
  const until = new Date(Date.parse(last.created_at) + takeBackTime).toISOString().slice(0, 16).replace('T', ' ');
  throw invalid({
    email: say.emailChanged(until),
  });
}

/** Deletes changes that cannot be taken back any more. */
export async function deleteOldChanges(server: ServerScope): Promise<void> {
  await server.delete(emailChanges, {
    where: { created_at: { lte: timestamp(confirmedNow(server.clock) - takeBackTime) } },
  });
}
