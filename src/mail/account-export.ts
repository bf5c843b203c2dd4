import type { Mail } from './message.ts';
import { letter, oneLine } from './message.ts';

/** Brings the people of a garden all of its data. [reference: export_data] */
export const accountExportMail = (to: string, name: string, document: Buffer): Mail => ({
  ...letter({
    to,
    subject: 'Your account data export',
    greeting: `Hello ${oneLine(name)},`,
    paragraphs: [
      'attached you find everything that the server keeps of your garden and your robot, as it was when somebody with access to your account asked for it.',
      'The file is JSON, a text that programs read. Keep it if you want to bring the garden back some day. Passwords are not in it.',
    ],
  }),
  attachments: [{ name: 'export.json', type: 'application/json', content: document }],
});
