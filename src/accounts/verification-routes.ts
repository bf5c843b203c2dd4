import { currentTimestamp } from '../core/clock.ts';
import { Failure, invalid, notFound } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, PublicRoute, Reply } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import { emailTaken, rejectTakenEmail } from './registration.ts';
import type { AccountServices } from './services.ts';
import { inUserTransaction, openSession } from './sessions.ts';
import type { UserRow } from './users.ts';
import { changeUser, userByEmail, users } from './users.ts';

/** `GET /verify/:token`, the link in mails, confirms an address. Answers a page for browsers, nothing for other clients. [decision 20] */
export const verificationRoute = (services: AccountServices): PublicRoute => ({
  method: 'GET',
  path: '/verify/:token',
  tag: 'pages',
  access: 'public',
  acceptsAnyVersion: true,
  summary: 'Confirm an e-mail address',
  params: Type.Object({ token: Type.String() }),
  // Failures are a page for browsers, JSON for other clients.
  replies: { 200: 'html', 404: 'html', 409: 'html', 422: 'html' },
  hidden: true,
  async handle(server, call) {
    const isBrowser = String(call.headers.accept ?? '').includes('text/html');
    try {
      return await verify(services, server, call, isBrowser);
    } catch (error) {
      if (isBrowser && error instanceof Failure && error.status < 500)
        return services.pages.notice(error.status, 'This link did not work', sentenceOf(error));
      throw error;
    }
  },
});

async function verify(services: AccountServices, server: ServerScope, call: Call, isBrowser: boolean): Promise<Reply> {
  const confirmation_token = call.params.token ?? '';
  const found = await server.first(users, { where: { confirmation_token } });
  if (!found) throw notFound('Link');
  const session = await rejectTakenEmail(() =>
    inUserTransaction(server, call, found, async (scope) => {
      // Read again inside the transaction: a second click may have been faster.
      const before = await scope.first(users, { where: { confirmation_token } });
      if (!before) throw notFound('Link');
      const user = await changeUser(scope, before, await confirmation(scope.server, before));
      // Clients other than browsers get no token.
      return isBrowser
        ? openSession(services, scope, { user, aud: 'human', addresses: services.addresses(call) })
        : null;
    }),
  );
  return session ? services.pages.signedIn(session) : emptyReply;
}

/** Returns what the link changes: it confirms the first address, or replaces the old address by the new one. */
async function confirmation(server: ServerScope, user: UserRow): Promise<Partial<UserRow>> {
  const confirmed_at = currentTimestamp(server.clock);
  const { unconfirmed_email: email } = user;
  if (email === null) {
    if (user.confirmed_at !== null)
      throw new Failure('conflict', 'This address was already verified. You can sign in.');
    return { confirmed_at };
  }
  if (await userByEmail(server, email)) throw invalid({ email: emailTaken });
  return { email, unconfirmed_email: null, confirmed_at };
}

const sentenceOf = ({ fields, message }: Failure): string => {
  const [first] = Object.values(fields ?? {});
  return typeof first === 'string' ? first : message;
};
