import { currentTimestamp } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import { Type } from '../engine/json-schema.ts';
import { pageLanguage } from '../engine/page-language.ts';
import type { Call, PublicRoute, Reply } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import { maxMailAttempts } from '../mail/message.ts';
import { asBody, normalizeEmail, parseFields, verificationFields, verificationRequest } from './account-fields.ts';
import { emailChanges } from './email-changes.ts';
import { accountJob } from './job-kinds.ts';
import { rememberNetwork } from './known-networks.ts';
import { say } from './messages.ts';
import { assertFreeEmail, rejectTakenEmail } from './registration.ts';
import type { AccountServices } from './services.ts';
import { inUserTransaction, openSession, requestOf } from './sessions.ts';
import type { UserRow } from './users.ts';
import { changeUser, userByEmail, users } from './users.ts';

/** `GET /verify/:token`, the link in mails, confirms an address. Responds to browsers with a page, to other clients with an empty body. [decision 20] */
export const verificationRoute = (services: AccountServices): PublicRoute => ({
  method: 'GET',
  path: '/verify/:token',
  tag: 'Pages',
  access: 'public',
  acceptsAnyVersion: true,
  summary: 'Confirm an e-mail address',
  description:
    'The link in mails: confirms the address of a sign-up, or a changed address. Browsers get a page and are signed in after a sign-up; other clients get an empty body.',
  params: Type.Object({ token: Type.String() }),
  // Failures are a page for browsers, JSON for other clients.
  replies: { 200: 'html', 404: 'html', 409: 'html', 422: 'html' },
  async handle(server, call) {
    const isBrowser = String(call.headers.accept ?? '').includes('text/html');
    try {
      return await verify(services, server, call, isBrowser);
    } catch (error) {
      if (isBrowser && error instanceof Failure && error.status < 500)
        return services.pages.deadLink(call, error.status, isChangeLink(call) ? 'change' : 'account');
      throw error;
    }
  },
});

/** Links to confirm a changed address are signed, links of new accounts are not. */
const isChangeLink = ({ params }: Call): boolean => (params.token ?? '').includes('.');

const mailStatus = say.verificationMail;

/**
 * `POST /api/verification_mails`: sends the mail that confirms an address again. Unlike `resend_verification`, the response does not show
 * whether there is such an account.
 */
export const verificationMailRoute = (services: AccountServices): PublicRoute => ({
  method: 'POST',
  path: '/api/verification_mails',
  tag: 'Sign in',
  access: 'public',
  addition: true,
  summary: 'Request another mail with a link that confirms the address of a new account',
  description: 'Sends the mail of the sign-up again. The response does not show whether there is such an account.',
  body: { rule: 'object', schema: verificationRequest },
  replies: { 200: Type.Object({ status: Type.String({ examples: [String(mailStatus)] }) }) },
  async handle(server, call) {
    const { rules, limits, jobs } = services;
    const { email } = parseFields<typeof verificationFields, 'email'>(verificationFields, asBody(call.body));
    limits.countUnverified(call);
    const address = normalizeEmail(email);
    const user = await userByEmail(server, address);
    // Not counted for an address that gets no mail: strangers could use up the sign-ups of its owner.
    const getsMail = user !== undefined && user.confirmed_at === null;
    if (rules.requiresVerification && (!getsMail || limits.allowsConfirmationMail(call, address)))
      await jobs.enqueue(
        server,
        accountJob.welcome,
        { email: address, language: pageLanguage(call) },
        { maxAttempts: maxMailAttempts },
      );
    return { status: mailStatus };
  },
});

/** Whether an administrator, whose address is confirmed from the beginning, never visited the link: programs see no difference to other accounts. [decision 60] */
const isUnvisited = ({ admin, confirmed_at, agreed_to_terms_at }: UserRow): boolean =>
  admin && confirmed_at === agreed_to_terms_at;

async function verify(services: AccountServices, server: ServerScope, call: Call, isBrowser: boolean): Promise<Reply> {
  const confirmation_token = call.params.token ?? '';
  const found = await server.first(users, { where: { confirmation_token } });
  if (!found) {
    await confirmChange(services, server, call);
    return isBrowser ? services.pages.addressChanged(call) : emptyReply;
  }
  const session = await inUserTransaction(server, call, found, async (scope) => {
    // Read again inside the transaction: a second click may have been faster.
    const before = await scope.first(users, { where: { confirmation_token } });
    if (!before) throw unusableLink();
    if (before.confirmed_at !== null && (isBrowser || !isUnvisited(before)))
      throw new Failure('conflict', say.addressVerified);
    const user = await changeUser(scope, before, { confirmed_at: currentTimestamp(scope.clock) });
    await rememberNetwork(scope.server, user.id, call);
    // Clients other than browsers get no token.
    return isBrowser
      ? openSession(services, scope, { ...requestOf(services, call), user, aud: 'human', signedInAt: null })
      : null;
  });
  return session ? services.pages.signedIn(call, session) : emptyReply;
}

const unusableLink = (): Failure => new Failure('not_found', say.deadLink);

/** Replaces the address of an account by the new one, without signing in: the link may be in a mailbox of another person. [decision 59] */
async function confirmChange({ signer }: AccountServices, server: ServerScope, call: Call): Promise<void> {
  const claims = signer.verifyLink(call.params.token ?? '');
  if (typeof claims === 'string' || claims.aud !== 'EMAIL_CONFIRMATION') throw unusableLink();
  const id = Number(claims.sub);
  const found = await server.first(emailChanges, { where: { id } });
  const user = found && (await server.first(users, { where: { id: found.user_id } }));
  if (!user) throw unusableLink();
  await rejectTakenEmail(() =>
    inUserTransaction(server, call, user, async (scope) => {
      const [change] = await scope.server.update(
        emailChanges,
        { is_pending: false },
        { where: { id, is_pending: true } },
      );
      const before = await scope.first(users, { where: { id: user.id } });
      if (before && !change && before.email === found?.new_email) throw new Failure('conflict', say.addressVerified);
      if (!before || !change) throw unusableLink();
      await assertFreeEmail(scope.server, change.new_email, before.id);
      await changeUser(scope, before, { email: change.new_email, confirmed_at: currentTimestamp(scope.clock) });
    }),
  );
}
