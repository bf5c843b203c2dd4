import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { emailChangeMail, emailChangeNoticeMail } from '../mail/email-change.ts';
import { passwordResetMail } from '../mail/password-reset.ts';
import type { MailTransport } from '../mail/transport.ts';
import { welcomeMail } from '../mail/welcome.ts';
import type { EmailChangeRow } from './email-changes.ts';
import { confirmationTime, deleteOldChanges, emailChanges, takeBackTime } from './email-changes.ts';
import { gardenName } from './garden-routes.ts';
import { deleteExpiredInvitations, invitationJob } from './invitations.ts';
import { accountJob } from './job-kinds.ts';
import { deleteOldNetworks } from './known-networks.ts';
import { newMemberJob } from './new-members.ts';
import { passwordDigest } from './passwords.ts';
import type { AccountServices } from './services.ts';
import { deleteExpired, expiredTokensInterval, expiredTokensJob, tokenIssuances } from './token-issuances.ts';
import type { LinkPurpose, LinkRequest } from './token-signer.ts';
import { resetLifetime } from './token-signer.ts';
import { destroyAccount, emptyGardensOf } from './user-deletion.ts';
import { recipientOf, userByEmail, userOfJob, users } from './users.ts';

const day = 86_400_000;
/** How long an account may stay without a confirmed address, in ms. */
const maxAge = 7 * day;
/** Accounts that are read at a time. */
const batchSize = 100;

const unverifiedAccountsJob = 'delete_unverified_accounts';

/** Deletes accounts daily whose address was not confirmed within a week and that were never used, as they could be while verification was off. */
export const unverifiedAccounts = (services: AccountServices): JobDefinition => ({
  kind: unverifiedAccountsJob,
  interval: day,
  async handle(server) {
    if (!services.rules.requiresVerification) return;
    const unconfirmed = {
      confirmed_at: null,
      sign_in_count: 0,
      created_at: { lt: timestamp(confirmedNow(server.clock) - maxAge) },
    };
    let last = 0;
    let count: number;
    do {
      const found = await server.rows(users, { where: { ...unconfirmed, id: { gt: last } }, limit: batchSize });
      count = found.length;
      for (const { id, device_id } of found) {
        last = id;
        await deleteUnused(services, server, id, device_id);
      }
    } while (count === batchSize);
  },
});

/** Checks again inside the transaction: the address may be confirmed at this moment. */
const deleteUnused = (services: AccountServices, server: ServerScope, id: number, deviceId: number): Promise<void> =>
  server.device(deviceId).transaction(async (scope) => {
    const user = await scope.first(users, { where: { id, confirmed_at: null } });
    if (!user || (await scope.count(tokenIssuances)) > 0) return;
    await destroyAccount(services, scope, user);
    scope.log.info({ user: id, device: deviceId }, 'an unverified account was deleted');
  });

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
        // The mail shows an administrator, whose address needs no confirmation, that the mail server works.
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

/** The user and the change of address of a job, unless they were deleted. */
async function changeOf(server: ServerScope, payload: JobPayload) {
  const id = payload.change_id;
  const change = typeof id === 'number' ? await server.first(emailChanges, { where: { id } }) : undefined;
  return { change, user: await userOfJob(server, payload) };
}
