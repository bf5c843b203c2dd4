import type { ServerScope } from '../db/scope.ts';
import { gardenName } from './garden-routes.ts';
import { invitationOf, isOfAdministrator } from './invitations.ts';
import type { SignUp } from './server-settings.ts';
import { currentSignUp } from './server-settings.ts';
import { users } from './users.ts';

/** Returns the invitation of a link; null: it has expired, was used or withdrawn. */
export async function shownInvitation(server: ServerScope, token: string, setting: SignUp) {
  const row = await invitationOf(server, token);
  const inviter = row && (await server.first(users, { where: { id: row.invited_by } }));
  if (!row || !inviter) return null;
  const isOpen = (await currentSignUp(server, setting)) === 'open';
  return {
    email: row.email,
    inviter: inviter.name ?? inviter.email,
    garden: row.role === null ? null : { name: await gardenName(server, row.device_id), role: row.role },
    may_sign_up: isOpen || (await isOfAdministrator(server, row)),
  };
}
