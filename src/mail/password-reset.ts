import type { Mail } from './message.ts';
import { letter, oneLine } from './message.ts';

/** Sent when somebody forgot the password. [Spec Events] */
export const passwordResetMail = (to: string, name: string, link: string): Mail =>
  letter({
    to,
    subject: 'Password reset instructions',
    greeting: `Hello ${oneLine(name)},`,
    paragraphs: [
      'somebody, probably you, asked for a password reset of your garden account.',
      'Open this link within 24 hours to choose a new password. The link works once, and all devices have to sign in again afterwards.',
    ],
    action: { label: 'Choose a new password', link },
    closing: 'If it was not you, ignore this message: your password stays as it is.',
  });
