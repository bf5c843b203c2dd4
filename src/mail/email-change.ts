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
      'Open this link within 24 hours to confirm it. Until then, your old address stays in use.',
    ],
    action: { label: 'Confirm e-mail address', link },
    closing: 'If you did not request this, ignore this message.',
  });

/** Sent to the address of an account when another one is to replace it. [decision 59] */
export const emailChangeNoticeMail = (to: string, name: string, newAddress: string, link: string): Mail =>
  renderMail({
    to,
    subject: 'Your e-mail address is being changed',
    greeting: `Hello ${oneLine(name)},`,
    paragraphs: [
      `The e-mail address of your garden account is being changed from ${to} to ${newAddress}.`,
      'If you did not do this, open this link within 7 days: it keeps the old address, signs out all devices and lets you choose a new password.',
    ],
    action: { label: 'This was not me', link },
    closing: 'If you changed the address yourself, ignore this message.',
  });
