import type { Mail } from './message.ts';
import { oneLine, renderMail } from './message.ts';

export interface DisabledWebhook {
  readonly to: string;
  /** The name of the garden. */
  readonly garden: string;
  /** The host of its address; the rest may contain a secret. */
  readonly host: string;
  /** It responded that it wants no more. */
  readonly isGone: boolean;
  /** Where the webhook is changed. */
  readonly link: string;
}

/** Sent to the owners of a garden when a webhook of it was switched off. */
export const webhookDisabledMail = ({ to, garden, host, isGone, link }: DisabledWebhook): Mail =>
  renderMail({
    to,
    subject: `A webhook to ${host} was switched off`,
    greeting: 'Hello,',
    paragraphs: [
      `A webhook of the garden “${oneLine(garden)}” delivers to ${host}. That address has ${isGone ? 'responded that it wants no more (410)' : 'accepted nothing for three days'}, so the webhook was switched off. What happened in the meantime is not delivered later.`,
      'When the address works again, switch the webhook on, or delete it if you do not need it.',
    ],
    action: { label: 'Change the webhook', link },
  });
