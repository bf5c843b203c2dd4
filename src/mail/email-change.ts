import { catalogIn } from '../core/catalog.ts';
import type { Mail, Recipient } from './message.ts';
import { renderMail } from './message.ts';

const en = {
  confirmation: {
    subject: 'Please confirm your new e-mail address',
    paragraphs: [
      'You asked to use this e-mail address for your garden account.',
      'Open this link within 24 hours to confirm it. Until then, your old address stays in use.',
    ],
    action: 'Confirm e-mail address',
    closing: 'If you did not request this, ignore this message.',
  },
  notice: {
    subject: 'Your e-mail address is being changed',
    paragraphs: (before: string, after: string) => [
      `The e-mail address of your garden account is being changed from ${before} to ${after}.`,
      'If you did not do this, open this link within 7 days: it keeps the old address, signs out all devices and lets you choose a new password.',
    ],
    action: 'This was not me',
    closing: 'If you changed the address yourself, ignore this message.',
  },
};

const fr: typeof en = {
  confirmation: {
    subject: 'Confirmez votre nouvelle adresse e-mail',
    paragraphs: [
      'Vous avez demandé à utiliser cette adresse e-mail pour votre compte de jardin.',
      'Ouvrez ce lien dans les 24 heures pour la confirmer. D’ici là, votre ancienne adresse reste valable.',
    ],
    action: 'Confirmer l’adresse e-mail',
    closing: 'Si vous n’avez rien demandé, ignorez ce message.',
  },
  notice: {
    subject: 'Votre adresse e-mail va changer',
    paragraphs: (before, after) => [
      `L’adresse e-mail de votre compte de jardin passe de ${before} à ${after}.`,
      'Si ce changement ne vient pas de vous, ouvrez ce lien dans les 7 jours : il garde l’ancienne adresse, déconnecte tous les appareils et vous permet de choisir un nouveau mot de passe.',
    ],
    action: 'Ce n’était pas moi',
    closing: 'Si vous avez changé l’adresse vous-même, ignorez ce message.',
  },
};

const textIn = catalogIn({ en, fr });

/** Sent to the new address of an account, which takes effect when the link is opened. */
export const emailChangeMail = (recipient: Recipient, name: string, link: string): Mail =>
  renderMail(recipient, textIn(recipient.language).confirmation, { name, link });

/** Sent to the address of an account when another one is to replace it. [decision 59] */
export function emailChangeNoticeMail(recipient: Recipient, name: string, newAddress: string, link: string): Mail {
  const { notice } = textIn(recipient.language);
  return renderMail(recipient, { ...notice, paragraphs: notice.paragraphs(recipient.to, newAddress) }, { name, link });
}
