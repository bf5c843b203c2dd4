import type { AccountsOffer } from '../accounts/offer.ts';
import { timestamp } from '../core/clock.ts';
import type { Language } from '../core/languages.ts';
import { languageOf } from '../core/languages.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { ownDevice } from '../device/devices.ts';
import type { DeviceOffer } from '../device/offer.ts';
import type { FetchRequest, ServerFetch } from '../engine/server-fetch.ts';
import { FetchFailure } from '../engine/server-fetch.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { Recipient } from '../mail/message.ts';
import { maxMailAttempts } from '../mail/message.ts';
import { notificationMail } from '../mail/notification.ts';
import type { MailTransport } from '../mail/transport.ts';
import { signatureHeaders } from '../webhooks/signature.ts';
import { notifications } from './notification-resource.ts';
import type { RuleRow } from './notification-rules.ts';
import { notificationRules } from './notification-rules.ts';
import { sentenceOf } from './notification-words.ts';
import { afterQuietHours } from './quiet-hours.ts';
import type { PushIdentity } from './web-push.ts';
import { encryptPush } from './web-push.ts';

/** Jobs that deliver one notification by one rule: to other servers, and by mail. Their payloads have ids only. */
const postJob = 'notification_post';
const mailJob = 'notification_mail';

/** Pauses before further attempts to post, in ms; a notification that is a day old is of no use. */
const pauses = [10_000, 60_000, 10 * 60_000, 3_600_000, 4 * 3_600_000] as const;

const fetchLimits = { maxBytes: 1024, timeout: 10_000 };

/** Statuses with which a push service says that a browser no longer takes messages, or those of another key. */
const endedStatuses: ReadonlySet<number> = new Set([401, 403, 404, 410]);

interface DeliveryPayload extends JobPayload {
  readonly rule_id: number;
  /** Null: a test. */
  readonly notification_id: number | null;
  readonly attempt: number;
}

/** The earliest time of a delivery (ms), and the time zone of the rule's quiet hours. */
interface EarliestTime {
  readonly at: number;
  readonly zone: string | null;
}

/** Enqueues the delivery of a notification by a rule, after its quiet hours, in the caller's transaction. A test is delivered at once. */
export async function enqueueDelivery(
  { server, deviceId }: DeviceScope,
  queue: JobQueue,
  rule: RuleRow,
  payload: DeliveryPayload,
  earliest?: EarliestTime,
): Promise<void> {
  const { way, user_id: turnOf } = rule;
  const isMail = way === 'email';
  const runAt = earliest && timestamp(afterQuietHours(rule, earliest.zone ?? 'UTC', earliest.at));
  const options = { deviceId, turnOf, ...(runAt && { runAt }), ...(isMail && { maxAttempts: maxMailAttempts }) };
  const job = [server, isMail ? mailJob : postJob, { device_id: deviceId, ...payload }, options] as const;
  // Clicks on the button for a test send one.
  await (payload.notification_id === null ? queue.enqueueOnce(...job) : queue.enqueue(...job));
}

export interface DelivererDependencies {
  readonly queue: JobQueue;
  readonly fetch: ServerFetch;
  readonly mail: MailTransport;
  readonly accounts: AccountsOffer;
  readonly device: Pick<DeviceOffer, 'localTime'>;
  readonly identity: PushIdentity;
  /** Returns the server's address, without a slash at the end. */
  readonly baseUrl: () => string;
}

/** A notification for one person. */
interface Delivery {
  readonly scope: DeviceScope;
  readonly rule: RuleRow;
  readonly recipient: Recipient;
  readonly garden: string;
  readonly zone: string | null;
  readonly sentence: string;
  readonly link: string;
  /** The notification as JSON. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** The jobs that deliver notifications. */
export function deliveryJobs(dependencies: DelivererDependencies): readonly JobDefinition[] {
  return [
    {
      kind: mailJob,
      waitsFor: 'mail',
      concurrency: 2,
      perPerson: 1,
      async handle(server, payload) {
        const delivery = await find(dependencies, server, payload);
        if (!delivery) return;
        const { recipient, garden, sentence, link } = delivery;
        await dependencies.mail.send(notificationMail(recipient, garden, sentence, link));
      },
    },
    {
      kind: postJob,
      waitsFor: 'webhooks',
      concurrency: 10,
      perPerson: 2,
      async handle(server, payload) {
        const delivery = await find(dependencies, server, payload);
        if (delivery) await post(dependencies, delivery, payload as DeliveryPayload);
      },
    },
  ];
}

/** Returns what a job delivers; null if its rule or notification was deleted, or its person may no longer read it. */
async function find(
  { accounts, device, baseUrl }: DelivererDependencies,
  server: ServerScope,
  { device_id, rule_id, notification_id }: JobPayload,
): Promise<Delivery | null> {
  const scope = server.device(Number(device_id));
  const rule = await scope.first(notificationRules, { where: { id: Number(rule_id) } });
  const isTest = notification_id === null;
  if (!rule || !(rule.active || isTest) || (await accounts.rightsOf(scope, rule.user_id)) === null) return null;
  const recipient = await accounts.recipientOf(server, rule.user_id);
  if (!recipient) return null;
  const found = isTest ? null : await scope.first(notifications, { where: { id: Number(notification_id) } });
  if (found === undefined) return null;
  const { name: garden, timezone: zone } = await ownDevice(scope);
  const language: Language = languageOf(recipient.language);
  const time = found && device.localTime(zone, Date.parse(found.at), language);
  const sentence = sentenceOf(found && { ...found, time: time ?? '' }, language);
  const link = `${baseUrl()}/console/logs`;
  const { id = null, kind = 'test', at = timestamp(scope.clock.now()) } = found ?? {};
  return { scope, rule, recipient, garden, zone, sentence, link, data: { id, kind, at, garden, message: sentence } };
}

/** Returns the request that delivers to the address of a rule. */
function requestFor(
  { rule, garden, sentence, link, data }: Delivery,
  { identity, baseUrl }: DelivererDependencies,
  now: number,
): Omit<FetchRequest, 'opens'> & { readonly body: string | Buffer } {
  const { way, address, push_keys: keys, secret, id } = rule;
  if (way === 'web_push' && keys && address !== null) {
    const text = JSON.stringify({ title: garden.slice(0, 200), body: sentence, link: new URL(link).pathname });
    const body = encryptPush(text, keys);
    return { body, headers: { ...identity.headers(address, baseUrl(), now), 'content-length': String(body.length) } };
  }
  const sized = (body: string, headers: Readonly<Record<string, string>>) => ({
    body,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
  });
  if (way === 'ntfy')
    return sized(sentence, {
      'content-type': 'text/plain; charset=utf-8',
      // Headers are ASCII: ntfy takes encoded words. [RFC 2047]
      title: `=?UTF-8?B?${Buffer.from(garden.slice(0, 100)).toString('base64')}?=`,
      click: link,
      tags: data.kind === 'message' ? 'seedling' : 'warning',
      priority: data.kind === 'message' ? '3' : '4',
      ...(secret !== null && { authorization: `Bearer ${secret}` }),
    });
  const body = JSON.stringify({ type: 'notification', timestamp: timestamp(now), data: { ...data, link } });
  const message = { id: `ntf_${id}_${String(data.id ?? now)}`, time: Math.floor(now / 1000), body };
  return sized(body, {
    'content-type': 'application/json',
    ...signatureHeaders(message, secret === null ? [] : [secret]),
  });
}

/** Posts a delivery. A failure is kept in the rule, and the next attempt is another job: addresses of persons are no faults of the server. */
async function post(dependencies: DelivererDependencies, delivery: Delivery, payload: DeliveryPayload): Promise<void> {
  const { scope, rule, zone } = delivery;
  const opens = await dependencies.accounts.opensFor(scope);
  const request = requestFor(delivery, dependencies, scope.clock.now());
  const failure = await send(dependencies.fetch, rule.address ?? '', { ...request, opens });
  const where = { id: rule.id };
  await scope.transaction(async (inner) => {
    if (failure !== null && rule.way === 'web_push' && endedStatuses.has(failure.status)) {
      await inner.delete(notificationRules, { where });
      return;
    }
    const last_error = failure?.reason ?? null;
    if (last_error !== rule.last_error)
      await inner.update(notificationRules, { last_error, updated_at: rule.updated_at }, { where });
    const pause = pauses[payload.attempt];
    if (failure === null || pause === undefined || payload.notification_id === null) return;
    const { rule_id, notification_id, attempt } = payload;
    const next = { rule_id, notification_id, attempt: attempt + 1 };
    await enqueueDelivery(inner, dependencies.queue, rule, next, { at: scope.clock.now() + pause, zone });
  });
}

/** Posts to an address. Returns why it was not accepted, without a part of the address; null if it was. */
async function send(
  fetch: ServerFetch,
  address: string,
  request: FetchRequest,
): Promise<{ readonly status: number; readonly reason: string } | null> {
  try {
    const { status } = await fetch(address, fetchLimits, request);
    return status >= 200 && status < 300 ? null : { status, reason: `HTTP ${status}` };
  } catch (error) {
    if (error instanceof FetchFailure) return { status: 0, reason: error.message };
    throw error;
  }
}
