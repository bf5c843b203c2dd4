import { catalogIn } from '../core/catalog.ts';
import type { Mail, Recipient } from './message.ts';
import { renderMail } from './message.ts';

const en = {
  subject: 'Welcome to your garden',
  unconfirmed: {
    paragraphs: [
      'An account for a garden robot was created with this e-mail address.',
      'Please open this link to confirm the address. Then you can sign in. Accounts that are not confirmed within 7 days are deleted.',
    ],
    action: 'Confirm my address',
    closing: 'If you did not sign up, ignore this message: the account cannot be used without confirmation.',
  },
  confirmed: {
    paragraphs: [
      'An account for a garden robot was created with this e-mail address. It administers the server.',
      'You need not confirm the address and can sign in. This message shows that mails from the server arrive.',
    ],
    action: 'Sign in',
    closing:
      'If you did not sign up, ask for a link to choose a new password on the page for signing in: it signs out all devices.',
  },
};

const fr: typeof en = {
  subject: 'Bienvenue dans votre jardin',
  unconfirmed: {
    paragraphs: [
      'Un compte pour un robot de jardin a été créé avec cette adresse e-mail.',
      'Ouvrez ce lien pour confirmer l’adresse. Vous pourrez ensuite vous connecter. Les comptes qui ne sont pas confirmés en 7 jours sont supprimés.',
    ],
    action: 'Confirmer mon adresse',
    closing:
      'Si vous n’avez pas créé de compte, ignorez ce message : sans confirmation, le compte ne peut pas être utilisé.',
  },
  confirmed: {
    paragraphs: [
      'Un compte pour un robot de jardin a été créé avec cette adresse e-mail. Il administre le serveur.',
      'Vous n’avez pas besoin de confirmer l’adresse et pouvez vous connecter. Ce message montre que les e-mails du serveur arrivent.',
    ],
    action: 'Se connecter',
    closing:
      'Si vous n’avez pas créé de compte, demandez sur la page de connexion un lien pour choisir un nouveau mot de passe : il déconnecte tous les appareils.',
  },
};

const textIn = catalogIn({ en, fr });

/** Sent after a sign-up to confirm the address; an administrator's is confirmed from the beginning. [rule A4, A7, A35] [decision 60] */
export function welcomeMail(recipient: Recipient, name: string, link: string, isConfirmed = false): Mail {
  const { subject, confirmed, unconfirmed } = textIn(recipient.language);
  return renderMail(recipient, { subject, ...(isConfirmed ? confirmed : unconfirmed) }, { name, link });
}
