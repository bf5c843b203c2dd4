import { setImmediate } from 'node:timers/promises';
import { trimmed } from '../db/change-cursors.ts';
import type { Selection, ServerScope } from '../db/scope.ts';
import { acrossDevices, only } from '../db/table.ts';
import type { Deliverer } from './deliverer.ts';
import { webhookDeliveries } from './deliveries.ts';
import { webhooks } from './webhook-resource.ts';

const activeOfAll = acrossDevices(only(webhooks, 'active'));

interface ActiveWebhook {
  readonly id: number;
  readonly deviceId: number;
  /** It reports what the robot does. */
  readonly listens: boolean;
  /** There may be something to deliver. */
  readonly hasWork: boolean;
}

const lastChange = `coalesce((select max(id) from changes where device_id = webhooks.device_id), (select position from change_cursors where device_id = webhooks.device_id and reader = '${trimmed}'), 0)`;

/** Read for many webhooks at a time: a statement or two for each would take a tenth of a core where a thousand gardens have one. */
const activeWebhook: Selection<ActiveWebhook> = {
  key: 'work',
  expressions: [
    '"id"',
    '"device_id"',
    '"robot_events"',
    `case when "cursor" < ${lastChange} or exists (select 1 from webhook_deliveries where webhook_id = webhooks.id and status = 'waiting') then 1 else 0 end`,
  ],
  read: ([id, deviceId, events, hasWork]) => ({
    id: Number(id),
    deviceId: Number(deviceId),
    listens: (JSON.parse(String(events)) as unknown[]).length > 0,
    hasWork: hasWork === 1,
  }),
};

/** Webhooks that are read at a time: a millisecond. */
const batchSize = 100;

/** Interval in which other processes' webhooks, and those of processes that ended, are found, in ms. */
const refreshInterval = 5000;

export interface ActiveWebhooksOptions {
  readonly server: () => ServerScope;
  readonly deliverer: Pick<Deliverer, 'enqueue'>;
  /** Returns the number of the newest change of the device. */
  readonly lastChange: (scope: ReturnType<ServerScope['device']>) => Promise<number>;
}

const devicesOf = (found: readonly ActiveWebhook[]): ReadonlySet<number> =>
  new Set(found.map(({ deviceId }) => deviceId));

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
      const found = await this.#readAll();
      this.#devices = devicesOf(found);
      this.#listeners = devicesOf(found.filter(({ listens }) => listens));
      for (const deviceId of devicesOf(found.filter(({ hasWork }) => hasWork))) this.onCommit(deviceId);
    } catch (error) {
      this.#warn(error);
    }
  }

  async #readAll(): Promise<readonly ActiveWebhook[]> {
    const found: ActiveWebhook[] = [];
    for (let count = batchSize; count === batchSize; ) {
      const where = { active: true, id: { gt: found.at(-1)?.id ?? 0 } };
      const read = await this.#options.server().select(activeOfAll, activeWebhook, { where, limit: batchSize });
      found.push(...read);
      count = read.length;
      // Requests that arrived meanwhile come first.
      if (count === batchSize) await setImmediate();
    }
    return found;
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
