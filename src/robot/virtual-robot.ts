import { timestamp } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import { AccountData } from './account-data.ts';
import {
  type BackOff,
  type BrokerAddress,
  BrokerConnection,
  PermanentFailure,
  robotBackOff,
} from './broker-connection.ts';
import { Deferred } from './deferred.ts';
import { GardenReader } from './garden-reader.ts';
import { LogSender } from './log-sender.ts';
import { Machine, type PausableClock, systemTime } from './machine.ts';
import { toPrintable, type Vector } from './nodes.ts';
import { createResponse, RequestHandler } from './request-handler.ts';
import { type Credentials, RobotApi, RobotError, type RobotToken } from './robot-api.ts';
import { SequenceCache } from './sequence-cache.ts';
import { measureHealth, stateTree, telemetryOf } from './status.ts';
import { StatusThrottle } from './status-throttle.ts';
import type { RobotActions } from './step-context.ts';
import { StepBudget } from './step-context.ts';

/** Interval of keep-alive requests, in ms. [rule R7] */
const keepAliveInterval = 15 * 60_000;
/** Minimum interval of states published after pings, in ms. [rule R8] */
const pingedStatusInterval = 3_000;
/** Maximum time to flush the connection at the end, in ms. */
const closeTimeout = 2_000;

export interface VirtualRobotOptions extends BrokerAddress {
  /** `http://host:port`. */
  readonly server: string;
  readonly credentials: Credentials;
  /** Prints a line for each event. */
  readonly log: (line: string) => void;
  readonly time?: PausableClock;
  /** The speed of each axis at 100 %, in mm/s; 200 by default. */
  readonly speed?: number | undefined;
  /** Interval of telemetry messages, in ms; 5 minutes by default. [rule R11] */
  readonly telemetryInterval?: number | undefined;
  /** Minimum interval of states, in ms; 300 by default. */
  readonly statusInterval?: number | undefined;
  /** Pauses between connection attempts; those of a real robot by default. */
  readonly backOff?: BackOff;
  /** Duration of a simulated restart, in ms; 2 seconds by default. */
  readonly restartTime?: number;
}

/** A robot without hardware, which looks like a real one to the server and its clients. */
export class VirtualRobot {
  readonly #log: (line: string) => void;
  readonly #time: PausableClock;
  readonly #api: RobotApi;
  readonly #machine: Machine;
  readonly #account: AccountData;
  readonly #sequences: SequenceCache;
  readonly #connection: BrokerConnection;
  readonly #logs: LogSender;
  readonly #status: StatusThrottle;
  readonly #requests: RequestHandler;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #telemetryInterval: number;
  readonly #restartTime: number;
  readonly #connected = new Deferred<void>();
  readonly #ended = new Deferred<string>();
  readonly #startedAt: number;
  #pingedAt = -pingedStatusInterval;
  #hasConnected = false;
  #hasReportedReady = false;
  #stopping: Promise<void> | null = null;

  constructor(options: VirtualRobotOptions) {
    const { server, credentials, log, time = systemTime, speed = 200, statusInterval = 300 } = options;
    this.#log = log;
    this.#time = time;
    this.#startedAt = time.now();
    this.#telemetryInterval = options.telemetryInterval ?? 5 * 60_000;
    this.#restartTime = options.restartTime ?? 2_000;
    this.#api = new RobotApi(server, credentials);
    this.#account = new AccountData(this.#api);
    this.#sequences = new SequenceCache(this.#api);
    this.#status = new StatusThrottle(statusInterval, () => this.#publishStatus());
    const changed = () => this.#status.changed();
    this.#machine = new Machine({ speed, tick: Math.min(statusInterval, 100), time, changed });
    this.#connection = new BrokerConnection({
      port: options.port,
      webSocket: options.webSocket,
      backOff: options.backOff ?? robotBackOff,
      token: (wasRejected) => this.#token(wasRejected),
      log,
      connected: () => this.#onConnect(),
      received: (channel, payload) => this.#receive(channel, payload),
      failed: (reason) => void this.#end(reason),
    });
    this.#logs = new LogSender({
      clock: time,
      position: () => this.#machine.position,
      send: (payload) => this.#connection.publish('logs', payload),
      log,
    });
    const garden = new GardenReader(this.#api);
    const actions = this.#actions();
    this.#requests = new RequestHandler({
      machine: this.#machine,
      context: (signal, afterwards) => ({
        machine: this.#machine,
        garden,
        actions,
        sequences: this.#sequences,
        sequenceLogs: () => this.#account.sequenceLogs,
        depth: 0,
        budget: new StepBudget(),
        variables: new Map(),
        signal,
        heights: () => ({
          safeHeight: this.#account.height('safe_height'),
          soilHeight: this.#account.height('soil_height'),
        }),
        axisOrder: () => this.#account.axisOrder,
        random: Math.random,
        afterwards,
      }),
      answer: (label, problem) => this.#answer(label, problem),
      reportProblem: (problem) => this.#logs.log('error', problem),
    });
    // start() may not be waiting for it.
    this.#connected.promise.catch(() => undefined);
  }

  /** The position, in mm. */
  get position(): Vector {
    return this.#machine.position;
  }

  get isLocked(): boolean {
    return this.#machine.isLocked;
  }

  /** The encoded token; null if there is none. */
  get token(): string | null {
    return this.#api.token?.encoded ?? null;
  }

  /** Resolves with the reason, a sentence, when the robot has stopped. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** Signs in, fetches the account's data and connects to the broker. Throws {@link RobotError} if it cannot sign in. */
  async start(): Promise<void> {
    await this.#api.signIn();
    await this.#sync();
    this.#connection.start();
    await this.#connected.promise;
  }

  /** Aborts its work and disconnects. */
  stop(): Promise<void> {
    return this.#end('The robot was stopped.');
  }

  #end(reason: string): Promise<void> {
    this.#stopping ??= this.#close(reason);
    return this.#stopping;
  }

  async #close(reason: string): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#machine.stopWork('The robot stops.');
    this.#status.stop();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closeTimeout);
    });
    await Promise.race([this.#connection.end().catch(() => undefined), timeout]);
    clearTimeout(timer);
    this.#status.stop();
    this.#connected.reject(new RobotError(reason));
    this.#ended.resolve(reason);
  }

  /** Returns the token for the next connection: the same as before, unless the broker rejected it. */
  async #token(wasRejected: boolean): Promise<RobotToken> {
    const token = this.#api.token;
    if (token && !wasRejected) return token;
    try {
      if (this.#api.canSignIn) return await this.#api.signIn();
      // Only the server knows whether it is valid: the broker also rejects too many sign-ins.
      if (token) await this.#api.get('/api/device');
    } catch (error) {
      if (error instanceof RobotError && (error.status === 401 || error.status === 422))
        throw new PermanentFailure(`The server rejects its credentials: ${error.message}`);
      throw error;
    }
    if (!token) throw new PermanentFailure('The robot has no token.');
    return token;
  }

  #onConnect(): void {
    this.#log(`Connected as ${this.#api.token?.bot ?? 'unknown'}.`);
    this.#logs.flush();
    this.#status.publishNow();
    // Announcements were missed while disconnected.
    if (this.#hasConnected)
      this.#sync().catch((error: unknown) =>
        this.#log(`Could not fetch the account's data: ${error instanceof Error ? error.message : 'unknown'}`),
      );
    this.#hasConnected = true;
    if (!this.#hasReportedReady) {
      this.#hasReportedReady = true;
      this.#logs.log('success', 'The virtual robot is ready.');
      this.#sendTelemetry();
      this.#every(this.#telemetryInterval, () => this.#sendTelemetry());
      this.#every(keepAliveInterval, () => void this.#api.get('/api/device').catch(() => undefined));
    }
    this.#connected.resolve();
  }

  #every(ms: number, work: () => void): void {
    if (!this.#stopping) this.#timers.push(setInterval(work, ms));
  }

  #receive(channel: string, payload: Buffer): void {
    const [kind, name, ...more] = channel.split('/');
    if (channel === 'from_clients') this.#requests.handle(payload.toString('utf8'));
    else if (kind === 'ping' && name !== undefined && more.length === 0) this.#pong(name, payload);
    else if (kind === 'sync') this.#takeSync(channel.split('/'), payload.toString('utf8'));
  }

  #pong(name: string, payload: Buffer): void {
    this.#connection.publish(`pong/${name}`, payload);
    const now = this.#time.now();
    if (now - this.#pingedAt < pingedStatusInterval) return;
    this.#pingedAt = now;
    this.#status.publishNow();
  }

  /** Applies an announced change and acknowledges it with its label. [rule R9] */
  #takeSync([, resource = '', id = '']: readonly string[], text: string): void {
    try {
      const message: unknown = JSON.parse(text);
      if (!isObject(message) || !isObject(message.args) || typeof message.args.label !== 'string') return;
      this.#account.applyChange(resource, Number(id), message.body);
      if (resource === 'Sequence') this.#sequences.applyChange(Number(id), message.body);
      this.#status.changed();
      this.#answer(message.args.label, null);
    } catch {
      this.#log('Received an invalid announcement.');
    }
  }

  #answer(label: string, problem: string | null): void {
    this.#connection.publish('from_device', JSON.stringify(createResponse(label, problem)));
  }

  #publishStatus(): void {
    this.#connection.publish(
      'status',
      JSON.stringify(stateTree(this.#machine, this.#account, measureHealth(this.#time.now() - this.#startedAt))),
    );
  }

  #sendTelemetry(): void {
    const telemetry = telemetryOf(measureHealth(this.#time.now() - this.#startedAt), timestamp(this.#time.now()));
    this.#connection.publish('telemetry', JSON.stringify(telemetry));
  }

  #sync(): Promise<void> {
    this.#sequences.clear();
    return this.#account.sync(() => this.#status.changed());
  }

  #actions(): RobotActions {
    return {
      log: (type, message, options = {}) => this.#logs.log(type, message, options.channels, options.verbosity),
      publishStatus: () => this.#status.publishNow(),
      sync: () => this.#sync(),
      setEnvironment: async (values) => {
        await this.#account.setEnvironment(values);
        this.#status.changed();
      },
      recordReading: async (pin, mode, value) => {
        const read_at = timestamp(this.#time.now());
        await this.#api.request('POST', '/api/sensor_readings', {
          id: null,
          pin,
          mode,
          value,
          ...this.position,
          read_at,
        });
      },
      resetFirmware: () => this.#account.resetFirmware(),
      reboot: async () => {
        this.#logs.log('info', 'Restarting.');
        this.#machine.restart();
        this.#hasReportedReady = false;
        for (const timer of this.#timers.splice(0)) clearInterval(timer);
        // A restarted robot signs in again with its credentials.
        if (this.#api.canSignIn) this.#api.clearToken();
        await this.#connection.restart(this.#restartTime);
      },
      end: (reason) => this.#logAndStop(reason),
      factoryReset: (reason) => {
        const ended = this.#logAndStop(reason);
        this.#api.clearToken();
        return ended;
      },
    };
  }

  #logAndStop(reason: string): Promise<void> {
    this.#logs.log('warn', toPrintable(reason));
    return this.#end(reason);
  }
}
