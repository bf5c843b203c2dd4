import type { Mail } from './message.ts';
import { oneLine, renderMail } from './message.ts';

/** Sent after a sign-up to confirm the address. [rule A4, A7, A35] */
export const welcomeMail = (to: string, name: string, link: string): Mail =>
  renderMail({
    to,
    subject: 'Welcome to your garden',
    greeting: `Hello ${oneLine(name)},`,
    paragraphs: [
      'An account for a garden robot was created with this e-mail address.',
      'Please open this link to confirm the address. Then you can sign in. Accounts that are not confirmed within 7 days are deleted.',
    ],
    action: { label: 'Confirm my address', link },
    closing: 'If you did not sign up, ignore this message: the account cannot be used without confirmation.',
  });
