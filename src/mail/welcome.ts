import type { Mail } from './message.ts';
import { letter, oneLine } from './message.ts';

/** Sent after a sign-up: the link confirms the address. [Spec Events] */
export const welcomeMail = (to: string, name: string, link: string): Mail =>
  letter({
    to,
    subject: 'Welcome to your garden',
    greeting: `Hello ${oneLine(name)},`,
    paragraphs: [
      'an account for a garden robot was made with this e-mail address.',
      'Please open this link to confirm the address. After that you can sign in.',
    ],
    action: { label: 'Confirm my address', link },
    closing: 'If it was not you, ignore this message: without the confirmation nobody can use the account.',
  });
