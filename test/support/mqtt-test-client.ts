import type { IClientOptions, MqttClient } from 'mqtt';
import mqtt from 'mqtt';

/** A message that a client received. */
export interface ReceivedMessage {
  readonly topic: string;
  readonly text: string;
  readonly retain: boolean;
  readonly qos: number;
  /** Of `performance.now()`. */
  readonly at: number;
}

/** Maximum time to wait for a state, in ms: long enough for a busy machine, and shorter than a test's timeout. */
const maxWait = 45_000;

/** An MQTT client that collects the messages it receives. It does not reconnect. */
export class MqttTestClient {
  readonly client: MqttClient;
  /** Whether the broker had kept a session of this client. */
  isSessionPresent = false;
  readonly #received: ReceivedMessage[] = [];
  readonly #waiting = new Set<() => void>();
  /** Reject the messages that are being published: one listener for all, since a test may publish hundreds concurrently. */
  readonly #publishing = new Set<() => void>();

  private constructor(client: MqttClient) {
    this.client = client;
    client.on('message', (topic, payload, { retain, qos }) => {
      this.#received.push({ topic, text: payload.toString('utf8'), retain, qos, at: performance.now() });
      for (const wake of this.#waiting) wake();
    });
    client.on('error', () => undefined);
    client.on('close', () => {
      for (const fail of this.#publishing) fail();
      for (const wake of this.#waiting) wake();
    });
  }

  /** Connects to `mqtt://…`, `mqtts://…` or `ws://…`. Rejects when the client is refused. */
  static connect(url: string, options: IClientOptions = {}): Promise<MqttTestClient> {
    const client = mqtt.connect(url, {
      protocolVersion: 4,
      reconnectPeriod: 0,
      connectTimeout: maxWait,
      // A cache of 65,536 buffers, for each process of tests.
      writeCache: false,
      ...options,
    });
    return new Promise((resolve, reject) => {
      const testClient = new MqttTestClient(client);
      client.once('connect', ({ sessionPresent }) => {
        testClient.isSessionPresent = sessionPresent;
        resolve(testClient);
      });
      client.once('error', (error) => {
        client.end(true);
        reject(error);
      });
      client.once('close', () => reject(new Error('the broker ended the connection')));
    });
  }

  /** Returns the QoS that the broker granted for each topic; 128 for a rejected one. */
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

  /** Resolves when the message was sent (QoS 0) or acknowledged (QoS 1). Rejects when the connection ends before. */
  publish(
    topic: string,
    payload: string | Buffer,
    options: { readonly qos?: 0 | 1; readonly retain?: boolean } = {},
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`the connection ended before ${topic} was published`));
      this.#publishing.add(fail);
      this.client.publish(topic, payload, options, (error) => {
        this.#publishing.delete(fail);
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** The messages received so far. */
  get received(): readonly ReceivedMessage[] {
    return this.#received;
  }

  /** Removes and returns the messages received so far. */
  take(): ReceivedMessage[] {
    return this.#received.splice(0);
  }

  get isConnected(): boolean {
    return this.client.connected;
  }

  /** Waits until a condition holds. Rejects after 45 s. */
  async waitUntil(holds: (received: readonly ReceivedMessage[]) => boolean, what = 'the condition'): Promise<void> {
    const end = Date.now() + maxWait;
    while (!holds(this.#received)) {
      if (Date.now() > end) throw new Error(`timeout: ${what}; ${this.#received.length} messages were received`);
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

  /** Waits for a message on a topic, and returns the first: an announcement may have come before it. */
  async first(topic: string): Promise<ReceivedMessage> {
    let found: ReceivedMessage | undefined;
    await this.waitUntil((received) => {
      found = received.find((message) => message.topic === topic);
      return found !== undefined;
    }, `a message on ${topic}`);
    return found as ReceivedMessage;
  }

  /** Waits until the broker has closed the connection. */
  waitUntilClosed(): Promise<void> {
    return this.waitUntil(() => !this.client.connected, 'the end of the connection');
  }

  async end(): Promise<void> {
    await this.client.endAsync(true);
  }
}
