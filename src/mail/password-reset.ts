import type { Mail } from './message.ts';
import { oneLine, renderMail } from './message.ts';

/** Sent on request for a forgotten password. [rule A19, A35] */
export const passwordResetMail = (to: string, name: string, link: string): Mail =>
  renderMail({
    to,
    subject: 'Password reset instructions',
    greeting: `Hello ${oneLine(name)},`,
    paragraphs: [
      'A password reset was requested for your garden account.',
      'Open this link within 24 hours to choose a new password. The link works once. All devices must sign in again afterwards.',
    ],
    action: { label: 'Choose a new password', link },
    closing: 'If you did not request this, ignore this message: your password does not change.',
  });
