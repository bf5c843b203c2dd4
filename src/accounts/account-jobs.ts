import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { joinSql, sql } from '../db/sql.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobRunner } from '../jobs/runner.ts';
import { emailChangeMail } from '../mail/email-change.ts';
import { passwordResetMail } from '../mail/password-reset.ts';
import type { MailTransport } from '../mail/transport.ts';
import { welcomeMail } from '../mail/welcome.ts';
import type { AccountServices } from './services.ts';
import { deleteExpired, expiredTokensInterval, expiredTokensJob } from './token-issuances.ts';
import type { UserRow } from './users.ts';
import { userByEmail, users } from './users.ts';

/** The kinds of jobs of this room. */
export const accountJob = {
  welcome: 'mail_welcome',
  emailChange: 'mail_email_change',
  passwordReset: 'mail_password_reset',
  destroy: 'destroy_account',
} as const;

/** Registers the handlers of this room's jobs. Links are made when the mail is, so that no job holds one. */
export function registerAccountJobs(runner: JobRunner, services: AccountServices, mail: MailTransport): void {
  // Asked for each time: the port may be known only once the server listens.
  const base = (): string => services.rules.mailBase;
  const linkTo = (user: UserRow): string => `${base()}/verify/${user.confirmation_token}`;

  runner.register(accountJob.welcome, async (server, payload) => {
    const user = await userOf(server, payload);
    if (user && user.confirmed_at === null)
      await mail.send(welcomeMail(user.email, user.name ?? user.email, linkTo(user)));
  });

  runner.register(accountJob.emailChange, async (server, payload) => {
    const user = await userOf(server, payload);
    if (!user?.unconfirmed_email) return;
    await mail.send(emailChangeMail(user.unconfirmed_email, user.name ?? user.email, linkTo(user)));
  });

  runner.register(accountJob.passwordReset, async (server, { email }) => {
    const user = typeof email === 'string' ? await userByEmail(server, email) : undefined;
    if (!user) return;
    const token = services.signer.signReset(user.email, base().replace(/^https?:/, ''));
    await mail.send(passwordResetMail(user.email, user.name ?? user.email, `${base()}/password_reset/${token}`));
  });

  runner.register(accountJob.destroy, async (server, payload) => {
    const user = await userOf(server, payload);
    if (!user) return;
    // On the device, so that two users who leave it at once do not both think that the other stays.
    await server.device(user.device_id).transaction((scope) => destroyAccount(services, scope, user));
  });

  runner.register(expiredTokensJob, deleteExpired, { interval: expiredTokensInterval });
}

/** Deletes an account, and its device if nobody else has it, inside a transaction on the device. */
export async function destroyAccount(
  services: Pick<AccountServices, 'jobs' | 'anonymizeAuthor' | 'endSessions' | 'destroyDevice'>,
  scope: DeviceScope,
  user: Pick<UserRow, 'id' | 'email' | 'unconfirmed_email'>,
): Promise<void> {
  const { deviceId, server } = scope;
  await scope.delete(users, { where: { id: user.id } });
  await dropJobsAbout(server, user);
  await services.anonymizeAuthor(server, user.email);
  await services.endSessions(server, deviceId);
  // A garden that others share stays theirs. Where nobody is left, nobody listens to announcements either.
  if ((await scope.count(users)) > 0) scope.events.deleted('User', user.id);
  else {
    // Somebody who had this device before may be waiting for a mail, or for the end of their own account.
    await services.jobs.deleteForDevice(server, deviceId, ({ payload }) => 'user_id' in payload);
    await services.destroyDevice(server, deviceId);
  }
}

/** Drops jobs that name somebody whose account goes, by number or address: those that were given up would stay for ever. */
async function dropJobsAbout(
  server: ServerScope,
  { id, email, unconfirmed_email }: Pick<UserRow, 'id' | 'email' | 'unconfirmed_email'>,
): Promise<void> {
  const addresses: readonly unknown[] = [email, unconfirmed_email].filter((address) => address !== null);
  const isAbout = ({ user_id, ...others }: JobPayload): boolean =>
    user_id === id || Object.values(others).some((value) => addresses.includes(value));
  // Roughly first, where the rows are: the queue may be long while a mail server is away.
  const names = [`%"user_id":${id}%`, ...addresses.map((address) => `%${JSON.stringify(address)}%`)];
  const mayBe = joinSql(
    names.map((name) => sql`cast(payload as text) like ${name}`),
    ' or ',
  );
  const found = await server.rows(jobs, { and: sql`(${mayBe})` });
  const ids = found.filter(({ payload }) => isAbout(payload)).map((job) => job.id);
  if (ids.length > 0) await server.delete(jobs, { where: { id: ids } });
}

async function userOf(server: ServerScope, payload: JobPayload): Promise<UserRow | undefined> {
  const id = payload.user_id;
  return typeof id === 'number' ? server.first(users, { where: { id } }) : undefined;
}
