import { catalogIn } from '../core/catalog.ts';
import type { Mail, Recipient } from './message.ts';
import { renderMail } from './message.ts';

const en = {
  subject: 'Password reset instructions',
  paragraphs: [
    'A password reset was requested for your garden account.',
    'Open this link within 24 hours to choose a new password. The link works once. All devices must sign in again afterwards.',
  ],
  action: 'Choose a new password',
  closing: 'If you did not request this, ignore this message: your password does not change.',
};

const fr: typeof en = {
  subject: 'Réinitialisation de votre mot de passe',
  paragraphs: [
    'La réinitialisation du mot de passe de votre compte de jardin a été demandée.',
    'Ouvrez ce lien dans les 24 heures pour choisir un nouveau mot de passe. Le lien fonctionne une seule fois. Tous les appareils devront ensuite se reconnecter.',
  ],
  action: 'Choisir un nouveau mot de passe',
  closing: 'Si vous n’avez rien demandé, ignorez ce message : votre mot de passe ne change pas.',
};

const textIn = catalogIn({ en, fr });

/** Sent on request for a forgotten password. [rule A19, A35] */
export const passwordResetMail = (recipient: Recipient, name: string, link: string): Mail =>
  renderMail(recipient, textIn(recipient.language), { name, link });
