import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { normalizeEmail } from '../accounts/account-fields.ts';
import { isGuest } from '../accounts/guests.ts';
import type { AccountServices } from '../accounts/services.ts';
import { destroyAccount, emptyGardensOf } from '../accounts/user-deletion.ts';
import type { UserRow } from '../accounts/users.ts';
import { recipientOf, userOfJob, users } from '../accounts/users.ts';
import { monthsBefore } from '../core/calendar.ts';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { inactivityWarningMail } from '../mail/inactivity-warning.ts';
import { maxMailAttempts } from '../mail/message.ts';
import type { MailTransport } from '../mail/transport.ts';
import { accountActivity, formatPeriod, minInactivityPeriod, periodBefore } from './account-activity.ts';

const day = 86_400_000;
/** How often accounts are checked, in ms. */
const interval = day;
/** Days between the warning and the deletion. [rule T10] */
const noticeDays = 14;
/** An account that was active within this many months is not deleted, even if it was warned. [rule T10] */
const graceMonths = 3;
/** Maximum accounts that one run warns or deletes. [rule T11] */
const maxAccountsPerRun = 1000;
/** Accounts that are read at a time; the event loop runs in between. */
const batchSize = 100;
/** How long to wait before mailing an address again that rejected a warning, in ms. */
const retryPause = 30 * day;
/** Maximum concurrent warning mails: mails of sign-ups and password resets must not wait for them. */
const warningConcurrency = 2;

const inactivityJob = {
  find: 'find_inactive_accounts',
  warn: 'mail_inactivity_warning',
  delete: 'end_inactive_account',
} as const;

export interface InactivityDependencies {
  /** Whether the operator has enabled it and mails can be sent. If not, no account is warned or deleted. */
  readonly isEnabled: boolean;
  /** E-mail address of an account that is never deleted. [rule T11] */
  readonly publisher: string | null;
  readonly accounts: AccountServices;
  readonly mail: MailTransport;
}

/**
 * The jobs for inactive accounts: one finds them daily, one warns an account by mail, one deletes it. Each checks again whether
 * the account is still inactive, so that activity up to the last moment keeps it, and running twice is harmless. [rule T9]
 */
export function inactiveAccounts(dependencies: InactivityDependencies): readonly JobDefinition[] {
  const definition = (
    name: string,
    handle: (server: ServerScope, payload: JobPayload) => Promise<void>,
  ): JobDefinition => ({
    kind: name,
    // Jobs that were enqueued before it was disabled do nothing.
    handle: async (server, payload) => (dependencies.isEnabled ? handle(server, payload) : undefined),
  });
  return [
    { ...definition(inactivityJob.find, (server) => findInactive(server, dependencies)), interval },
    {
      ...definition(inactivityJob.warn, (server, payload) => warn(server, dependencies, payload)),
      waitsFor: 'mail',
      concurrency: warningConcurrency,
    },
    {
      ...definition(inactivityJob.delete, (server, payload) => deleteAccount(server, dependencies, payload)),
      concurrency: 1,
    },
  ];
}

const isExempt = (user: UserRow, publisher: string | null): boolean =>
  isGuest(user) || (publisher !== null && user.email === normalizeEmail(publisher));

const isNoticeOver = (user: UserRow, now: number): boolean =>
  user.inactivity_warning_sent_at !== null && user.inactivity_warning_sent_at < timestamp(now - noticeDays * day);

async function findInactive(server: ServerScope, dependencies: InactivityDependencies): Promise<void> {
  const now = confirmedNow(server.clock);
  const pending = await accountsWithJobs(server, now);
  const where = { created_at: { lt: periodBefore(now, minInactivityPeriod) } };
  let left = maxAccountsPerRun;
  let last = 0;
  while (left > 0) {
    const rows = await server.rows(users, { where: { ...where, id: { gt: last } }, limit: batchSize });
    for (const user of rows) {
      last = user.id;
      const kind =
        pending.has(user.id) || isExempt(user, dependencies.publisher)
          ? null
          : await dueJob(server, dependencies, user);
      if (kind === null || left === 0) continue;
      const options = {
        deviceId: user.device_id,
        ...(kind === inactivityJob.warn && { maxAttempts: maxMailAttempts }),
      };
      await dependencies.accounts.jobs.enqueue(server, kind, { user_id: user.id }, options);
      left--;
    }
    if (rows.length < batchSize) break;
    await yieldToEventLoop();
  }
}

/** Returns the job that an account needs now, if any. The delete job also withdraws the warning of accounts that are active again. */
async function dueJob(
  server: ServerScope,
  dependencies: InactivityDependencies,
  user: UserRow,
): Promise<string | null> {
  if (user.inactivity_warning_sent_at !== null)
    return isNoticeOver(user, confirmedNow(server.clock)) ? inactivityJob.delete : null;
  return (await accountActivity(server, dependencies.accounts, user)).isInactive ? inactivityJob.warn : null;
}

/** Returns the ids of users with a pending job, or one that failed within the last month: addresses that reject mail are not tried daily. */
async function accountsWithJobs(server: ServerScope, now: number): Promise<ReadonlySet<unknown>> {
  const kind = [inactivityJob.warn, inactivityJob.delete];
  await server.delete(jobs, { where: { kind, failed_at: { lt: timestamp(now - retryPause) } } });
  return new Set((await server.rows(jobs, { where: { kind } })).map(({ payload }) => payload.user_id));
}

async function warn(server: ServerScope, dependencies: InactivityDependencies, payload: JobPayload): Promise<void> {
  const user = await userOfJob(server, payload);
  if (!user || user.inactivity_warning_sent_at !== null || isExempt(user, dependencies.publisher)) return;
  const { lastActive, isInactive } = await accountActivity(server, dependencies.accounts, user);
  if (!isInactive) return;
  const recipient = recipientOf(user);
  await dependencies.mail.send(
    inactivityWarningMail(recipient, {
      name: user.name ?? user.email,
      unusedFor: formatPeriod(lastActive, server.clock.now(), recipient.language),
      days: noticeDays,
      link: `${dependencies.accounts.baseUrl()}/logout`,
    }),
  );
  // The notice period starts now: the mail server has accepted the message.
  await server.device(user.device_id).transaction(async (scope) => {
    const where = { id: user.id, inactivity_warning_sent_at: null };
    await scope.update(users, { inactivity_warning_sent_at: currentTimestamp(scope.clock) }, { where });
  });
  server.log.info({ user: user.id, device: user.device_id }, 'the owner of an inactive account was warned');
}

async function deleteAccount(
  server: ServerScope,
  dependencies: InactivityDependencies,
  payload: JobPayload,
): Promise<void> {
  const found = await userOfJob(server, payload);
  const device = found && server.device(found.device_id);
  if (!device || !(await device.transaction((scope) => stillInactive(scope, dependencies, found.id)))) return;
  await emptyGardensOf(dependencies.accounts.gardens, server, found);
  await device.transaction(async (scope) => {
    const user = await stillInactive(scope, dependencies, found.id);
    if (!user) return;
    await destroyAccount(dependencies.accounts, scope, user);
    scope.log.info({ user: user.id, device: scope.deviceId }, 'an inactive account was deleted');
  });
}

/** Returns a user whose notice is over and who is inactive, inside a transaction; withdraws the warning of one who is active again. */
async function stillInactive(
  scope: DeviceScope,
  dependencies: InactivityDependencies,
  id: number,
): Promise<UserRow | undefined> {
  const user = await scope.first(users, { where: { id } });
  const now = confirmedNow(scope.clock);
  const warnedAt = user?.inactivity_warning_sent_at;
  if (!user || !warnedAt || !isNoticeOver(user, now) || isExempt(user, dependencies.publisher)) return undefined;
  const { lastActive, isInactive } = await accountActivity(scope.server, dependencies.accounts, user);
  const wasActive = lastActive >= warnedAt || lastActive >= timestamp(monthsBefore(now, graceMonths));
  if (!wasActive && isInactive) return user;
  await scope.update(users, { inactivity_warning_sent_at: null }, { where: { id } });
  return undefined;
}
