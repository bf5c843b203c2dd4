import type { AccountsOffer } from '../accounts/offer.ts';
import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { ChangeLog } from '../db/change-log.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';
import { FetchFailure } from '../engine/server-fetch.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import type { JobDefinition, JobRun } from '../jobs/runner.ts';
import { collectChanges, reportReset } from './change-collection.ts';
import type { DeliveryRow } from './deliveries.ts';
import { trimDeliveries, webhookDeliveries } from './deliveries.ts';
import { sayOfDelivery } from './delivery-messages.ts';
import { deliveryBody } from './delivery-report.ts';
import { signatureHeaders } from './signature.ts';
import type { FailureDependencies } from './webhook-failures.ts';
import { afterFailure, reportDisabled } from './webhook-failures.ts';
import type { WebhookRow } from './webhook-resource.ts';
import { webhooks } from './webhook-resource.ts';

/** Deliver waiting changes in order; the second kind is for webhooks whose address failed or responded slowly, so that they take few slots. */
const deliveryJob = 'webhook_delivery';
const retryJob = 'webhook_retry';

type DeliveryKind = typeof deliveryJob | typeof retryJob;

const deliveryKinds: Readonly<Record<DeliveryKind, Omit<JobDefinition, 'handle'>>> = {
  // As many as a garden has by default.
  [deliveryJob]: { kind: deliveryJob, waitsFor: 'webhooks', perPerson: 10 },
  [retryJob]: { kind: retryJob, waitsFor: 'webhooks', concurrency: 10, perPerson: 3 },
};

/** After this time, in ms, an address has responded slowly. */
const slowTime = 1_000;

/** Whether an attempt took long. */
const isSlow = ({ duration }: Pick<DeliveryRow, 'duration'>): boolean => (duration ?? 0) > slowTime;

/** Returns the job that delivers waiting changes: by the last response of the address. */
export async function kindFor(
  scope: DeviceScope,
  { id, failing_since }: Pick<WebhookRow, 'id' | 'failing_since'>,
): Promise<DeliveryKind> {
  if (failing_since !== null) return retryJob;
  const [last] = await scope.rows(webhookDeliveries, {
    where: { webhook_id: id, status: 'delivered' },
    order: [['id', 'desc']],
    limit: 1,
  });
  return last && isSlow(last) ? retryJob : deliveryJob;
}

/** Attempts one delivery once, out of order. */
const attemptJob = 'webhook_attempt';

const fetchLimits = { maxBytes: 1024, timeout: 10_000 };

/** After this time a job lets others run, in ms. */
const maxTurn = 10_000;

export interface DelivererDependencies extends FailureDependencies {
  readonly clock: Clock;
  readonly fetch: ServerFetch;
  readonly changes: Pick<ChangeLog, 'find' | 'read' | 'lastId'>;
  /** Returns the resources that a user may read now; null: the user has no rights in this garden. */
  readonly readableBy: (scope: DeviceScope, userId: number) => Promise<((resource: string) => boolean) | null>;
  readonly accounts: AccountsOffer;
}

/** Work of one transaction to the next: a delivery, which the one job of the webhook attempts. */
interface Work {
  readonly webhook: WebhookRow;
  readonly delivery: DeliveryRow;
}

/** The result of an attempt. `removed`: there is nothing to deliver. `lost`: the log no longer has the change. */
type Outcome =
  | 'removed'
  | 'lost'
  | (Pick<DeliveryRow, 'response_status' | 'response_body' | 'error' | 'duration'> & { readonly isDelivered: boolean });

/** Posts deliveries: one at a time for each webhook, in their order. */
export class Deliverer {
  readonly #dependencies: DelivererDependencies;

  constructor(dependencies: DelivererDependencies) {
    this.#dependencies = dependencies;
  }

  get jobs(): readonly JobDefinition[] {
    return [
      ...([deliveryJob, retryJob] as const).map((kind): JobDefinition => {
        return { ...deliveryKinds[kind], handle: (server, payload, run) => this.#deliver(server, payload, kind, run) };
      }),
      {
        kind: attemptJob,
        waitsFor: 'webhooks',
        concurrency: 5,
        perPerson: 2,
        handle: (server, payload) => this.#attemptOnce(server, payload),
      },
    ];
  }

  /** Enqueues the delivery of waiting changes; a delivery in progress is followed by another look. */
  async enqueue(
    scope: DeviceScope,
    webhook: Pick<WebhookRow, 'id' | 'failing_since' | 'user_id'>,
    runAt?: string,
  ): Promise<void> {
    const { deviceId, server } = scope;
    await this.#dependencies.queue.enqueueSerial(
      server,
      await kindFor(scope, webhook),
      { device_id: deviceId, webhook_id: webhook.id },
      { deviceId, turnOf: webhook.user_id, serialKey: `webhook ${webhook.id}`, ...(runAt && { runAt }) },
    );
  }

  /** Whether the creator of a webhook has rights in the garden now. */
  async hasRights(scope: DeviceScope, { user_id }: WebhookRow): Promise<boolean> {
    return (await this.#dependencies.readableBy(scope, user_id)) !== null;
  }

  /** Whether a delivery still has something to report. */
  async canReport(scope: DeviceScope, { user_id }: WebhookRow, delivery: DeliveryRow): Promise<boolean> {
    const { changes, readableBy } = this.#dependencies;
    const readable = await readableBy(scope, user_id);
    return readable !== null && (await deliveryBody(scope, changes, delivery, readable)) !== null;
  }

  /** Enqueues a single attempt of a delivery. */
  async enqueueAttempt(
    { deviceId, server }: DeviceScope,
    { user_id: turnOf }: WebhookRow,
    delivery: DeliveryRow,
  ): Promise<void> {
    const payload = { device_id: deviceId, delivery_id: delivery.id };
    await this.#dependencies.queue.enqueueOnce(server, attemptJob, payload, { deviceId, turnOf });
  }

  async #deliver(server: ServerScope, payload: JobPayload, kind: DeliveryKind, run: JobRun): Promise<void> {
    const { serialKey, hold } = run;
    const scope = server.device(Number(payload.device_id));
    // An earlier release enqueued it: only the one job of the webhook delivers.
    if (serialKey === null) {
      const webhook = await scope.first(webhooks, { where: { id: Number(payload.webhook_id) } });
      if (webhook?.active) await this.enqueue(scope, webhook);
      return;
    }
    const { clock } = this.#dependencies;
    const end = clock.now() + maxTurn;
    // If another process took over while this one was suspended, its state counts.
    const step = (next: (inner: DeviceScope) => Promise<Work | null>): Promise<Work | null> =>
      scope.transaction(async (inner) => ((await hold(inner.server)) ? next(inner) : null));
    let work = await step((inner) => this.#next(inner, Number(payload.webhook_id)));
    while (work) {
      const current: Work = work;
      const outcome = await this.#attempt(scope, current);
      work = await step(async (inner) => {
        const webhook = await this.#store(inner, current, outcome);
        if (!webhook) return null;
        const isRightKind = kind === retryJob || typeof outcome === 'string' || !isSlow(outcome);
        if (isRightKind && clock.now() < end) return this.#next(inner, webhook.id);
        await this.enqueue(inner, webhook);
        return null;
      });
    }
  }

  /** Returns the next delivery of a webhook that may be attempted now. */
  async #next(scope: DeviceScope, id: number): Promise<Work | null> {
    const webhook = await scope.first(webhooks, { where: { id } });
    if (!webhook?.active) return null;
    if (webhook.next_attempt_at !== null && Date.parse(webhook.next_attempt_at) > this.#dependencies.clock.now()) {
      await this.enqueue(scope, webhook, webhook.next_attempt_at);
      return null;
    }
    const next = () => scope.first(webhookDeliveries, { where: { webhook_id: id, status: 'waiting' } });
    let delivery = await next();
    if (!delivery) {
      const { changes, readableBy } = this.#dependencies;
      const cursor = await collectChanges(scope, changes, webhook, await readableBy(scope, webhook.user_id));
      if (cursor !== webhook.cursor) await updateState(scope, webhook, { cursor });
      await trimDeliveries(scope, id);
      delivery = await next();
    }
    return delivery ? { webhook, delivery } : null;
  }

  /** Posts a delivery. Not in a transaction. Never rejects because of the address. */
  async #attempt(scope: DeviceScope, { webhook, delivery }: Work): Promise<Outcome> {
    const { clock, fetch, changes, readableBy, accounts } = this.#dependencies;
    const readable = await readableBy(scope, webhook.user_id);
    const body = readable && (await deliveryBody(scope, changes, delivery, readable));
    if (body === null) {
      const { change_id } = delivery;
      return readable && change_id !== null && !(await changes.find(scope, change_id)) ? 'lost' : 'removed';
    }
    const opens = await accounts.opensFor(scope);
    const start = clock.now();
    const message = { id: delivery.message_id, time: Math.floor(start / 1000), body };
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...signatureHeaders(message, secretsOf(webhook, start)),
    };
    const taken = () => clock.now() - start;
    try {
      const response = await fetch(webhook.url, fetchLimits, { body, headers, opens });
      const isDelivered = response.status >= 200 && response.status < 300;
      return {
        isDelivered,
        duration: taken(),
        response_status: response.status,
        // NUL cannot be stored.
        response_body: response.isPublic ? response.body.toString('utf8').replaceAll('\0', '\uFFFD') : null,
        error: isDelivered ? null : String(sayOfDelivery.responded(response.status)),
      };
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      return { ...nothingDelivered, duration: taken(), error: error.message };
    }
  }

  /** Stores the outcome of an attempt. Returns the webhook if the next delivery may follow. */
  async #store(scope: DeviceScope, { webhook: { id }, delivery }: Work, outcome: Outcome): Promise<WebhookRow | null> {
    const webhook = await scope.first(webhooks, { where: { id } });
    if (!webhook) return null;
    if (outcome === 'lost') {
      const cursor = await reportReset(scope, this.#dependencies.changes, webhook);
      return updateState(scope, webhook, { ...recovered, cursor });
    }
    const isDelivered = outcome === 'removed' || outcome.isDelivered;
    await storeOutcome(scope, delivery, outcome, isDelivered ? 'delivered' : null);
    if (!webhook.active) return null;
    if (isDelivered) return webhook.failing_since === null ? webhook : updateState(scope, webhook, recovered);
    const failed = afterFailure(webhook, outcome.response_status, this.#dependencies.clock.now());
    const changed = await updateState(scope, webhook, failed);
    if (!changed.active) await reportDisabled(scope, changed, outcome.response_status, this.#dependencies);
    else await this.enqueue(scope, changed, changed.next_attempt_at ?? undefined);
    return null;
  }

  /** Attempts a delivery once. If it succeeds, others that wait need not wait any longer. */
  async #attemptOnce(server: ServerScope, { device_id, delivery_id }: JobPayload): Promise<void> {
    const scope = server.device(Number(device_id));
    const delivery = await scope.first(webhookDeliveries, { where: { id: Number(delivery_id) } });
    const webhook = delivery && (await scope.first(webhooks, { where: { id: delivery.webhook_id } }));
    if (!delivery || !webhook) return;
    const attempted = await this.#attempt(scope, { webhook, delivery });
    // A request for it says so before; its row stays, as the result of an earlier attempt.
    const outcome = typeof attempted === 'string' ? nothingDelivered : attempted;
    const { isDelivered } = outcome;
    await scope.transaction(async (inner) => {
      await storeOutcome(inner, delivery, outcome, isDelivered ? 'delivered' : 'failed');
      await trimDeliveries(inner, webhook.id);
      const current = await inner.first(webhooks, { where: { id: webhook.id } });
      if (isDelivered && current?.active && current.failing_since !== null)
        await this.enqueue(inner, await updateState(inner, current, recovered));
    });
  }
}

const nothingDelivered: Exclude<Outcome, string> = {
  isDelivered: false,
  duration: null,
  response_status: null,
  response_body: null,
  error: String(sayOfDelivery.nothingLeft),
};

const recovered: Partial<WebhookRow> = { failing_since: null, attempts: 0, next_attempt_at: null };

/** Changes columns that requests do not show, or that the server sets: `updated_at` stays. */
export async function updateState(
  scope: DeviceScope,
  webhook: WebhookRow,
  changes: Partial<WebhookRow>,
): Promise<WebhookRow> {
  const values = { ...changes, updated_at: webhook.updated_at };
  const [row] = await scope.update(webhooks, values, { where: { id: webhook.id } });
  return row ?? webhook;
}

/** `status`: null to keep it, since a delivery that waits may have been abandoned during the attempt. */
async function storeOutcome(
  scope: DeviceScope,
  delivery: DeliveryRow,
  outcome: Outcome,
  status: string | null,
): Promise<void> {
  const where = { id: delivery.id };
  if (typeof outcome === 'string') {
    await scope.delete(webhookDeliveries, { where });
    return;
  }
  const { isDelivered: _is, ...result } = outcome;
  const attempt = { attempted_at: currentTimestamp(scope.clock), attempts: delivery.attempts + 1 };
  await scope.update(webhookDeliveries, { ...result, ...attempt, ...(status && { status }) }, { where });
}

/** The secrets that sign: after a rotation the previous one for a day, too. */
const secretsOf = ({ secret, previous_secret, previous_secret_until }: WebhookRow, now: number): readonly string[] =>
  previous_secret !== null && previous_secret_until !== null && Date.parse(previous_secret_until) > now
    ? [secret, previous_secret]
    : [secret];
