import type { Mail } from './message.ts';
import { oneLine, renderMail } from './message.ts';

export interface NewMember {
  readonly to: string;
  /** The name and the e-mail address of who joined. */
  readonly name: string;
  readonly email: string;
  /** The name of the garden. */
  readonly garden: string;
  readonly role: string;
}

/** Sent to the owners of a garden when a person accepted an invitation to it. It has no link: only who signs in can remove a member. */
export const newMemberMail = ({ to, name, email, garden, role }: NewMember): Mail =>
  renderMail({
    to,
    subject: 'A person joined your garden',
    greeting: 'Hello,',
    paragraphs: [
      `${oneLine(name)} (${oneLine(email)}) accepted an invitation to the garden “${oneLine(garden)}” and is ${role === 'owner' ? 'an' : 'a'} ${role} there now.`,
      'If you did not expect this, sign in, open Account, then People, and remove the person. If you did not send the invitation either, ask for a link to choose a new password on the page for signing in: it signs out all devices.',
    ],
  });
