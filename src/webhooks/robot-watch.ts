import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { maxEntries } from '../core/cache-limits.ts';
import { timestamp } from '../core/clock.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { LiveOffer, RobotMessage } from '../live/offer.ts';
import type { ActiveWebhooks } from './active-webhooks.ts';
import type { Deliverer } from './deliverer.ts';
import { insertDeliveries, maxWaiting, webhookDeliveries } from './deliveries.ts';
import { said } from './robot-messages.ts';
import type { RobotEvent, WebhookRow } from './webhook-resource.ts';
import { webhooks } from './webhook-resource.ts';

export interface RobotWatchOptions {
  readonly live: LiveOffer;
  readonly server: () => ServerScope;
  readonly deliverer: Pick<Deliverer, 'enqueue' | 'hasRights'>;
  readonly active: Pick<ActiveWebhooks, 'listeners'>;
  /** Other processes see the same messages. */
  readonly isShared: boolean;
}

/** Interval in which it is checked which robots are connected, in ms. */
const checkInterval = 1000;
/** Requests to robots whose answers are awaited, for a day at most. */
const maxRequests = 10_000;
const requestTime = 24 * 3_600_000;
/** Events of one device that wait to be stored; further ones are dropped. */
const maxPending = 100;

/** Something that a robot did. `source`: the same in each process that saw it. */
interface Happened {
  readonly event: RobotEvent;
  readonly details: Readonly<Record<string, unknown>>;
  readonly source: string;
}

/** Reports actions of robots to the webhooks that name them. */
export class RobotWatch {
  readonly #options: RobotWatchOptions;
  readonly #locked = new Map<number, boolean>();
  readonly #connected = new Map<number, boolean>();
  readonly #requests = new LRUCache<string, readonly number[]>({ ...maxEntries(maxRequests), ttl: requestTime });
  readonly #pending = new Map<number, { count: number; last: Promise<void> }>();
  #unsubscribe: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: RobotWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#unsubscribe = this.#options.live.robotMessages.observe((message) => this.#receive(message));
    this.#timer = setInterval(() => this.check(), checkInterval);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    if (this.#timer) clearInterval(this.#timer);
    await Promise.all([...this.#pending.values()].map(({ last }) => last));
  }

  /** Finds robots that connected or disconnected; also called for a webhook that was just created. */
  check(): void {
    const { active, live } = this.#options;
    for (const deviceId of active.listeners()) {
      this.#checkPresence(deviceId);
      // A robot that rests says nothing before it is stopped.
      const locked = this.#locked.has(deviceId) ? null : live.directory.state(deviceId).status?.locked;
      if (typeof locked === 'boolean') this.#locked.set(deviceId, locked);
    }
    for (const known of [this.#connected, this.#locked])
      for (const deviceId of known.keys()) if (!active.listeners().has(deviceId)) known.delete(deviceId);
  }

  #checkPresence(deviceId: number): void {
    const isConnected = this.#options.live.directory.robots(deviceId).length > 0;
    const was = this.#connected.get(deviceId);
    this.#connected.set(deviceId, isConnected);
    // Unknown after a start, and for the first webhook.
    if (was === undefined || was === isConnected) return;
    this.#report(deviceId, { event: isConnected ? 'connected' : 'disconnected', details: {}, source: '' });
  }

  #receive(message: RobotMessage): void {
    const { deviceId } = message;
    if (!this.#options.active.listeners().has(deviceId)) return;
    // That a robot connected is reported before its later actions.
    this.#checkPresence(deviceId);
    const what = said(message);
    if (!what) return;
    const source = createHash('sha256').update(message.payload).digest('base64url');
    if (what.kind === 'locked') {
      const was = this.#locked.get(deviceId);
      this.#locked.set(deviceId, what.locked);
      if (was === false && what.locked) this.#report(deviceId, { event: 'emergency_stop', details: {}, source });
    } else if (what.kind === 'error_log')
      this.#report(deviceId, { event: 'error_log', details: { message: what.message }, source });
    else if (what.kind === 'execute') this.#requests.set(`${deviceId} ${what.label}`, what.sequenceIds);
    else {
      const sequence_ids = this.#requests.get(`${deviceId} ${what.label}`);
      if (!sequence_ids) return;
      this.#requests.delete(`${deviceId} ${what.label}`);
      const { label, result, message: explanation } = what;
      this.#report(deviceId, {
        event: 'sequence_finished',
        details: { sequence_ids, label, result, message: explanation },
        source,
      });
    }
  }

  /** Stores the deliveries of an event, after the deliveries of earlier events of the device. */
  #report(deviceId: number, happened: Happened): void {
    const entry = this.#pending.get(deviceId) ?? { count: 0, last: Promise.resolve() };
    if (entry.count >= maxPending) return;
    const { server } = this.#options;
    entry.count++;
    entry.last = entry.last
      .then(() =>
        server()
          .device(deviceId)
          .transaction((scope) => this.#store(scope, happened)),
      )
      .catch((error: unknown) =>
        server().log.warn({ device: deviceId, reason: String(error) }, 'an event of a robot could not be reported'),
      )
      .finally(() => {
        entry.count--;
        if (entry.count === 0) this.#pending.delete(deviceId);
      });
    this.#pending.set(deviceId, entry);
  }

  async #store(scope: DeviceScope, { event, details, source }: Happened): Promise<void> {
    const { deliverer, isShared } = this.#options;
    const now = scope.clock.now();
    const type = `robot.${event}`;
    const content = { event, at: timestamp(now), ...details };
    const seen = createHash('sha256')
      .update(`${type} ${source} ${Math.floor(now / 60_000)}`)
      .digest('base64url');
    for (const webhook of await scope.rows(webhooks, { where: { active: true } })) {
      if (!webhook.robot_events.includes(event) || !(await deliverer.hasRights(scope, webhook))) continue;
      const own = { webhook_id: webhook.id };
      if ((await scope.count(webhookDeliveries, { where: { ...own, status: 'waiting' } })) >= maxWaiting) continue;
      const id = isShared && source !== '' ? `msg_${webhook.id}_${seen}` : undefined;
      if (id !== undefined && (await scope.first(webhookDeliveries, { where: { ...own, message_id: id } }))) continue;
      if (isShared && source === '' && (await lastPresence(scope, webhook)) === type) continue;
      await insertDeliveries(scope, webhook.id, [{ type, content, ...(id !== undefined && { id }) }]);
      await deliverer.enqueue(scope, webhook);
    }
  }
}

/** Returns the last report of the robot's connection. */
async function lastPresence(scope: DeviceScope, { id }: WebhookRow): Promise<string | undefined> {
  const types = ['robot.connected', 'robot.disconnected'];
  const where = { webhook_id: id, type: types };
  return (await scope.first(webhookDeliveries, { where, order: [['id', 'desc']] }))?.type;
}
