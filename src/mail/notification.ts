import { catalogIn } from '../core/catalog.ts';
import type { Mail, Recipient } from './message.ts';
import { oneLine, renderMail } from './message.ts';

const en = {
  action: 'Open the garden',
  closing: 'You chose on the page “Account”, Notifications, to get this by e-mail.',
};

const fr: typeof en = {
  action: 'Ouvrir le jardin',
  closing: 'Vous avez choisi de recevoir ceci par e-mail, sur la page « Compte », Notifications.',
};

const textIn = catalogIn({ en, fr });

/** Notifies a person of something of the robot. */
export function notificationMail(recipient: Recipient, garden: string, sentence: string, link: string): Mail {
  const { action, closing } = textIn(recipient.language);
  const subject = `${oneLine(garden)}: ${oneLine(sentence)}`;
  return renderMail(recipient, { subject, paragraphs: [sentence], action, closing }, { link });
}
