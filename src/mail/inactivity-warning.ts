import type { Mail } from './message.ts';
import { letter, oneLine } from './message.ts';

export interface InactivityWarning {
  readonly to: string;
  readonly name: string;
  /** For how long nobody has used the account, in words. */
  readonly unusedFor: string;
  /** Days until the account may be deleted. */
  readonly days: number;
  /** Where one signs in anew. */
  readonly link: string;
}

/** Sent when nobody has used an account for a long time, before it is deleted. [reference 14.3] */
export const inactivityWarningMail = ({ to, name, unusedFor, days, link }: InactivityWarning): Mail =>
  letter({
    to,
    subject: 'Action required: your garden account will be deleted',
    greeting: `Hello ${oneLine(name)},`,
    paragraphs: [
      `neither you nor your robot has used the garden account of ${to} for more than ${unusedFor}.`,
      `In ${days} days it will be deleted with everything in it: the garden, the sequences, the photos. That cannot be undone.`,
      'If you want to keep it, sign in once before then; nothing else is needed.',
    ],
    action: { label: 'Sign in', link },
    closing: 'If you no longer need the account, you need not do anything.',
  });
