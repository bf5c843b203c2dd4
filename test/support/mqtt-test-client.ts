import type { IClientOptions, MqttClient } from 'mqtt';
import mqtt from 'mqtt';

/** A message that a client got. */
export interface ReceivedMessage {
  readonly topic: string;
  readonly text: string;
  readonly retain: boolean;
  readonly qos: number;
  /** Of `performance.now()`. */
  readonly at: number;
}

const patience = 10_000;

/** A client of the broker that keeps what it hears. It does not reconnect by itself. */
export class MqttTestClient {
  readonly client: MqttClient;
  readonly #heard: ReceivedMessage[] = [];
  readonly #waiting = new Set<() => void>();

  private constructor(client: MqttClient) {
    this.client = client;
    client.on('message', (topic, payload, { retain, qos }) => {
      this.#heard.push({ topic, text: payload.toString('utf8'), retain, qos, at: performance.now() });
      for (const wake of this.#waiting) wake();
    });
    client.on('error', () => undefined);
    client.on('close', () => {
      for (const wake of this.#waiting) wake();
    });
  }

  /** Connects to `mqtt://…`, `mqtts://…` or `ws://…`. Rejects when it is refused. */
  static connect(url: string, options: IClientOptions = {}): Promise<MqttTestClient> {
    const client = mqtt.connect(url, {
      protocolVersion: 4,
      reconnectPeriod: 0,
      connectTimeout: patience,
      ...options,
    });
    return new Promise((resolve, reject) => {
      const listener = new MqttTestClient(client);
      client.once('connect', () => resolve(listener));
      client.once('error', (error) => {
        client.end(true);
        reject(error);
      });
      client.once('close', () => reject(new Error('the broker ended the connection')));
    });
  }

  /** The QoS that the broker granted for each topic; 128 is a refusal. */
  async subscribe(topics: string | string[], qos: 0 | 1 = 0): Promise<number[]> {
    return new Promise((resolve, reject) => {
      this.client.subscribe(topics, { qos }, (error, granted, packet) => {
        const codes = packet && 'granted' in packet ? (packet.granted as number[]) : undefined;
        if (codes) resolve(codes);
        else if (error) reject(error);
        else resolve((granted ?? []).map((each) => each.qos));
      });
    });
  }

  /** Resolves when it was sent (QoS 0) or acknowledged (QoS 1). */
  async publish(
    topic: string,
    payload: string | Buffer,
    options: { readonly qos?: 0 | 1; readonly retain?: boolean } = {},
  ): Promise<void> {
    await this.client.publishAsync(topic, payload, options);
  }

  /** What was heard so far. */
  get received(): readonly ReceivedMessage[] {
    return this.#heard;
  }

  /** Takes out what was heard so far. */
  take(): ReceivedMessage[] {
    return this.#heard.splice(0);
  }

  get isConnected(): boolean {
    return this.client.connected;
  }

  /** Waits until something holds. Rejects after 10 s. */
  async waitUntil(holds: (heard: readonly ReceivedMessage[]) => boolean, what = 'what was waited for'): Promise<void> {
    const end = Date.now() + patience;
    while (!holds(this.#heard)) {
      if (Date.now() > end) throw new Error(`${what} did not come; heard ${this.#heard.length} messages`);
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, 20);
        this.#waiting.add(wake);
      });
    }
  }

  /** Waits until the broker has ended the connection. */
  waitUntilClosed(): Promise<void> {
    return this.waitUntil(() => !this.client.connected, 'the end of the connection');
  }

  async end(): Promise<void> {
    await this.client.endAsync(true);
  }
}
