import { catalogIn } from '../core/catalog.ts';
import type { Role } from '../engine/rights.ts';
import { rolesIn } from './member-roles.ts';
import type { Mail, Recipient } from './message.ts';
import { oneLine, renderMail } from './message.ts';

export interface Invitation {
  /** The name of the inviting user. */
  readonly inviter: string;
  /** The name of a garden and the role in it; null: the invitation is to create an account on the server. */
  readonly garden: { readonly name: string; readonly role: Role } | null;
  readonly link: string;
}

const en = {
  garden: {
    subject: 'You are invited to a garden',
    beginning: (inviter: string, garden: string, role: string) =>
      `${inviter} invites you to the garden “${garden}” as ${role}.`,
  },
  server: {
    subject: 'You are invited to a garden server',
    beginning: (inviter: string) => `${inviter} invites you to create an account on a garden server.`,
  },
  use: 'Open this link within 7 days to accept. It works once, and for this e-mail address only.',
  action: 'Open invitation',
  closing: 'If you do not know this person, ignore this message.',
};

const fr: typeof en = {
  garden: {
    subject: 'Invitation dans un jardin',
    beginning: (inviter, garden, role) => `${inviter} vous invite dans le jardin « ${garden} » comme ${role}.`,
  },
  server: {
    subject: 'Invitation sur un serveur de jardins',
    beginning: (inviter) => `${inviter} vous invite à créer un compte sur un serveur de jardins.`,
  },
  use: 'Ouvrez ce lien dans les 7 jours pour accepter. Il fonctionne une seule fois, et pour cette adresse e-mail seulement.',
  action: 'Ouvrir l’invitation',
  closing: 'Si vous ne connaissez pas cette personne, ignorez ce message.',
};

const textIn = catalogIn({ en, fr });

/** Sent to a person who is invited to a garden or to the server; the same whether or not the person has an account. */
export function invitationMail(recipient: Recipient, { inviter, garden, link }: Invitation): Mail {
  const { server, garden: toGarden, use, ...text } = textIn(recipient.language);
  const name = oneLine(inviter);
  const { subject } = garden ? toGarden : server;
  const beginning = garden
    ? toGarden.beginning(name, oneLine(garden.name), rolesIn(recipient.language)[garden.role])
    : server.beginning(name);
  return renderMail(recipient, { ...text, subject, paragraphs: [beginning, use] }, { link });
}
