import type { MqttClient } from 'mqtt';
import { onLateError } from '../core/library-errors.ts';
import { writeMqttNumbersOnDemand } from '../core/mqtt-numbers.ts';
import { DiscoveryEchoes } from './discovery-echoes.ts';
import { commandFilter } from './garden-commands.ts';
import { availabilityTopic, birthTopic, discoveryPrefix } from './garden-topics.ts';

/** Pause between connection attempts, in ms. */
const reconnectPeriod = 5_000;
/** Maximum time to send the rest at the end, in ms. */
const endTimeout = 2_000;

export interface BrokerClientOptions {
  /** `mqtt://user:password@host:port`. */
  readonly url: string;
  /** Called after each connection, and when Home Assistant has started. */
  readonly onReady: () => void;
  readonly onCommand: (topic: string, payload: string) => void;
  /** Called with the retained messages of topics that are read. */
  readonly onRetained: (topic: string, payload: string) => void;
  /** Called with the error of a connection attempt, without credentials. */
  readonly onError: (reason: string) => void;
  /** Called with the size of a discovery that the broker does not take, in bytes. */
  readonly onRefused: (bytes: number) => void;
}

/** The connection to Home Assistant's broker. */
export class BrokerClient {
  readonly #client: MqttClient;
  readonly #echoes: DiscoveryEchoes;
  #isEnding = false;
  readonly #endLateErrors: () => void;

  private constructor(client: MqttClient, options: BrokerClientOptions) {
    this.#client = client;
    this.#echoes = new DiscoveryEchoes({ onRefused: options.onRefused, onRetry: options.onReady });
    client.on('close', () => this.#echoes.lost());
    client.on('connect', () => {
      client.subscribe([commandFilter, birthTopic, availabilityTopic], { qos: 1 });
      this.publish(availabilityTopic, 'online');
      options.onReady();
    });
    client.on('message', (topic, payload, { retain }) => {
      const text = payload.toString('utf8');
      if (topic === birthTopic) {
        if (text === 'online') options.onReady();
      } else if (topic === availabilityTopic) {
        // The last will of a process that was replaced before its connection was lost.
        if (text === 'offline' && !this.#isEnding) this.publish(availabilityTopic, 'online');
      } else if (topic.startsWith(`${discoveryPrefix}/`)) {
        if (retain) options.onRetained(topic, text);
        else this.#echoes.received(topic);
      }
      // A retained command is an old one.
      else if (!retain) options.onCommand(topic, text);
    });
    // It connects again.
    this.#endLateErrors = onLateError('mqtt', () => client.stream.destroy());
    // The broker's refusals have numbers.
    client.on('error', (error) =>
      options.onError('code' in error && typeof error.code === 'string' ? error.code : error.message),
    );
  }

  /** Connects in the background, and again after each loss. The MQTT client is loaded only then. */
  static async connect(options: BrokerClientOptions): Promise<BrokerClient> {
    const { default: mqtt } = await import('mqtt');
    writeMqttNumbersOnDemand();
    const client = mqtt.connect(options.url, {
      protocolVersion: 4,
      reconnectPeriod,
      queueQoSZero: false,
      will: { topic: availabilityTopic, payload: Buffer.from('offline'), qos: 1, retain: true },
    });
    return new BrokerClient(client, options);
  }

  get isConnected(): boolean {
    return this.#client.connected;
  }

  /** Reads the retained message of a topic before later ones. */
  read(topic: string): void {
    this.#client.subscribe(topic, { qos: 1 });
  }

  /** Ends the reading of a topic. */
  leave(topic: string): void {
    this.#client.unsubscribe(topic);
  }

  /** Publishes a retained message; an empty one removes it. */
  publish(topic: string, payload: string): void {
    const isDiscovery = topic.startsWith(`${discoveryPrefix}/`) && payload !== '';
    if (isDiscovery && !this.#echoes.begin(topic, payload)) return;
    // The client would send one with QoS 1 again at each connection, before it could be held back.
    this.#client.publish(topic, payload, { retain: true, qos: isDiscovery ? 0 : 1 });
  }

  /** Disconnects after everything was sent, and says that Potager is offline, unless another process has replaced this one. */
  async end(isReplaced: boolean): Promise<void> {
    const client = this.#client;
    this.#isEnding = true;
    this.#echoes.end();
    const timer = setTimeout(() => client.end(true), endTimeout);
    try {
      if (client.connected && !isReplaced)
        await client.publishAsync(availabilityTopic, 'offline', { retain: true, qos: 1 });
      await client.endAsync(!client.connected);
    } catch {
      // The connection was lost; the broker publishes the will.
      client.end(true);
    } finally {
      clearTimeout(timer);
      this.#endLateErrors();
    }
  }
}
