import { setImmediate } from 'node:timers/promises';
import { currentTimestamp } from '../core/clock.ts';
import { trimmed } from '../db/change-cursors.ts';
import type { Selection, ServerScope } from '../db/scope.ts';
import { acrossDevices, only } from '../db/table.ts';
import type { Deliverer } from './deliverer.ts';
import { webhooks } from './webhook-resource.ts';

const activeWebhooks = only(webhooks, 'active', 'next_attempt_at');
const activeOfAll = acrossDevices(activeWebhooks);

/** The facts that decide whether a webhook is delivered: for one device after its commits, and regularly for all. */
interface ActiveWebhook {
  readonly id: number;
  readonly deviceId: number;
  /** It reports actions of the robot. */
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

/** Interval in which other processes' webhooks, and webhooks of ended processes, are found, in ms. */
const refreshInterval = 5000;

export interface ActiveWebhooksOptions {
  readonly server: () => ServerScope;
  readonly deliverer: Pick<Deliverer, 'enqueue'>;
}

const devicesOf = (found: readonly ActiveWebhook[]): ReadonlySet<number> =>
  new Set(found.map(({ deviceId }) => deviceId));

/** Enqueues the delivery of changes of devices that have an active webhook; other devices cost nothing. */
export class ActiveWebhooks {
  readonly #options: ActiveWebhooksOptions;
  #devices: ReadonlySet<number> = new Set();
  #listeners: ReadonlySet<number> = new Set();
  /** Devices that are being checked; true: they must be checked again. */
  readonly #checks = new Map<number, boolean>();
  #running: Promise<void> = Promise.resolve();
  #refreshing: Promise<void> | null = null;
  /** Devices whose webhooks changed during a refresh, which may have read them before. */
  readonly #changed = new Set<number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: ActiveWebhooksOptions) {
    this.#options = options;
  }

  /** Finds deliveries of an earlier run, and from then on regularly deliveries that other processes left. */
  async start(): Promise<void> {
    await this.#refresh();
    this.#timer = setInterval(() => void this.#refresh(), refreshInterval);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.#refreshing;
    await this.#running;
  }

  /** Returns the devices whose webhooks report actions of the robot. */
  listeners(): ReadonlySet<number> {
    return this.#listeners;
  }

  /** Called after a commit that changed webhooks of a device. */
  onWebhooksChanged(deviceId: number): void {
    if (this.#refreshing) this.#changed.add(deviceId);
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

  #refresh(): Promise<void> {
    this.#refreshing ??= this.#findAll().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #findAll(): Promise<void> {
    this.#changed.clear();
    try {
      const found = await this.#readAll();
      this.#devices = new Set([...devicesOf(found), ...this.#changed]);
      this.#listeners = new Set([...devicesOf(found.filter(({ listens }) => listens)), ...this.#changed]);
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
      // Requests that have arrived come first.
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
    const { server, deliverer } = this.#options;
    const scope = server().device(deviceId);
    // One that waits for its next attempt has a job.
    const where = { active: true, next_attempt_at: { nullOrLt: currentTimestamp(scope.clock) } };
    const found = await scope.select(activeWebhooks, activeWebhook, { where });
    const ids = found.filter(({ hasWork }) => hasWork).map(({ id }) => id);
    if (ids.length === 0) return;
    for (const webhook of await scope.rows(webhooks, { where: { id: ids } })) await deliverer.enqueue(scope, webhook);
  }

  #warn(error: unknown): void {
    this.#options.server().log.warn({ reason: String(error) }, 'webhooks could not be read; the server tries again');
  }
}
