import type { ServerScope } from '../db/scope.ts';
import { acrossDevices, only } from '../db/table.ts';
import type { Deliverer } from './deliverer.ts';
import { webhookDeliveries } from './deliveries.ts';
import { webhooks } from './webhook-resource.ts';

const activeOfAll = acrossDevices(only(webhooks, 'device_id', 'active', 'robot_events'));

/** Interval in which other processes' webhooks, and those of processes that ended, are found, in ms. */
const refreshInterval = 5000;

export interface ActiveWebhooksOptions {
  readonly server: () => ServerScope;
  readonly deliverer: Pick<Deliverer, 'enqueue'>;
  /** Returns the number of the newest change of the device. */
  readonly lastChange: (scope: ReturnType<ServerScope['device']>) => Promise<number>;
}

/** Enqueues the delivery of changes of devices that have an active webhook; other devices cost nothing. */
export class ActiveWebhooks {
  readonly #options: ActiveWebhooksOptions;
  #devices: ReadonlySet<number> = new Set();
  #listeners: ReadonlySet<number> = new Set();
  /** Devices that are checked at the moment; true: once more afterwards. */
  readonly #checks = new Map<number, boolean>();
  #running: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: ActiveWebhooksOptions) {
    this.#options = options;
  }

  /** Finds what an earlier run left, and from then on regularly what other processes left. */
  async start(): Promise<void> {
    await this.#refresh();
    this.#timer = setInterval(() => void this.#refresh(), refreshInterval);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.#running;
  }

  /** Returns the devices whose webhooks report what the robot does. */
  listeners(): ReadonlySet<number> {
    return this.#listeners;
  }

  /** Called after a commit that changed webhooks of a device. */
  onWebhooksChanged(deviceId: number): void {
    this.#devices = new Set([...this.#devices, deviceId]);
    this.#listeners = new Set([...this.#listeners, deviceId]);
    this.onCommit(deviceId);
  }

  /** Called after a commit that changed records of a device. */
  onCommit(deviceId: number): void {
    if (!this.#devices.has(deviceId)) return;
    const isRunning = this.#checks.has(deviceId);
    this.#checks.set(deviceId, isRunning);
    if (isRunning) return;
    const check = this.#check(deviceId);
    this.#running = this.#running.then(() => check);
  }

  async #refresh(): Promise<void> {
    try {
      const rows = await this.#options.server().rows(activeOfAll, { where: { active: true } });
      this.#devices = new Set(rows.map(({ device_id }) => device_id));
      const listening = rows.filter(({ robot_events }) => robot_events.length > 0);
      this.#listeners = new Set(listening.map(({ device_id }) => device_id));
    } catch (error) {
      this.#warn(error);
    }
    for (const deviceId of this.#devices) this.onCommit(deviceId);
  }

  async #check(deviceId: number): Promise<void> {
    do {
      this.#checks.set(deviceId, false);
      await this.#enqueue(deviceId).catch((error: unknown) => this.#warn(error));
    } while (this.#checks.get(deviceId));
    this.#checks.delete(deviceId);
  }

  async #enqueue(deviceId: number): Promise<void> {
    const { server, deliverer, lastChange } = this.#options;
    const scope = server().device(deviceId);
    const now = scope.clock.now();
    const isPast = (time: string | null): boolean => time === null || Date.parse(time) <= now;
    const active = await scope.rows(webhooks, { where: { active: true } });
    // One that delivers looks for more before it ends; one that waits for its next attempt has a job.
    const idle = active.filter(({ lease_until, next_attempt_at }) => isPast(lease_until) && isPast(next_attempt_at));
    if (idle.length === 0) return;
    const last = await lastChange(scope);
    for (const webhook of idle) {
      const waiting = { webhook_id: webhook.id, status: 'waiting' };
      if (webhook.cursor < last || (await scope.first(webhookDeliveries, { where: waiting, limit: 1 })))
        await deliverer.enqueue(scope, webhook);
    }
  }

  #warn(error: unknown): void {
    this.#options.server().log.warn({ reason: String(error) }, 'webhooks could not be read; the server tries again');
  }
}
