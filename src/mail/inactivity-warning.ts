import { catalogIn } from '../core/catalog.ts';
import type { Mail, Recipient } from './message.ts';
import { renderMail } from './message.ts';

export interface InactivityWarning {
  readonly name: string;
  /** How long the account has not been used, formatted in the recipient's language. */
  readonly unusedFor: string;
  /** Days until the account is deleted. */
  readonly days: number;
  /** Page to sign in. */
  readonly link: string;
}

const en = {
  subject: 'Action required: your garden account will be deleted',
  paragraphs: (account: string, unusedFor: string, days: number) => [
    `Neither you nor your robot has used the garden account of ${account} for more than ${unusedFor}.`,
    `In ${days} days it will be deleted with all of its data: the garden, the sequences, the photos. This cannot be undone.`,
    'To keep the account, sign in once before then.',
  ],
  action: 'Sign in',
  closing: 'If you no longer need the account, no action is required.',
};

const fr: typeof en = {
  subject: 'Votre compte de jardin va être supprimé : connectez-vous pour le garder',
  paragraphs: (account, unusedFor, days) => [
    `Ni vous ni votre robot n’avez utilisé le compte de jardin de ${account} depuis plus de ${unusedFor}.`,
    `Dans ${days} jours, il sera supprimé avec toutes ses données : le jardin, les programmes, les photos. Cela ne peut pas être annulé.`,
    'Pour garder le compte, connectez-vous une fois d’ici là.',
  ],
  action: 'Se connecter',
  closing: 'Si vous n’avez plus besoin du compte, vous n’avez rien à faire.',
};

const textIn = catalogIn({ en, fr });

/** Sent before an inactive account is deleted. [rule A36] */
export function inactivityWarningMail(recipient: Recipient, { name, unusedFor, days, link }: InactivityWarning): Mail {
  const text = textIn(recipient.language);
  const paragraphs = text.paragraphs(recipient.to, unusedFor, days);
  return renderMail(recipient, { ...text, paragraphs }, { name, link });
}
