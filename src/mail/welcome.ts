import { catalogIn } from '../core/catalog.ts';
import type { Mail, Reader } from './message.ts';
import { renderMail, salutationsIn } from './message.ts';

const en = {
  subject: 'Welcome to your garden',
  paragraphs: [
    'An account for a garden robot was created with this e-mail address.',
    'Please open this link to confirm the address. Then you can sign in. Accounts that are not confirmed within 7 days are deleted.',
  ],
  action: 'Confirm my address',
  closing: 'If you did not sign up, ignore this message: the account cannot be used without confirmation.',
};

const fr: typeof en = {
  subject: 'Bienvenue dans votre jardin',
  paragraphs: [
    'Un compte pour un robot de jardin a été créé avec cette adresse e-mail.',
    'Ouvrez ce lien pour confirmer l’adresse. Vous pourrez ensuite vous connecter. Les comptes qui ne sont pas confirmés en 7 jours sont supprimés.',
  ],
  action: 'Confirmer mon adresse',
  closing:
    'Si vous n’avez pas créé de compte, ignorez ce message : sans confirmation, le compte ne peut pas être utilisé.',
};

const textIn = catalogIn({ en, fr });

/** Sent after a sign-up to confirm the address. [rule A4, A7, A35] */
export function welcomeMail(reader: Reader, name: string, link: string): Mail {
  const { subject, paragraphs, action, closing } = textIn(reader.language);
  const greeting = salutationsIn(reader.language).helloTo(name);
  return renderMail({ reader, subject, greeting, paragraphs, action: { label: action, link }, closing });
}
