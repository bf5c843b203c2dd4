import type { Mail } from './message.ts';
import { renderMail } from './message.ts';

/** Says that a webhook was switched off. `host`: the host of its address; the rest may contain a secret. `isGone`: it responded that it wants no more. */
export const webhookDisabledMail = (to: string, host: string, isGone: boolean): Mail =>
  renderMail({
    to,
    subject: `A webhook to ${host} was switched off`,
    greeting: 'Hello,',
    paragraphs: [
      `A webhook of your garden delivers to ${host}. That address has ${isGone ? 'responded that it wants no more (410)' : 'accepted nothing for three days'}, so the webhook was switched off. What happened in the meantime is not delivered later.`,
      'When the address works again, switch the webhook on, or delete it if you do not need it.',
    ],
  });
