import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { osVersion, RobotError, type RobotToken } from './robot-api.ts';

/** Seconds between signs of life on the connection. [client FBOS] */
const keepAlive = 60;
/** Milliseconds until an attempt to connect is given up. */
const connectTime = 15_000;
/** What a robot listens to. [client FBOS] */
const channels = ['from_clients', 'ping/#', 'sync/#', 'terminal_input'];
/** CONNACK codes that say no to the one who connects: bad name or password, not authorised. */
const refusals = [4, 5];

/** Milliseconds between attempts: the first pause; it doubles up to the longest. */
export interface BackOff {
  readonly first: number;
  readonly max: number;
}

/** [client FBOS] */
export const robotBackOff: BackOff = { first: 7_500, max: 120_000 };

/** Where the broker is, when it is not where the token says. */
export interface BrokerAddress {
  /** Instead of 1883 or 8883. */
  readonly port?: number | undefined;
  /** Through the WebSocket that the token names. */
  readonly webSocket?: boolean | undefined;
}

/** The broker's address as a robot finds it in its token: TLS whenever the WebSocket has it. [client FBOS] */
export function brokerUrl({ mqtt: host, mqttWs }: RobotToken, { port, webSocket }: BrokerAddress): string {
  if (webSocket) return mqttWs;
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return mqttWs.startsWith('wss:') ? `mqtts://${name}:${port ?? 8883}` : `mqtt://${name}:${port ?? 1883}`;
}

export interface BrokerConnectionOptions extends BrokerAddress {
  /** The token to connect with; `wasRefused` when the broker said no to the last one. */
  readonly token: (wasRefused: boolean) => Promise<RobotToken>;
  readonly backOff: BackOff;
  readonly log: (line: string) => void;
  readonly connected: () => void;
  /** `channel` is what stands behind `bot/device_N/`. */
  readonly received: (channel: string, payload: Buffer) => void;
  /** The link has ended for good; `reason` is a sentence. */
  readonly failed: (reason: string) => void;
}

/** The robot's connection to the broker: comes back by itself until it is ended. */
export class BrokerConnection {
  readonly #options: BrokerConnectionOptions;
  readonly #ended = new AbortController();
  #client: MqttClient | null = null;
  #bot = '';
  #wake: (() => void) | null = null;
  #loop: Promise<void> | null = null;
  #pause = 0;

  constructor(options: BrokerConnectionOptions) {
    this.#options = options;
  }

  /** Begins to connect, and goes on in the background. */
  start(): void {
    this.#loop = this.#run();
  }

  /** Sends when it is connected; says whether it was. */
  publish(channel: string, payload: string | Buffer): boolean {
    if (!this.#client?.connected) return false;
    this.#client.publish(`bot/${this.#bot}/${channel}`, payload);
    return true;
  }

  /** Ends the connection, after what was sent has left; the link comes back after `ms`. */
  async restart(ms: number): Promise<void> {
    this.#pause = ms;
    await this.#client?.endAsync();
  }

  /** Ends it for good, after what was sent has left. */
  async end(): Promise<void> {
    this.#ended.abort();
    this.#wake?.();
    // Without a connection nobody waits for a farewell.
    await this.#client?.endAsync(!this.#client.connected);
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { backOff, log } = this.#options;
    let wait = backOff.first;
    let wasRefused = false;
    while (!this.#ended.signal.aborted) {
      this.#pause = 0;
      try {
        const token = await this.#options.token(wasRefused);
        wasRefused = false;
        if (this.#ended.signal.aborted) return;
        await this.#session(token, () => {
          wait = backOff.first;
        });
        if (!this.#ended.signal.aborted) log('The connection has ended.');
      } catch (error) {
        if (error instanceof PermanentFailure) {
          this.#options.failed(error.message);
          return;
        }
        wasRefused = isRefusal(error);
        if (!this.#ended.signal.aborted) log(explained(error));
      }
      if (this.#ended.signal.aborted) return;
      // After a restart of the robot's own the pause is the restart's.
      const pause = this.#pause || wait;
      if (this.#pause === 0) wait = Math.min(wait * 2, backOff.max);
      log(`Trying again in ${Math.round(pause / 100) / 10} s.`);
      await this.#sleep(pause);
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Resolves when a connection that came about has ended. Rejects when none came about. */
  #session(token: RobotToken, established: () => void): Promise<void> {
    this.#bot = token.bot;
    const options: IClientOptions = {
      protocolVersion: 4,
      clientId: `${token.bot}_${osVersion}`,
      username: token.bot,
      password: token.encoded,
      clean: true,
      keepalive: keepAlive,
      connectTimeout: connectTime,
      // The pauses are this robot's own, and each connection needs its token.
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
    };
    const client = mqtt.connect(brokerUrl(token, this.#options), options);
    this.#client = client;
    const topic = `bot/${token.bot}/`;
    return new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      client.on('message', (name, payload) => {
        if (name.startsWith(topic)) this.#options.received(name.slice(topic.length), payload);
      });
      client.on('close', () => resolve());
      client.on('connect', () => {
        client.subscribe(
          channels.map((each) => topic + each),
          { qos: 0 },
          (error) => {
            if (error) return reject(error);
            established();
            this.#options.connected();
          },
        );
      });
    }).finally(() => {
      this.#client = null;
      client.end(true);
    });
  }
}

/** There is no use in trying again. */
export class PermanentFailure extends Error {}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && refusals.includes(Number(error.code));

function explained(error: unknown): string {
  if (error instanceof RobotError) return error.message;
  if (isRefusal(error)) return 'The broker refuses the token.';
  const code = error instanceof Error ? ('code' in error ? String(error.code) : error.message) : 'unknown';
  return `The broker cannot be reached (${code}).`;
}
