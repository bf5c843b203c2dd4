import { setImmediate as nextTurn } from 'node:timers/promises';
import { normalizeEmail } from '../accounts/account-fields.ts';
import { destroyAccount } from '../accounts/account-jobs.ts';
import { isGuest } from '../accounts/guests.ts';
import type { AccountServices } from '../accounts/services.ts';
import type { UserRow } from '../accounts/users.ts';
import { users } from '../accounts/users.ts';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { DeviceActivity } from '../device/device-activity.ts';
import { monthsBefore } from '../garden/point-lifecycle.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { inactivityWarningMail } from '../mail/inactivity-warning.ts';
import { maxMailAttempts } from '../mail/message.ts';
import type { MailTransport } from '../mail/transport.ts';
import { lengthInWords, periodBefore, shortestPeriod, signsOfLife } from './account-activity.ts';

const day = 86_400_000;
/** How often accounts are looked through, in ms. */
const interval = day;
/** Days between a warning and the end. [reference 14.3] */
const notice = 14;
/** Whoever was there within so many months is not deleted, whatever was mailed. [reference 14.3] */
const monthsSpared = 3;
/** Accounts that one run warns or ends at most. [reference 14.3] */
const mostAccounts = 1000;
/** Accounts that are read at once; between two such groups everybody else has a turn. */
const atOnce = 100;
/** How long an address that took no mail is left alone, in ms. */
const retryPause = 30 * day;
/** Warnings that are mailed at once: sign-ups and password resets must not wait for them. */
const sentAtOnce = 2;

export const inactivityJob = {
  look: 'find_inactive_accounts',
  warn: 'mail_inactivity_warning',
  end: 'end_inactive_account',
} as const;

export interface InactivityParts {
  /** Both that the operator wants it and that people can be warned; off: nobody is warned, nothing is deleted. */
  readonly isOn: boolean;
  /** The account that is never deleted. */
  readonly publisher: string | null;
  readonly accounts: Pick<
    AccountServices,
    'rules' | 'jobs' | 'activity' | 'anonymizeAuthor' | 'endSessions' | 'destroyDevice'
  >;
  readonly traffic: Pick<DeviceActivity, 'lastSeen'>;
  readonly mail: Pick<MailTransport, 'send'>;
}

/**
 * The jobs about accounts that nobody uses: one that looks for them every day, one that warns an account by mail, one that
 * ends it. Each looks anew whether its account is still to be warned or ended, so that whoever comes back is safe until the
 * last moment, and so that twice does no harm. [reference 14.3]
 */
export function inactiveAccounts(parts: InactivityParts): readonly JobDefinition[] {
  const kind = (name: string, handle: (server: ServerScope, payload: JobPayload) => Promise<void>): JobDefinition => ({
    kind: name,
    // Jobs of a time when it was on come to nothing.
    handle: async (server, payload) => (parts.isOn ? handle(server, payload) : undefined),
  });
  return [
    { ...kind(inactivityJob.look, (server) => lookThrough(server, parts)), interval: interval },
    { ...kind(inactivityJob.warn, (server, payload) => warn(server, parts, payload)), concurrency: sentAtOnce },
    { ...kind(inactivityJob.end, (server, payload) => end(server, parts, payload)), concurrency: 1 },
  ];
}

const isSpared = (user: UserRow, publisher: string | null): boolean =>
  isGuest(user) || (publisher !== null && user.email === normalizeEmail(publisher));

const isNoticeOver = (user: UserRow, now: number): boolean =>
  user.inactivity_warning_sent_at !== null && user.inactivity_warning_sent_at < timestamp(now - notice * day);

const lifeOf = (server: ServerScope, { accounts, traffic }: InactivityParts, user: UserRow) =>
  signsOfLife(server, { users: accounts.activity, devices: traffic }, user);

async function lookThrough(server: ServerScope, parts: InactivityParts): Promise<void> {
  const now = server.clock.now();
  const busy = await accountsWithJobs(server, now);
  const where = { created_at: { lt: periodBefore(now, shortestPeriod) } };
  let left = mostAccounts;
  let last = 0;
  while (left > 0) {
    const rows = await server.rows(users, { where: { ...where, id: { gt: last } }, limit: atOnce });
    for (const user of rows) {
      last = user.id;
      const kind = busy.has(user.id) || isSpared(user, parts.publisher) ? null : await dueJob(server, parts, user);
      if (kind === null || left === 0) continue;
      const options = {
        deviceId: user.device_id,
        ...(kind === inactivityJob.warn && { maxAttempts: maxMailAttempts }),
      };
      await parts.accounts.jobs.enqueue(server, kind, { user_id: user.id }, options);
      left--;
    }
    if (rows.length < atOnce) break;
    await nextTurn();
  }
}

/** Which job an account needs now. Of those that were warned, those too that are alive again: their warning is to be taken back. */
async function dueJob(server: ServerScope, parts: InactivityParts, user: UserRow): Promise<string | null> {
  if (user.inactivity_warning_sent_at !== null)
    return isNoticeOver(user, server.clock.now()) ? inactivityJob.end : null;
  return (await lifeOf(server, parts, user)).isInactive ? inactivityJob.warn : null;
}

/** Accounts that a job is about already. One that was given up counts for a month: addresses that take no mail are not asked every day. */
async function accountsWithJobs(server: ServerScope, now: number): Promise<ReadonlySet<unknown>> {
  const kind = [inactivityJob.warn, inactivityJob.end];
  await server.delete(jobs, { where: { kind, failed_at: { lt: timestamp(now - retryPause) } } });
  return new Set((await server.rows(jobs, { where: { kind } })).map(({ payload }) => payload.user_id));
}

async function userOf(server: ServerScope, { user_id }: JobPayload): Promise<UserRow | undefined> {
  return typeof user_id === 'number' ? server.first(users, { where: { id: user_id } }) : undefined;
}

async function warn(server: ServerScope, parts: InactivityParts, payload: JobPayload): Promise<void> {
  const user = await userOf(server, payload);
  if (!user || user.inactivity_warning_sent_at !== null || isSpared(user, parts.publisher)) return;
  const { last, isInactive } = await lifeOf(server, parts, user);
  if (!isInactive) return;
  await parts.mail.send(
    inactivityWarningMail({
      to: user.email,
      name: user.name ?? user.email,
      unusedFor: lengthInWords(last, server.clock.now()),
      days: notice,
      link: `${parts.accounts.rules.mailBase}/logout`,
    }),
  );
  // The days of notice count from here: the mail server has taken the message.
  await server.device(user.device_id).transaction(async (scope) => {
    const where = { id: user.id, inactivity_warning_sent_at: null };
    await scope.update(users, { inactivity_warning_sent_at: currentTimestamp(scope.clock) }, { where });
  });
  server.log.info({ user: user.id, device: user.device_id }, 'an inactive account was warned');
}

async function end(server: ServerScope, parts: InactivityParts, payload: JobPayload): Promise<void> {
  const found = await userOf(server, payload);
  if (!found) return;
  await server.device(found.device_id).transaction(async (scope) => {
    const [user] = await scope.rows(users, { where: { id: found.id } });
    const now = scope.clock.now();
    const warnedAt = user?.inactivity_warning_sent_at;
    if (!user || !warnedAt || !isNoticeOver(user, now) || isSpared(user, parts.publisher)) return;
    const { last, isInactive } = await lifeOf(scope.server, parts, user);
    const wasThere = last >= warnedAt || last >= timestamp(monthsBefore(now, monthsSpared));
    if (wasThere || !isInactive) {
      await scope.update(users, { inactivity_warning_sent_at: null }, { where: { id: user.id } });
      return;
    }
    await destroyAccount(parts.accounts, scope, user);
    scope.log.info({ user: user.id, device: scope.deviceId }, 'an inactive account was deleted');
  });
}
