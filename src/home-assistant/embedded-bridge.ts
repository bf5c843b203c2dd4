import type { Message } from '../core/message-outlet.ts';
import { PollLoop } from '../core/poll-loop.ts';
import type { LiveOffer } from '../live/offer.ts';
import type { Bridge, BridgeOptions } from './bridge.ts';
import { CommandRunner } from './command-runner.ts';
import { parseCommand } from './garden-commands.ts';
import { GardenPublisher } from './garden-publisher.ts';
import { birthTopic, gardenAvailabilityTopic } from './garden-topics.ts';
import { mayConnect } from './garden-users.ts';
import { homeAssistants } from './home-assistant-rows.ts';

/** Interval in which changed states are published and passwords are checked, in ms. */
const pollInterval = 1_000;

export interface EmbeddedBridgeOptions extends BridgeOptions {
  readonly connections: NonNullable<LiveOffer['gardens']>;
  readonly publishMessage: (message: Message) => Promise<void>;
}

/** Shows gardens on the built-in broker, each to its own user. Every process does so for the clients of its broker. */
export class EmbeddedBridge implements Bridge {
  readonly #options: EmbeddedBridgeOptions;
  readonly #publisher: GardenPublisher;
  readonly #commands: CommandRunner;
  readonly #loop: PollLoop;
  /** Devices whose Home Assistant has started since the last poll. */
  readonly #started = new Set<number>();
  /** Messages that the broker has not passed on yet. */
  readonly #publishing = new Set<Promise<void>>();

  constructor(options: EmbeddedBridgeOptions) {
    this.#options = options;
    this.#publisher = new GardenPublisher({
      ...options,
      availabilityTopic: gardenAvailabilityTopic,
      publish: (topic, payload) => this.#publish(topic, payload),
    });
    this.#commands = new CommandRunner(options);
    this.#loop = new PollLoop({
      interval: pollInterval,
      work: () => this.#update(),
      onError: (error) => options.log.warn({ reason: String(error) }, 'gardens cannot be shown in Home Assistant'),
    });
    options.connections.listen({
      receive: (deviceId, topic, payload) => this.#receive(deviceId, topic, payload),
      recheck: () => this.wake(),
    });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  wake(): Promise<void> {
    return this.#loop.wake();
  }

  onChange(deviceId: number): void {
    this.#publisher.onChange(deviceId);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #update(): Promise<void> {
    const { server, connections } = this.#options;
    const rows = await server().rows(homeAssistants, { where: { is_on: true, is_allowed: true } });
    const shown = new Set(rows.filter(mayConnect).map(({ device_id }) => device_id));
    for (const deviceId of this.#publisher.deviceIds) if (!shown.has(deviceId)) this.#remove(deviceId);
    this.#publisher.repeat([...this.#started]);
    this.#started.clear();
    for (const deviceId of shown) {
      this.#publishOnline(deviceId);
      await this.#publisher.show(deviceId);
    }
    // Home Assistant removes its entities before its connection ends.
    await Promise.all(this.#publishing);
    for (const deviceId of connections.connected()) await connections.endSessions(deviceId);
  }

  #publishOnline(deviceId: number): void {
    if (!this.#publisher.isShown(deviceId)) this.#publish(gardenAvailabilityTopic(deviceId), 'online');
  }

  #remove(deviceId: number): void {
    this.#publisher.remove(deviceId);
    this.#publish(gardenAvailabilityTopic(deviceId), '');
  }

  #receive(deviceId: number, topic: string, payload: string): boolean {
    if (topic === birthTopic) {
      if (payload === 'online') this.#started.add(deviceId);
      return true;
    }
    const command = parseCommand(topic, payload);
    if (command?.deviceId !== deviceId) return false;
    if (this.#publisher.isShown(deviceId)) this.#commands.run(command);
    return true;
  }

  #publish(topic: string, payload: string): void {
    const publishing = this.#options
      .publishMessage({ topic, payload, retain: true })
      // The broker is stopping.
      .catch((error: unknown) =>
        this.#options.log.debug({ reason: String(error) }, 'a message for Home Assistant was not published'),
      )
      .finally(() => this.#publishing.delete(publishing));
    this.#publishing.add(publishing);
  }
}
