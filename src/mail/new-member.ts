import { catalogIn } from '../core/catalog.ts';
import type { Role } from '../engine/rights.ts';
import { rolesIn } from './member-roles.ts';
import type { Mail, Recipient } from './message.ts';
import { oneLine, renderMail } from './message.ts';

export interface NewMember {
  /** The name and the e-mail address of the new member. */
  readonly name: string;
  readonly email: string;
  /** The name of the garden. */
  readonly garden: string;
  readonly role: Role;
}

const en = {
  subject: 'A person joined your garden',
  paragraphs: (person: string, garden: string, role: string) => [
    `${person} accepted an invitation to the garden “${garden}” and is ${role === 'owner' ? 'an' : 'a'} ${role} there now.`,
    'If you did not expect this, sign in, open Account, then People, and remove the person. If you did not send the invitation either, ask for a link to choose a new password on the page for signing in: it signs out all devices.',
  ],
};

const fr: typeof en = {
  subject: 'Une personne a rejoint votre jardin',
  paragraphs: (person, garden, role) => [
    `${person} a accepté une invitation dans le jardin « ${garden} » et y est maintenant ${role}.`,
    'Si vous ne vous y attendiez pas, connectez-vous, ouvrez Compte, puis Personnes, et retirez cette personne. Si vous n’avez pas non plus envoyé l’invitation, demandez sur la page de connexion un lien pour choisir un nouveau mot de passe : il déconnecte tous les appareils.',
  ],
};

const textIn = catalogIn({ en, fr });

/** Sent to the owners of a garden when a person accepted an invitation to it. It has no link: removing a member requires a sign-in. */
export function newMemberMail(recipient: Recipient, { name, email, garden, role }: NewMember): Mail {
  const { subject, paragraphs } = textIn(recipient.language);
  const person = `${oneLine(name)} (${oneLine(email)})`;
  const sentences = paragraphs(person, oneLine(garden), rolesIn(recipient.language)[role]);
  return renderMail(recipient, { subject, paragraphs: sentences });
}
