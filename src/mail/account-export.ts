import { catalogIn } from '../core/catalog.ts';
import type { Mail, Recipient } from './message.ts';
import { renderMail } from './message.ts';

const en = {
  subject: 'Your account data export',
  paragraphs: [
    'The attached file contains all data of your garden and your robot, as requested from your account.',
    'Keep the file if you want to import the garden later. It does not contain passwords.',
  ],
};

const fr: typeof en = {
  subject: 'L’export des données de votre compte',
  paragraphs: [
    'Le fichier joint contient toutes les données de votre jardin et de votre robot, comme demandé depuis votre compte.',
    'Gardez ce fichier si vous voulez importer le jardin plus tard. Il ne contient pas de mots de passe.',
  ],
};

const textIn = catalogIn({ en, fr });

/** Delivers an account export. [rule A37] */
export const accountExportMail = (recipient: Recipient, name: string, document: Buffer): Mail => ({
  ...renderMail(recipient, textIn(recipient.language), { name }),
  attachments: [{ name: 'export.json', type: 'application/json', content: document }],
});
