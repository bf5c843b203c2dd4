import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { onLateError } from '../core/library-errors.ts';
import { errorCode } from '../core/system.ts';
import { isOs154, type OsVersion } from './os-version.ts';
import { RobotError, type RobotToken } from './robot-api.ts';

/** In seconds. [rule R2] */
const keepAlive = 60;
/** In ms. */
const connectTimeout = 15_000;
/** The topics that a robot subscribes to. [rule R4] */
const channels = ['from_clients', 'ping/#', 'sync/#', 'terminal_input'];
/** CONNACK return codes for bad credentials and missing authorization. */
const authenticationErrors = [4, 5];

/** Pauses between connection attempts, in ms; they double from the first up to the maximum. */
export interface BackOff {
  readonly first: number;
  readonly max: number;
}

/** The pauses of a real robot. [rule R3] */
export const robotBackOff: BackOff = { first: 7_500, max: 120_000 };

/** Overrides of the broker's address in the token. */
export interface BrokerAddress {
  /** Replaces 1883 or 8883. */
  readonly port?: number | undefined;
  /** Whether to use the WebSocket URL in the token. */
  readonly webSocket?: boolean | undefined;
}

/** Returns the broker's URL from a token; with TLS if the WebSocket URL has it. [rule R1] */
export function brokerUrlOf({ mqtt: host, mqttWs }: RobotToken, { port, webSocket }: BrokerAddress): string {
  if (webSocket) return mqttWs;
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return mqttWs.startsWith('wss:') ? `mqtts://${name}:${port ?? 8883}` : `mqtt://${name}:${port ?? 1883}`;
}

export interface BrokerConnectionOptions extends BrokerAddress {
  readonly version: OsVersion;
  /** Returns the token to connect with; `wasRejected` if the broker rejected the last one. */
  readonly token: (wasRejected: boolean) => Promise<RobotToken>;
  readonly backOff: BackOff;
  readonly log: (line: string) => void;
  readonly connected: () => void;
  /** `channel` is the topic after `bot/device_N/`. */
  readonly received: (channel: string, payload: Buffer) => void;
  /** The connection failed permanently; `reason` is a sentence. */
  readonly failed: (reason: string) => void;
}

/** The robot's connection to the broker. Reconnects until it is ended. */
export class BrokerConnection {
  readonly #options: BrokerConnectionOptions;
  readonly #ended = new AbortController();
  #client: MqttClient | null = null;
  #bot = '';
  /** URL of the broker. */
  #address = '';
  #wake: (() => void) | null = null;
  #loop: Promise<void> | null = null;
  #pause = 0;
  /** Whether this is the first connection since the start of the robot. */
  #isFirst = true;

  constructor(options: BrokerConnectionOptions) {
    this.#options = options;
  }

  /** Starts to connect in the background. */
  start(): void {
    this.#loop = this.#run();
  }

  /** Publishes if connected; returns whether it was. */
  publish(channel: string, payload: string | Buffer): boolean {
    if (!this.#client?.connected) return false;
    this.#client.publish(`bot/${this.#bot}/${channel}`, payload);
    return true;
  }

  /** Flushes and closes the connection, and reconnects after `ms`. */
  async restart(ms: number): Promise<void> {
    this.#pause = ms;
    this.#isFirst = true;
    await this.#client?.endAsync();
  }

  /** Flushes and closes the connection without reconnecting. */
  async end(): Promise<void> {
    this.#ended.abort();
    this.#wake?.();
    // Without a connection there is nothing to flush.
    await this.#client?.endAsync(!this.#client.connected);
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { version, backOff, log } = this.#options;
    const keepsSession = isOs154(version);
    let wait = backOff.first;
    let wasRejected = false;
    while (!this.#ended.signal.aborted) {
      this.#pause = 0;
      try {
        const token = await this.#options.token(wasRejected);
        wasRejected = false;
        if (this.#ended.signal.aborted) return;
        await this.#session(token, () => {
          // OS 15.4 tries once immediately. [rule R33]
          wait = keepsSession ? 0 : backOff.first;
        });
        if (!this.#ended.signal.aborted) log('The connection was closed.');
      } catch (error) {
        if (error instanceof PermanentFailure) {
          this.#options.failed(error.message);
          return;
        }
        wasRejected = isAuthenticationError(error);
        if (!this.#ended.signal.aborted) log(explained(error, this.#address));
      }
      if (this.#ended.signal.aborted) return;
      // After a restart the pause is the one given to restart().
      const pause = this.#pause || wait;
      if (this.#pause === 0) wait = wait === 0 ? backOff.first : Math.min(wait * 2, backOff.max);
      log(`Reconnecting in ${Math.round(pause / 100) / 10} s.`);
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

  /** Resolves when an established connection ends. Rejects if none is established. */
  #session(token: RobotToken, established: () => void): Promise<void> {
    const { version } = this.#options;
    const isFirst = this.#isFirst;
    this.#bot = token.bot;
    const options: IClientOptions = {
      protocolVersion: 4,
      clientId: `${token.bot}_${version}`,
      username: token.bot,
      password: token.encoded,
      // [rule R2, R33]
      clean: isFirst || !isOs154(version),
      keepalive: keepAlive,
      connectTimeout,
      // #run reconnects, since each connection needs a token.
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
    };
    this.#address = brokerUrlOf(token, this.#options);
    const client = mqtt.connect(this.#address, options);
    this.#client = client;
    const topic = `bot/${token.bot}/`;
    let end = (): void => undefined;
    return new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      end = onLateError('mqtt', reject);
      client.on('message', (name, payload, { retain }) => {
        // A retained message is of the past: a command in it would run at each start. [decision 71]
        if (!retain && name.startsWith(topic)) this.#options.received(name.slice(topic.length), payload);
      });
      client.on('close', () => resolve());
      client.on('connect', ({ sessionPresent }) => {
        const ready = (error?: Error | null) => {
          if (error) return reject(error);
          this.#isFirst = false;
          established();
          this.#options.connected();
        };
        if (sessionPresent) ready();
        else
          client.subscribe(
            channels.map((each) => topic + each),
            { qos: 0 },
            ready,
          );
      });
    }).finally(() => {
      end();
      this.#client = null;
      client.end(true);
    });
  }
}

/** A failure that a retry cannot fix. */
export class PermanentFailure extends Error {}

const isAuthenticationError = (error: unknown): boolean => authenticationErrors.includes(Number(errorCode(error)));

function explained(error: unknown, address: string): string {
  if (error instanceof RobotError) return error.message;
  if (isAuthenticationError(error)) return 'The broker rejected the token.';
  const reason = error instanceof Error ? (errorCode(error) ?? error.message) : 'unknown';
  return `The broker at ${address} is unreachable (${reason}).`;
}
