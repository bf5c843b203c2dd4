import type { Mail } from './message.ts';
import { oneLine, renderMail } from './message.ts';

export interface InactivityWarning {
  readonly to: string;
  readonly name: string;
  /** How long the account has not been used, as text. */
  readonly unusedFor: string;
  /** Days until the account is deleted. */
  readonly days: number;
  /** Page to sign in. */
  readonly link: string;
}

/** Sent before an inactive account is deleted. [rule A36] */
export const inactivityWarningMail = ({ to, name, unusedFor, days, link }: InactivityWarning): Mail =>
  renderMail({
    to,
    subject: 'Action required: your garden account will be deleted',
    greeting: `Hello ${oneLine(name)},`,
    paragraphs: [
      `Neither you nor your robot has used the garden account of ${to} for more than ${unusedFor}.`,
      `In ${days} days it will be deleted with all of its data: the garden, the sequences, the photos. This cannot be undone.`,
      'To keep the account, sign in once before then.',
    ],
    action: { label: 'Sign in', link },
    closing: 'If you no longer need the account, no action is required.',
  });
