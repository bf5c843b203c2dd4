import type { Language } from '../core/languages.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Role } from '../engine/rights.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { maxMailAttempts } from '../mail/message.ts';
import { newMemberMail } from '../mail/new-member.ts';
import type { MailTransport } from '../mail/transport.ts';
import { gardenName } from './garden-routes.ts';
import { accountJob } from './job-kinds.ts';
import { roleOf } from './members.ts';
import type { AccountServices } from './services.ts';
import { ownersOf, recipientOf, users } from './users.ts';

/** A person who accepted an invitation to a garden. */
interface Joined {
  readonly id: number;
  readonly role: Role;
  /** The language of the page on which the person did. */
  readonly page: Language | null;
}

/** Enqueues a mail to the other owners of the scope's garden after a user accepted an invitation to it. Requires a transaction. */
export async function notifyOwners(
  { jobs }: AccountServices,
  scope: DeviceScope,
  { id: memberId, role, page }: Joined,
): Promise<void> {
  const { server, deviceId } = scope;
  const options = { deviceId, maxAttempts: maxMailAttempts };
  for (const { id } of await ownersOf(server, deviceId))
    if (id !== memberId)
      await jobs.enqueue(
        server,
        accountJob.newMember,
        { user_id: id, member_id: memberId, device_id: deviceId, role, language: page },
        options,
      );
}

/** The job that mails to one owner that a person joined a garden. */
export const newMemberJob = (mail: MailTransport): JobDefinition => ({
  kind: accountJob.newMember,
  waitsFor: 'mail',
  async handle(server, { user_id, member_id, device_id, role, language }) {
    const owner = await server.first(users, { where: { id: Number(user_id) } });
    const member = await server.first(users, { where: { id: Number(member_id) } });
    if (!owner || !member) return;
    const { name, email } = member;
    const garden = await gardenName(server, Number(device_id));
    await mail.send(
      newMemberMail(recipientOf(owner, language), {
        name: name ?? email,
        email,
        garden,
        role: roleOf({ role: String(role) }),
      }),
    );
  },
});
