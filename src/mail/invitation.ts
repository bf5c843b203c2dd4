import type { Mail } from './message.ts';
import { oneLine, renderMail } from './message.ts';

export interface Invitation {
  readonly to: string;
  /** The name of who invites. */
  readonly inviter: string;
  /** The name of the garden; null: the invitation is to make an account on the server. */
  readonly garden: string | null;
  readonly role: string | null;
  readonly link: string;
}

/** Sent to a person who is invited to a garden or to the server; the same whether or not the person has an account. */
export const invitationMail = ({ to, inviter, garden, role, link }: Invitation): Mail =>
  renderMail({
    to,
    subject: garden === null ? 'You are invited to a garden server' : 'You are invited to a garden',
    greeting: 'Hello,',
    paragraphs: [
      garden === null
        ? `${oneLine(inviter)} invites you to create an account on a garden server.`
        : `${oneLine(inviter)} invites you to the garden “${oneLine(garden)}” as ${role}.`,
      'Open this link within 7 days to accept. It works once, and for this e-mail address only.',
    ],
    action: { label: 'Open invitation', link },
    closing: 'If you do not know this person, ignore this message.',
  });
