import { timestamp } from '../core/clock.ts';
import type { FieldFailures } from '../core/errors.ts';
import { notFound, refused } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import { find } from '../engine/records.ts';
import type { Input } from '../engine/resource.ts';
import { parseId, resourceRoutes } from '../engine/resource-routes.ts';
import type { DeviceRoute, RouteBody } from '../engine/route.ts';
import { jsonReply, Reply } from '../engine/route.ts';
import { recordSchema } from '../engine/schemas.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { Deliverer } from './deliverer.ts';
import { updateState } from './deliverer.ts';
import {
  abandonDeliveries,
  assertRoomToSend,
  deliveryRecord,
  deliverySchema,
  insertDeliveries,
  webhookDeliveries,
} from './deliveries.ts';
import { deliveryRequests } from './delivery-schemas.ts';
import { say } from './messages.ts';
import type { WebhookRow } from './webhook-resource.ts';
import { newSecret, resourcesField, webhooks } from './webhook-resource.ts';

/** How long a secret signs after it was replaced, in ms. */
const overlap = 24 * 3_600_000;

const secretExample = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

const secretSchema = Type.String({
  description: 'Signs the deliveries. It is never shown again.',
  pattern: '^whsec_',
  examples: [secretExample],
});

const passwordProperty = {
  password: Type.Optional(Type.String({ description: 'Your password, unless you signed in within the last hour.' })),
};

export interface RouteDependencies {
  readonly deliverer: Pick<Deliverer, 'enqueue' | 'enqueueAttempt' | 'canReport'>;
  readonly quotas: Quotas;
  /** The names of all logged resources. */
  readonly resourceNames: readonly string[];
  /** Returns the number of the newest change of the device. */
  readonly lastChange: (scope: DeviceScope) => Promise<number>;
  /** Whether the garden's webhooks can never reach this address, as far as the address alone shows. */
  readonly isClosed: (scope: DeviceScope, url: string) => Promise<boolean>;
  /** Called after a commit that may have made a webhook active. */
  readonly onChanged: (deviceId: number) => void;
}

/** Returns the routes of webhooks and of their deliveries. All that change something ask for the password. [ADR 54] */
export function webhookRoutes(dependencies: RouteDependencies): DeviceRoute[] {
  const { deliverer } = dependencies;
  const common = { access: 'token', tag: 'Webhooks', addition: true } as const;
  const body = { rule: 'optional', schema: Type.Object(passwordProperty) } as const;
  const confirmed = { ...common, method: 'POST', confirms: true, body } as const;
  const path = `/api/${webhooks.name}/:id`;
  const own = (scope: DeviceScope, id: string | undefined): Promise<WebhookRow> =>
    find(scope, webhooks, parseId(id, webhooks.singular));
  return [
    ...recordRoutes(dependencies),
    {
      ...confirmed,
      path: `${path}/secret`,
      summary: 'Replace the secret of a webhook',
      description:
        'Returns a new secret, which is never shown again. For 24 hours deliveries are signed with the old one, too.',
      replies: { 200: Type.Object({ secret: secretSchema }) },
      async handle(scope, call) {
        const webhook = await own(scope, call.params.id);
        const secret = newSecret();
        const until = timestamp(scope.clock.now() + overlap);
        await updateState(scope, webhook, { secret, previous_secret: webhook.secret, previous_secret_until: until });
        return { secret };
      },
    },
    {
      ...confirmed,
      path: `${path}/test`,
      summary: 'Send a test to a webhook',
      description:
        'Delivers a message of the type `test` once, out of order, also if the webhook is not active. Returns the delivery, whose result is in the list of deliveries a moment later. If it succeeds, what waits for a further attempt is delivered at once.',
      replies: { 200: deliverySchema, 422: fieldFailuresSchema },
      async handle(scope, call) {
        const webhook = await own(scope, call.params.id);
        const { id } = webhook;
        await assertRoomToSend(scope);
        const [delivery] = await insertDeliveries(
          scope,
          id,
          [{ type: 'test', content: { webhook_id: id } }],
          'sending',
        );
        if (!delivery) throw notFound(webhooks.singular);
        await deliverer.enqueueAttempt(scope, webhook, delivery);
        return deliveryRecord(delivery);
      },
    },
    {
      ...common,
      method: 'GET',
      path: `${path}/deliveries`,
      summary: 'List the deliveries of a webhook',
      description:
        'Returns what waits to be delivered, and the last 100 deliveries, newest first, with their last responses. Changes that follow those that wait are still in the change log only.',
      replies: { 200: Type.Array(deliverySchema) },
      async handle(scope, call) {
        const { id } = await own(scope, call.params.id);
        const rows = await scope.rows(webhookDeliveries, { where: { webhook_id: id }, order: [['id', 'desc']] });
        return rows.map(deliveryRecord);
      },
    },
    {
      ...confirmed,
      path: `${path}/deliveries/:delivery_id/redeliver`,
      params: Type.Object({ delivery_id: Type.Integer({ minimum: 1 }) }),
      summary: 'Deliver again',
      description:
        'Delivers once more, out of order and with the same `webhook-id`; a delivery that waits for its next attempt is attempted now. Returns the delivery. 422 if the change log no longer has the change, or the creator of the webhook may no longer read it.',
      replies: { 200: deliverySchema, 422: fieldFailuresSchema },
      async handle(scope, call) {
        const webhook = await own(scope, call.params.id);
        const what = 'Webhook delivery';
        const id = parseId(call.params.delivery_id, what);
        const delivery = await scope.first(webhookDeliveries, { where: { id, webhook_id: webhook.id } });
        if (!delivery) throw notFound(what);
        if (delivery.status === 'waiting') {
          const state = await updateState(scope, webhook, { next_attempt_at: null });
          await deliverer.enqueue(scope, state);
          return deliveryRecord(delivery);
        }
        if (!(await deliverer.canReport(scope, webhook, delivery))) throw refused(say.nothingToDeliver);
        // One that was left is attempted once only.
        if (delivery.status !== 'sending') await assertRoomToSend(scope);
        const [sending] = await scope.update(webhookDeliveries, { status: 'sending' }, { where: { id } });
        await deliverer.enqueueAttempt(scope, webhook, delivery);
        return deliveryRecord(sending ?? delivery);
      },
    },
  ];
}

/** Returns the routes of the records themselves. */
function recordRoutes({ quotas, resourceNames, lastChange, isClosed, onChanged }: RouteDependencies): DeviceRoute[] {
  const prepare = async (
    scope: DeviceScope,
    input: Input<typeof webhooks.fields>,
    before: WebhookRow | undefined,
    _body: Body,
  ): Promise<FieldFailures> => {
    if (!before) await quotas.assertRoom(scope, 'webhooks');
    if (!before) Object.assign(input, { secret: newSecret() });
    if (input.url !== undefined && input.url !== before?.url) {
      if (await isClosed(scope, input.url)) return { url: sayOfField.privateAddress(labelOf('url', labels.address)) };
      // The user who sets the address sends data there.
      Object.assign(input, { user_id: scope.userId ?? 0 });
    }
    const isStarted = input.active ?? before?.active;
    if (isStarted && !before?.active) Object.assign(input, { cursor: await lastChange(scope), disabled_at: null });
    else if (!before) Object.assign(input, { cursor: 0 });
    if (before?.active && !isStarted) await abandonDeliveries(scope, before.id);
    // The next attempt is made with the changed webhook.
    if (before && Object.keys(input).length > 0)
      Object.assign(input, { failing_since: null, attempts: 0, next_attempt_at: null });
    scope.afterCommit(() => onChanged(scope.deviceId));
    return {};
  };
  const fields = { ...webhooks.fields, resources: resourcesField(resourceNames) };
  const checked = { ...webhooks, fields, options: { ...webhooks.options, fields, hooks: { prepare } } };
  return resourceRoutes(checked).map((route): DeviceRoute => {
    if (route.method === 'GET') return route;
    const confirming: DeviceRoute = { ...route, confirms: true, body: withPassword(route.body) };
    return route.method === 'POST' ? { ...withSecret(confirming), sends: deliveryRequests(resourceNames) } : confirming;
  });
}

/** Adds the password to a body. */
function withPassword(body: RouteBody | undefined): RouteBody {
  const { properties } = Type.Object(passwordProperty);
  if (!body) return { rule: 'optional', schema: Type.Object(passwordProperty) };
  return {
    ...body,
    schema: { ...body.schema, properties: { ...(body.schema.properties as object), ...(properties as object) } },
  };
}

/** Adds the secret to the response of a create. */
function withSecret(route: DeviceRoute): DeviceRoute {
  const { properties, examples, ...schema } = recordSchema(webhooks);
  const [example] = examples as readonly object[];
  const created: JsonSchema = {
    ...schema,
    $id: 'NewWebhook',
    properties: { ...(properties as object), secret: secretSchema },
    examples: [{ ...example, secret: secretExample }],
  };
  return {
    ...route,
    description: `${route.description} The response has the secret, which is never shown again.`,
    replies: { 200: created },
    async handle(scope, call) {
      const reply = await route.handle(scope, call);
      if (!(reply instanceof Reply)) throw new Error('a create replies with a record');
      const { id } = JSON.parse(reply.text) as { id: number };
      const { secret } = await find(scope, webhooks, id);
      return jsonReply(`${reply.text.slice(0, -1)},"secret":${JSON.stringify(secret)}}`);
    },
  };
}
