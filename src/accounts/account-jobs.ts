import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { joinSql, sql } from '../db/sql.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { emailChangeMail } from '../mail/email-change.ts';
import { passwordResetMail } from '../mail/password-reset.ts';
import type { MailTransport } from '../mail/transport.ts';
import { welcomeMail } from '../mail/welcome.ts';
import type { AccountServices } from './services.ts';
import { deleteExpired, expiredTokensInterval, expiredTokensJob } from './token-issuances.ts';
import type { UserRow } from './users.ts';
import { userByEmail, users } from './users.ts';

/** Kinds of jobs that concern accounts. */
export const accountJob = {
  welcome: 'mail_welcome',
  emailChange: 'mail_email_change',
  passwordReset: 'mail_password_reset',
  destroy: 'destroy_account',
} as const;

/** Returns the jobs of accounts. Links are generated with the mail, so that no job stores one. */
export function accountJobs(services: AccountServices, mail: MailTransport): readonly JobDefinition[] {
  const linkTo = (user: UserRow): string => `${services.baseUrl()}/verify/${user.confirmation_token}`;
  return [
    {
      kind: accountJob.welcome,
      async handle(server, payload) {
        const user = await userOf(server, payload);
        if (user && user.confirmed_at === null)
          await mail.send(welcomeMail(user.email, user.name ?? user.email, linkTo(user)));
      },
    },
    {
      kind: accountJob.emailChange,
      async handle(server, payload) {
        const user = await userOf(server, payload);
        if (!user?.unconfirmed_email) return;
        await mail.send(emailChangeMail(user.unconfirmed_email, user.name ?? user.email, linkTo(user)));
      },
    },
    {
      kind: accountJob.passwordReset,
      async handle(server, { email }) {
        const user = typeof email === 'string' ? await userByEmail(server, email) : undefined;
        if (!user) return;
        const base = services.baseUrl();
        const token = services.signer.signReset(user.email, base.replace(/^https?:/, ''));
        await mail.send(passwordResetMail(user.email, user.name ?? user.email, `${base}/password_reset/${token}`));
      },
    },
    {
      kind: accountJob.destroy,
      async handle(server, payload) {
        const user = await userOf(server, payload);
        if (!user) return;
        // In the device's transaction, so that when two users are deleted concurrently, the second one is recognized as the last.
        await server.device(user.device_id).transaction((scope) => destroyAccount(services, scope, user));
      },
    },
    { kind: expiredTokensJob, handle: deleteExpired, interval: expiredTokensInterval },
  ];
}

/** Deletes a user, and the device if it was its last user. Requires a transaction of the device. */
export async function destroyAccount(
  services: Pick<AccountServices, 'jobs' | 'anonymizeAuthor' | 'endSessions' | 'destroyDevice'>,
  scope: DeviceScope,
  user: Pick<UserRow, 'id' | 'email' | 'unconfirmed_email'>,
): Promise<void> {
  const { deviceId, server } = scope;
  await scope.delete(users, { where: { id: user.id } });
  await deleteJobsOf(server, user);
  await services.anonymizeAuthor(server, user.email);
  await services.endSessions(server, deviceId);
  // A device without users has no subscribers.
  if ((await scope.count(users)) > 0) scope.events.deleted('User', user.id);
  else {
    // Jobs of its former users do not belong to the device.
    await services.jobs.deleteForDevice(server, deviceId, ({ payload }) => 'user_id' in payload);
    await services.destroyDevice(server, deviceId);
  }
}

/** Deletes jobs that contain the id or an address of a deleted user; failed ones would be kept forever. */
async function deleteJobsOf(
  server: ServerScope,
  { id, email, unconfirmed_email }: Pick<UserRow, 'id' | 'email' | 'unconfirmed_email'>,
): Promise<void> {
  const addresses: readonly unknown[] = [email, unconfirmed_email].filter((address) => address !== null);
  const concernsUser = ({ user_id, ...others }: JobPayload): boolean =>
    user_id === id || Object.values(others).some((value) => addresses.includes(value));
  // Prefiltered by the database, because the queue is long while the mail server is down.
  const patterns = [`%"user_id":${id}%`, ...addresses.map((address) => `%${JSON.stringify(address)}%`)];
  const candidates = joinSql(
    patterns.map((pattern) => sql`cast(payload as text) like ${pattern}`),
    ' or ',
  );
  const found = await server.rows(jobs, { and: sql`(${candidates})` });
  const ids = found.filter(({ payload }) => concernsUser(payload)).map((job) => job.id);
  if (ids.length > 0) await server.delete(jobs, { where: { id: ids } });
}

async function userOf(server: ServerScope, payload: JobPayload): Promise<UserRow | undefined> {
  const id = payload.user_id;
  return typeof id === 'number' ? server.first(users, { where: { id } }) : undefined;
}
