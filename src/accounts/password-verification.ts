import { networkOf, siteOf } from '../core/ip-addresses.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Call } from '../engine/route.ts';
import { isKnownNetwork } from './known-networks.ts';
import type { AccountServices } from './services.ts';
import type { UserRow } from './users.ts';

/**
 * Returns whether a password is the user's; false for undefined (no such account), after the same time. `email`: as it was sent.
 * Throws 429 while wrong passwords delay further attempts. Not for use inside a transaction, since it hashes. [ADR 31]
 */
export async function verifyPassword(
  { limits, passwords }: AccountServices,
  server: ServerScope,
  call: Call,
  { user, email, password }: { readonly user: UserRow | undefined; readonly email: string; readonly password: string },
): Promise<boolean> {
  const isKnown = limits.appliesTo(call) && (await isKnownNetwork(server, user?.id ?? 0, networkOf(call.address)));
  const takeBack = limits.beginAttempt(call, { userId: user?.id ?? null, isKnown, email });
  let isWrong = false;
  try {
    isWrong = !(await passwords.verify(user?.password_hash ?? null, password, siteOf(call.address)));
  } finally {
    // An attempt that was refused because the server is busy does not count either.
    if (!isWrong) takeBack();
  }
  return !isWrong;
}
