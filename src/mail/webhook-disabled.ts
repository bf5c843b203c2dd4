import { catalogIn } from '../core/catalog.ts';
import type { Mail, Recipient } from './message.ts';
import { oneLine, renderMail } from './message.ts';

export interface DisabledWebhook {
  /** The name of the garden. */
  readonly garden: string;
  /** The host of its address; the rest may contain a secret. */
  readonly host: string;
  /** It refused further deliveries (410). */
  readonly isGone: boolean;
  /** The page to change the webhook. */
  readonly link: string;
}

const en = {
  subject: (host: string) => `A webhook to ${host} was switched off`,
  gone: 'refused further deliveries (410)',
  failing: 'accepted nothing for three days',
  paragraphs: (garden: string, host: string, reason: string) => [
    `A webhook of the garden “${garden}” delivers to ${host}. That address has ${reason}, so the webhook was switched off. What happened in the meantime is not delivered later.`,
    'When the address works again, switch the webhook on, or delete it if you do not need it.',
  ],
  action: 'Change the webhook',
};

const fr: typeof en = {
  subject: (host) => `Un webhook vers ${host} a été désactivé`,
  gone: 'a refusé les envois suivants (410)',
  failing: 'n’a rien accepté pendant trois jours',
  paragraphs: (garden, host, reason) => [
    `Un webhook du jardin « ${garden} » livre à ${host}. Cette adresse ${reason} ; le webhook a donc été désactivé. Ce qui s’est passé entre-temps ne sera pas livré plus tard.`,
    'Quand l’adresse fonctionnera de nouveau, réactivez le webhook, ou supprimez-le s’il ne sert plus.',
  ],
  action: 'Modifier le webhook',
};

const textIn = catalogIn({ en, fr });

/** Sent to the owners of a garden when a webhook of it was switched off. */
export function webhookDisabledMail(recipient: Recipient, { garden, host, isGone, link }: DisabledWebhook): Mail {
  const { subject, paragraphs, action, gone, failing } = textIn(recipient.language);
  const sentences = paragraphs(oneLine(garden), host, isGone ? gone : failing);
  return renderMail(recipient, { subject: subject(host), paragraphs: sentences, action }, { link });
}
