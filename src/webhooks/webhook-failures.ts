import type { LocalText } from '../core/catalog.ts';
import { catalogIn } from '../core/catalog.ts';
import { timestamp } from '../core/clock.ts';
import { languageOf } from '../core/languages.ts';
import type { DeviceScope } from '../db/scope.ts';
import { deviceName } from '../device/devices.ts';
import type { Gardens } from '../device/gardens.ts';
import type { DeviceOffer } from '../device/offer.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { maxMailAttempts } from '../mail/message.ts';
import type { MailTransport } from '../mail/transport.ts';
import { webhookDisabledMail } from '../mail/webhook-disabled.ts';
import { abandonDeliveries } from './deliveries.ts';
import type { WebhookRow } from './webhook-resource.ts';
import { webhooks } from './webhook-resource.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Pauses between attempts, in ms; the last one repeats. */
const pauses = [5000, 30_000, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 12 * hour];

/** How long an address may fail before its webhook is switched off, in ms. */
const maxFailing = 72 * hour;

/** The status with which a receiver refuses all further deliveries. */
const goneStatus = 410;

/** The job that mails that a webhook was switched off. */
const disabledMailJob = 'mail_webhook_disabled';

/** Everyone may read it, so it does not name the webhook. Existing clients show it as news. */
export const disabledBulletin = {
  slug: 'webhook-switched-off',
  type: 'warn',
  title: 'A webhook was switched off',
  href: '/console/account?part=webhooks',
  href_label: 'Show the webhooks',
  content:
    'Its address accepted nothing for three days, or refused further deliveries. What happened in the meantime is not delivered later. When the address works again, switch the webhook on, or delete it if you do not need it. The logs say which one it is.',
} as const;

const textIn = catalogIn({
  en: {
    gone: (host: string, status: number) =>
      `The webhook to ${host} was switched off: its address responded with ${status} (gone).`,
    failing: (host: string) => `The webhook to ${host} was switched off: its address accepted nothing for three days.`,
  },
  fr: {
    gone: (host, status) => `Le webhook vers ${host} a été désactivé : son adresse a répondu ${status} (disparu).`,
    failing: (host) => `Le webhook vers ${host} a été désactivé : son adresse n’a rien accepté pendant trois jours.`,
  },
});

export interface FailureDependencies {
  readonly queue: Pick<JobQueue, 'enqueue' | 'enqueueOnce' | 'enqueueSerial'>;
  readonly device: DeviceOffer;
  readonly gardens: Gardens;
}

/** Returns the update of a webhook whose receiver did not accept a delivery: the next attempt, or its end after three days. */
export function afterFailure(webhook: WebhookRow, status: number | null, now: number): Partial<WebhookRow> {
  const failing_since = webhook.failing_since ?? timestamp(now);
  const pause = pauses[Math.min(webhook.attempts, pauses.length - 1)] ?? 0;
  if (status === goneStatus || now + pause - Date.parse(failing_since) > maxFailing)
    return { failing_since, active: false, disabled_at: timestamp(now), attempts: 0, next_attempt_at: null };
  return { failing_since, attempts: webhook.attempts + 1, next_attempt_at: timestamp(now + pause) };
}

/** Ends the deliveries of a webhook that was switched off, and notifies the owners by an alert, a notice and a mail. Requires a transaction. */
export async function reportDisabled(
  scope: DeviceScope,
  { id, url }: WebhookRow,
  status: number | null,
  { queue, device, gardens }: FailureDependencies,
): Promise<void> {
  await abandonDeliveries(scope, id);
  const { host } = new URL(url);
  const isGone = status === goneStatus;
  const message: LocalText = (language) => {
    const { gone, failing } = textIn(language);
    return isGone ? gone(host, goneStatus) : failing(host);
  };
  await device.notify(scope, { message, type: 'warn', channels: ['toast'] });
  await device.alert(scope, disabledBulletin);
  const { deviceId, server } = scope;
  for (const { to, language } of await gardens.recipients(server, deviceId))
    await queue.enqueue(
      server,
      disabledMailJob,
      { device_id: deviceId, webhook_id: id, address: to, language, is_gone: isGone },
      { deviceId, maxAttempts: maxMailAttempts },
    );
}

/** The job that mails to one owner that a webhook was switched off. */
export const disabledMailJobs = (mail: MailTransport, baseUrl: () => string): JobDefinition => ({
  kind: disabledMailJob,
  waitsFor: 'mail',
  concurrency: 1,
  async handle(server, { device_id, webhook_id, address, language, is_gone }) {
    const scope = server.device(Number(device_id));
    const webhook = await scope.first(webhooks, { where: { id: Number(webhook_id) } });
    if (!webhook?.disabled_at) return;
    const { host } = new URL(webhook.url);
    const garden = await deviceName(scope);
    const link = `${baseUrl()}/console/account?part=webhooks&webhook=${webhook.id}`;
    const recipient = { to: String(address), language: languageOf(language) };
    await mail.send(webhookDisabledMail(recipient, { garden, host, isGone: is_gone === true, link }));
  },
});
