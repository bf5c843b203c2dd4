import { PollLoop } from '../core/poll-loop.ts';
import { Lease } from '../db/lease.ts';
import type { Bridge, BridgeOptions } from './bridge.ts';
import { BrokerClient } from './broker-client.ts';
import { CommandRunner } from './command-runner.ts';
import { parseCommand } from './garden-commands.ts';
import { GardenPublisher } from './garden-publisher.ts';
import { availabilityTopic, discoveryTopic } from './garden-topics.ts';
import type { HomeAssistantRow } from './home-assistant-rows.ts';
import { homeAssistants } from './home-assistant-rows.ts';

/** Interval in which states are published, if they changed, in ms. */
const pollInterval = 2_000;
/** After this time another process publishes instead of one that was killed, in ms. */
const leaseDuration = 8_000;

export interface ExternalBridgeOptions extends BridgeOptions {
  /** Home Assistant's broker, as `mqtt://user:password@host:port`. */
  readonly url: string;
  readonly ownsDatabase: boolean;
}

/** Shows gardens on Home Assistant's own broker. One process does so for all of them; another takes over when its lease expires. */
export class ExternalBridge implements Bridge {
  readonly #options: ExternalBridgeOptions;
  readonly #lease: Lease<HomeAssistantRow>;
  readonly #publisher: GardenPublisher;
  readonly #commands: CommandRunner;
  readonly #loop: PollLoop;
  #client: BrokerClient | null = null;
  /** In ms since the epoch. */
  #leasedUntil = 0;
  #problem: string | null = null;

  constructor(options: ExternalBridgeOptions) {
    this.#options = options;
    this.#lease = new Lease(homeAssistants, leaseDuration, options.clock);
    this.#publisher = new GardenPublisher({
      ...options,
      availabilityTopic: () => availabilityTopic,
      publish: (topic, payload) => this.#client?.publish(topic, payload),
    });
    this.#commands = new CommandRunner(options);
    this.#loop = new PollLoop({
      interval: pollInterval,
      work: () => this.#update(),
      onError: (error) => this.#report(String(error)),
    });
  }

  async start(): Promise<void> {
    const { server, ownsDatabase } = this.#options;
    if (ownsDatabase) await this.#lease.releaseAll(server());
    await this.#loop.start();
  }

  wake(): Promise<void> {
    return this.#loop.wake();
  }

  onChange(deviceId: number): void {
    this.#publisher.onChange(deviceId);
  }

  async stop(): Promise<void> {
    // A restarted process does not know recent removals.
    await this.wake();
    await this.#loop.stop();
    await this.#disconnect().catch(() => undefined);
    await this.#lease.release(this.#options.server());
  }

  async #update(): Promise<void> {
    const { server } = this.#options;
    await this.#lease.repair(server());
    const rows = await server().rows(homeAssistants);
    const wanted = rows.filter((row) => (row.is_on && row.is_allowed) || row.is_published);
    if (!wanted.every((row) => this.#lease.isFree(row))) return this.#disconnect(true);
    if (!(await this.#takeAll(wanted))) return;
    const removed = this.#publisher.deviceIds.filter((id) => !rows.some(({ device_id }) => device_id === id));
    if (wanted.length === 0 && removed.length === 0) return this.#disconnect();
    this.#client ??= await BrokerClient.connect({
      url: this.#options.url,
      onReady: () => {
        this.#problem = null;
        this.#publisher.repeat();
        void this.wake();
      },
      onCommand: (topic, payload) => {
        const command = parseCommand(topic, payload);
        // A process that was suspended gets the commands that another one has run since.
        const isLeased = this.#lease.isHeld(this.#leasedUntil);
        if (command && isLeased && this.#publisher.isShown(command.deviceId)) this.#commands.run(command);
      },
      onRetained: (topic, payload) => this.#publisher.recognize(topic, payload),
      onError: (reason) => this.#report(reason),
      onRefused: (bytes) =>
        this.#options.log.warn(
          { bytes },
          "HOME_ASSISTANT: Home Assistant's broker does not take the message that shows a garden: allow larger ones there (message_size_limit, max_packet_size)",
        ),
    });
    if (!this.#client.isConnected) return;
    // Their accounts were deleted.
    for (const deviceId of removed) this.#remove(deviceId);
    for (const row of wanted) await (row.is_on && row.is_allowed ? this.#show(row) : this.#hide(row));
  }

  async #disconnect(isReplaced = false): Promise<void> {
    this.#publisher.clear();
    const client = this.#client;
    this.#client = null;
    await client?.end(isReplaced);
  }

  /** Takes or renews all rows; false: one was taken or deleted in between, so they must be read again. */
  async #takeAll(rows: readonly HomeAssistantRow[]): Promise<boolean> {
    const until = this.#lease.end;
    if (!(await this.#lease.claimAll(this.#options.server(), rows))) return false;
    this.#leasedUntil = until;
    return true;
  }

  async #show({ id, device_id: deviceId, is_published }: HomeAssistantRow): Promise<void> {
    if (!this.#publisher.isShown(deviceId)) this.#client?.read(discoveryTopic(deviceId));
    if (!is_published) await this.#options.server().update(homeAssistants, { is_published: true }, { where: { id } });
    await this.#publisher.show(deviceId);
  }

  async #hide({ id, device_id }: HomeAssistantRow): Promise<void> {
    this.#remove(device_id);
    await this.#lease.release(this.#options.server(), { id }, { is_published: false });
  }

  #remove(deviceId: number): void {
    this.#client?.leave(discoveryTopic(deviceId));
    this.#publisher.remove(deviceId);
  }

  /** Logs a problem, unless it is the one logged last. */
  #report(reason: string): void {
    if (reason === this.#problem) return;
    this.#problem = reason;
    this.#options.log.warn(
      { reason },
      "HOME_ASSISTANT: Home Assistant's broker cannot be used; the server tries again",
    );
  }
}
