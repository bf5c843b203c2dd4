import type { Mail } from './message.ts';
import { oneLine, renderMail } from './message.ts';

/** Sent to the new address of an account, which takes effect when the link is opened. */
export const emailChangeMail = (to: string, name: string, link: string): Mail =>
  renderMail({
    to,
    subject: 'Please confirm your new e-mail address',
    greeting: `Hello ${oneLine(name)},`,
    paragraphs: [
      'You asked to use this e-mail address for your garden account.',
      'Open this link to confirm it. Until then, your old address stays in use.',
    ],
    action: { label: 'Confirm e-mail address', link },
    closing: 'If you did not request this, ignore this message.',
  });
