import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { joinSql, sql } from '../db/sql.ts';
import type { Gardens } from '../device/gardens.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { emailChangeMail, emailChangeNoticeMail } from '../mail/email-change.ts';
import { passwordResetMail } from '../mail/password-reset.ts';
import type { MailTransport } from '../mail/transport.ts';
import { welcomeMail } from '../mail/welcome.ts';
import type { EmailChangeRow } from './email-changes.ts';
import { confirmationTime, deleteOldChanges, emailChanges, takeBackTime } from './email-changes.ts';
import { endGardenPasswords } from './garden-passwords.ts';
import { gardenName } from './garden-routes.ts';
import { deleteExpiredInvitations, invitationJob } from './invitations.ts';
import { accountJob } from './job-kinds.ts';
import { deleteOldNetworks } from './known-networks.ts';
import { membershipsOf } from './members.ts';
import { newMemberJob } from './new-members.ts';
import { gardensWithoutOther } from './owned-gardens.ts';
import { passwordDigest } from './passwords.ts';
import type { AccountServices, UserServices } from './services.ts';
import { endUserSessions } from './sessions.ts';
import { deleteExpired, expiredTokensInterval, expiredTokensJob } from './token-issuances.ts';
import type { LinkPurpose, LinkRequest } from './token-signer.ts';
import { resetLifetime } from './token-signer.ts';
import type { UserRow } from './users.ts';
import { recipientOf, userByEmail, userOfJob, users } from './users.ts';

/** Returns the jobs of accounts. Links are generated with the mail, so that no job stores one. */
export function accountJobs(services: AccountServices, mail: MailTransport): readonly JobDefinition[] {
  const { signer, baseUrl } = services;
  const linkTo = (path: string, token: string): string => `${baseUrl()}/${path}/${token}`;
  const signLink = (contents: Omit<LinkRequest, 'iss'>): string =>
    signer.signLink({ ...contents, iss: baseUrl().replace(/^https?:/, '') });
  const changeLink = (aud: LinkPurpose, change: EmailChangeRow, time: number): string =>
    signLink({ aud, sub: String(change.id), expires: Date.parse(change.created_at) + time });
  return [
    {
      kind: accountJob.welcome,
      waitsFor: 'mail',
      async handle(server, payload) {
        // Another mail for an address: the job looks the account up, so that no response shows whether it exists.
        const user =
          typeof payload.email === 'string'
            ? await userByEmail(server, payload.email)
            : await userOfJob(server, payload);
        // The mail shows an administrator, whose address is confirmed at once, that the mail server works.
        const isNewAdministrator = user?.admin === true && payload.email === undefined;
        if (user && (user.confirmed_at === null || isNewAdministrator))
          await mail.send(
            welcomeMail(
              recipientOf(user, payload.language),
              user.name ?? user.email,
              linkTo('verify', user.confirmation_token),
              user.confirmed_at !== null,
            ),
          );
      },
    },
    {
      kind: accountJob.emailChange,
      waitsFor: 'mail',
      async handle(server, payload) {
        const { user, change } = await changeOf(server, payload);
        if (!user || !change?.is_pending) return;
        const recipient = recipientOf(user, payload.language);
        const link = linkTo('verify', changeLink('EMAIL_CONFIRMATION', change, confirmationTime));
        await mail.send(emailChangeMail({ ...recipient, to: change.new_email }, user.name ?? user.email, link));
      },
    },
    {
      kind: accountJob.emailChangeNotice,
      waitsFor: 'mail',
      async handle(server, payload) {
        const { user, change } = await changeOf(server, payload);
        if (!user || !change) return;
        const recipient = recipientOf(user, payload.language);
        const link = linkTo('take_back', changeLink('EMAIL_TAKE_BACK', change, takeBackTime));
        await mail.send(
          emailChangeNoticeMail(
            { ...recipient, to: change.old_email },
            user.name ?? user.email,
            change.new_email,
            link,
          ),
        );
      },
    },
    {
      kind: accountJob.passwordReset,
      waitsFor: 'mail',
      async handle(server, { email, language }) {
        const user = typeof email === 'string' ? await userByEmail(server, email) : undefined;
        if (!user) return;
        const token = signLink({
          aud: 'PASSWORD_RESETER',
          sub: user.email,
          expires: server.clock.now() + resetLifetime,
          pwd: passwordDigest(user.password_hash),
        });
        await mail.send(
          passwordResetMail(recipientOf(user, language), user.name ?? user.email, linkTo('password_reset', token)),
        );
      },
    },
    invitationJob(services, mail, gardenName),
    newMemberJob(mail),
    {
      kind: accountJob.destroy,
      async handle(server, payload) {
        const user = await userOfJob(server, payload);
        if (!user) return;
        await emptyGardensOf(services.gardens, server, user);
        // In the device's transaction, so that when two users are deleted concurrently, the second one is recognized as the last.
        await server.device(user.device_id).transaction((scope) => destroyAccount(services, scope, user));
      },
    },
    {
      kind: expiredTokensJob,
      interval: expiredTokensInterval,
      async handle(server) {
        await deleteExpired(server);
        await deleteOldChanges(server);
        await deleteOldNetworks(server);
        await deleteExpiredInvitations(server);
      },
    },
  ];
}

/** Deletes most rows of the gardens that {@link destroyAccount} will delete, in small steps and outside of a transaction. */
export async function emptyGardensOf(
  gardens: Gardens,
  server: ServerScope,
  user: Pick<UserRow, 'id' | 'device_id'>,
): Promise<void> {
  for (const id of await gardensWithoutOther(server, user)) await gardens.empty(server.device(id));
}

/** Deletes a user, and the gardens of which it was the last owner. Requires a transaction of the user's device. */
export async function destroyAccount(services: UserServices, scope: DeviceScope, user: UserRow): Promise<void> {
  const { deviceId, server } = scope;
  const orphaned = await gardensWithoutOther(server, { id: user.id, device_id: deviceId });
  const owned = (await membershipsOf(server, user.id)).filter(({ role }) => role === 'owner');
  await endGardenPasswords(
    server,
    owned.map(({ device_id }) => device_id),
  );
  await endUserSessions(services.endSessions, server, user.id);
  await scope.delete(users, { where: { id: user.id } });
  await deleteJobsOf(server, user);
  await services.gardens.anonymizeAuthor(server, user.email);
  await services.endSessions(server, deviceId);
  // A device without users has no subscribers.
  if (!orphaned.includes(deviceId)) scope.events.deleted('User', user.id);
  for (const id of orphaned) {
    // Jobs of its former users do not belong to the device.
    await services.jobs.deleteForDevice(server, id, ({ payload }) => 'user_id' in payload);
    await services.gardens.destroy(server, id);
    if (id !== deviceId) await services.endSessions(server, id);
  }
}

/** Deletes a user at once, outside of a transaction; false: it was deleted concurrently. In the device's transaction, so that of two users who are deleted at the same time the second one is the last. */
export async function deleteUser(
  server: ServerScope,
  services: UserServices,
  { id, device_id }: Pick<UserRow, 'id' | 'device_id'>,
): Promise<boolean> {
  await emptyGardensOf(services.gardens, server, { id, device_id });
  return server.device(device_id).transaction(async (scope) => {
    const user = await scope.first(users, { where: { id } });
    if (user) await destroyAccount(services, scope, user);
    return user !== undefined;
  });
}

/** Deletes jobs that contain the id or the address of a deleted user; failed ones would be kept forever. */
async function deleteJobsOf(server: ServerScope, { id, email }: UserRow): Promise<void> {
  const concernsUser = ({ user_id, ...others }: JobPayload): boolean =>
    user_id === id || Object.values(others).includes(email);
  // Prefiltered by the database, because the queue is long while the mail server is down.
  const patterns = [`%"user_id":${id}%`, `%${JSON.stringify(email)}%`];
  const candidates = joinSql(
    patterns.map((pattern) => sql`cast(payload as text) like ${pattern}`),
    ' or ',
  );
  const found = await server.rows(jobs, { and: sql`(${candidates})` });
  const ids = found.filter(({ payload }) => concernsUser(payload)).map((job) => job.id);
  if (ids.length > 0) await server.delete(jobs, { where: { id: ids } });
}

/** The user and the change of address of a job, unless they were deleted. */
async function changeOf(server: ServerScope, payload: JobPayload) {
  const id = payload.change_id;
  const change = typeof id === 'number' ? await server.first(emailChanges, { where: { id } }) : undefined;
  return { change, user: await userOfJob(server, payload) };
}
