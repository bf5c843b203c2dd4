import type { Mail } from './message.ts';
import { oneLine, renderMail } from './message.ts';

/** Delivers an account export. [rule A37] */
export const accountExportMail = (to: string, name: string, document: Buffer): Mail => ({
  ...renderMail({
    to,
    subject: 'Your account data export',
    greeting: `Hello ${oneLine(name)},`,
    paragraphs: [
      'The attached file contains all data of your garden and your robot, as requested from your account.',
      'Keep the file if you want to import the garden later. It does not contain passwords.',
    ],
  }),
  attachments: [{ name: 'export.json', type: 'application/json', content: document }],
});
