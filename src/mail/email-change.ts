import type { Mail } from './message.ts';
import { letter, oneLine } from './message.ts';

/** Sent to the new address of an account; it counts from the moment the link was opened. */
export const emailChangeMail = (to: string, name: string, link: string): Mail =>
  letter({
    to,
    subject: 'E-mail update: please confirm your new address',
    greeting: `Hello ${oneLine(name)},`,
    paragraphs: [
      'you asked to use this e-mail address for your garden account.',
      'Open this link to confirm it. Until then the old address stays in use.',
    ],
    action: { label: 'Use this address', link },
    closing: 'If you did not ask for it, ignore this message and nothing changes.',
  });
