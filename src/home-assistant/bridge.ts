import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { BrokerClient } from './broker-client.ts';
import { type Platforms, parsePlatforms, platformsOf, removalFrom } from './component-removal.ts';
import type { ShownGarden, ShownStatus } from './discovery.ts';
import {
  discoveryOf,
  discoveryTopic,
  photoTopic,
  stateOf,
  stateTopic,
  updateStateOf,
  updateTopic,
} from './discovery.ts';
import { parseCommand } from './garden-commands.ts';
import type { HomeAssistantRow } from './home-assistant-rows.ts';
import { homeAssistants } from './home-assistant-rows.ts';

/** Interval in which states are published, if they changed, in ms. */
const pollInterval = 2_000;
/** After this time another process publishes instead of one that was killed, in ms. */
const leaseTime = 8_000;
/** How long a command waits for the robot, in seconds. */
const commandWait = 60;

export interface BridgeOptions {
  readonly url: string;
  readonly server: () => ServerScope;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ownsDatabase: boolean;
  readonly readGarden: (scope: DeviceScope) => Promise<ShownGarden>;
  readonly robotState: (deviceId: number) => { readonly connected: boolean; readonly status: ShownStatus | null };
  readonly send: (scope: DeviceScope, program: object, wait: number) => Promise<unknown>;
  readonly sendEmergency: (scope: DeviceScope, kind: 'emergency_lock' | 'emergency_unlock') => Promise<unknown>;
}

/** A garden that is shown, and the messages that were published last, by topic. */
interface Shown {
  garden: ShownGarden | null;
  /** It changed since it was read. */
  isStale: boolean;
  /** The platforms of the components in the last discovery, of this or an earlier run. */
  components: Platforms;
  readonly published: Map<string, string>;
}

/** Shows gardens in Home Assistant. One process does so for all of them; another takes over when its lease expires. */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #identity = randomUUID();
  readonly #gardens = new Map<number, Shown>();
  #client: BrokerClient | null = null;
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> = Promise.resolve();
  #problem: string | null = null;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { server, ownsDatabase } = this.#options;
    if (ownsDatabase) await server().update(homeAssistants, { lease_by: null, lease_until: null }, {});
    this.#timer = setInterval(() => void this.wake(), pollInterval).unref();
    await this.wake();
  }

  /** Publishes what changed. Resolves when that is done; never rejects. */
  wake(): Promise<void> {
    this.#work = this.#work.then(async () => {
      if (!this.#timer) return;
      try {
        await this.#update();
      } catch (error) {
        this.#report(String(error));
      }
    });
    return this.#work;
  }

  /** Has a garden read again. */
  onChange(deviceId: number): void {
    const shown = this.#gardens.get(deviceId);
    if (shown) shown.isStale = true;
  }

  /** Whether this process is connected to Home Assistant's broker. */
  get isConnected(): boolean {
    return this.#client?.isConnected ?? false;
  }

  async stop(): Promise<void> {
    // What was removed a moment ago is not known after a restart.
    await this.wake();
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.#work;
    await this.#disconnect().catch(() => undefined);
    const { server } = this.#options;
    const released = { lease_by: null, lease_until: null };
    await server().update(homeAssistants, released, { where: { lease_by: this.#identity } });
  }

  async #update(): Promise<void> {
    const rows = await this.#options.server().rows(homeAssistants);
    const wanted = rows.filter((row) => (row.is_on && row.is_allowed) || row.is_published);
    if (this.#isLeasedByOther(wanted)) return this.#disconnect();
    if (!(await this.#lease(wanted))) return;
    const removed = [...this.#gardens.keys()].filter((id) => !rows.some(({ device_id }) => device_id === id));
    if (wanted.length === 0 && removed.length === 0) return this.#disconnect();
    this.#client ??= await BrokerClient.connect({
      url: this.#options.url,
      onReady: () => {
        this.#problem = null;
        for (const { published } of this.#gardens.values()) published.clear();
        void this.wake();
      },
      onCommand: (topic, payload) => this.#command(topic, payload),
      onRetained: (topic, payload) => this.#recognize(topic, payload),
      onError: (reason) => this.#report(reason),
    });
    if (!this.#client.isConnected) return;
    // Their accounts were deleted.
    for (const deviceId of removed) this.#remove(deviceId);
    for (const row of wanted) await (row.is_on && row.is_allowed ? this.#show(row) : this.#hide(row));
  }

  async #disconnect(): Promise<void> {
    this.#gardens.clear();
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  /** Whether another process shows the gardens. */
  #isLeasedByOther(rows: readonly HomeAssistantRow[]): boolean {
    const now = currentTimestamp(this.#options.clock);
    return rows.some(
      ({ lease_by, lease_until }) =>
        lease_by !== null && lease_by !== this.#identity && lease_until !== null && lease_until > now,
    );
  }

  /** Leases all rows; false: one was changed or deleted in between, so they must be read again. */
  async #lease(rows: readonly HomeAssistantRow[]): Promise<boolean> {
    const { server, clock } = this.#options;
    const lease = { lease_by: this.#identity, lease_until: timestamp(clock.now() + leaseTime) };
    for (const { id, lease_by, lease_until } of rows) {
      const claimed = await server().update(homeAssistants, lease, { where: { id, lease_by, lease_until } });
      if (claimed.length === 0) return false;
    }
    return true;
  }

  async #show(row: HomeAssistantRow): Promise<void> {
    const { server, readGarden, robotState } = this.#options;
    const deviceId = row.device_id;
    const shown = this.#gardens.get(deviceId) ?? { garden: null, isStale: false, components: {}, published: new Map() };
    if (!this.#gardens.has(deviceId)) this.#client?.read(discoveryTopic(deviceId));
    this.#gardens.set(deviceId, shown);
    if (!row.is_published) await server().update(homeAssistants, { is_published: true }, { where: { id: row.id } });
    const known = shown.isStale ? null : shown.garden;
    shown.isStale = false;
    const garden = known ?? (await readGarden(server().device(deviceId)));
    shown.garden = garden;
    const { connected, status } = robotState(deviceId);
    const discovery = discoveryOf(deviceId, garden);
    const removal = removalFrom(discovery, shown.components);
    if (removal) this.#publish(shown, discoveryTopic(deviceId), JSON.stringify(removal));
    this.#publish(shown, discoveryTopic(deviceId), JSON.stringify(discovery));
    shown.components = platformsOf(discovery);
    this.#publish(shown, stateTopic(deviceId), JSON.stringify(stateOf(garden, connected, status)));
    const update = updateStateOf(garden, status);
    if (update) this.#publish(shown, updateTopic(deviceId), JSON.stringify(update));
    if (garden.photo !== null) this.#publish(shown, photoTopic(deviceId), garden.photo);
  }

  /** Takes the discovery that an earlier run left, which may have components of records that were deleted since. */
  #recognize(topic: string, payload: string): void {
    for (const [deviceId, shown] of this.#gardens)
      if (topic === discoveryTopic(deviceId)) shown.components = { ...parsePlatforms(payload), ...shown.components };
  }

  #publish({ published }: Shown, topic: string, payload: string): void {
    if (published.get(topic) === payload) return;
    this.#client?.publish(topic, payload);
    published.set(topic, payload);
  }

  async #hide(row: HomeAssistantRow): Promise<void> {
    this.#remove(row.device_id);
    const hidden = { is_published: false, lease_by: null, lease_until: null };
    await this.#options.server().update(homeAssistants, hidden, { where: { id: row.id } });
  }

  /** Removes everything of a garden from the broker. */
  #remove(deviceId: number): void {
    this.#gardens.delete(deviceId);
    this.#client?.leave(discoveryTopic(deviceId));
    for (const topic of [discoveryTopic, stateTopic, updateTopic, photoTopic])
      this.#client?.publish(topic(deviceId), '');
  }

  #command(topic: string, payload: string): void {
    const command = parseCommand(topic, payload);
    if (!command || !this.#gardens.has(command.deviceId)) return;
    const { server, send, sendEmergency, log } = this.#options;
    const scope = server().device(command.deviceId);
    const { program } = command;
    const sent = typeof program === 'string' ? sendEmergency(scope, program) : send(scope, program, commandWait);
    sent.catch((error: unknown) =>
      log.warn({ device: command.deviceId, reason: String(error) }, 'a command of Home Assistant was refused'),
    );
  }

  /** Logs a problem, unless it is the one logged last. */
  #report(reason: string): void {
    if (reason === this.#problem) return;
    this.#problem = reason;
    this.#options.log.warn({ reason }, "Home Assistant's broker cannot be used");
  }
}
