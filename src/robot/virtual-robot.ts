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
import { Machine } from './machine.ts';
import { toPrintable, type Vector } from './nodes.ts';
import { RequestHandler } from './request-handler.ts';
import { type Credentials, RobotApi, RobotError, type RobotToken } from './robot-api.ts';
import { SequenceCache } from './sequence-cache.ts';
import { stateTree, telemetryOf } from './status.ts';
import { StatusThrottle } from './status-throttle.ts';
import { StepBudget } from './step-allowance.ts';
import type { RobotActions } from './step-context.ts';
import { type PausableClock, systemTime } from './time.ts';

/** Between two signs of life over HTTP. [client FBOS] */
const keepAliveInterval = 15 * 60_000;
/** A ping is followed by the state, at most this often. [client FBOS] */
const pingedStatusInterval = 3_000;
/** Milliseconds that the last words may take. */
const farewellTime = 2_000;

export interface VirtualRobotOptions extends BrokerAddress {
  /** `http://host:port`. */
  readonly server: string;
  readonly credentials: Credentials;
  /** Gets a line for each thing that happens. */
  readonly log: (line: string) => void;
  readonly time?: PausableClock;
  /** Of each axis at 100 %, in millimetres per second; 200 unless told. */
  readonly speed?: number | undefined;
  /** Milliseconds between two telemetries; 5 minutes unless told. */
  readonly telemetryInterval?: number | undefined;
  /** The least milliseconds between two states; 300 unless told. */
  readonly statusInterval?: number | undefined;
  /** A robot's own unless told. */
  readonly backOff?: BackOff;
  /** Milliseconds that a pretended restart takes; 2 seconds unless told. */
  readonly restartTime?: number;
}

/** A robot without hardware: what a server and its clients see of it is what they see of a real one. */
export class VirtualRobot {
  readonly #log: (line: string) => void;
  readonly #time: PausableClock;
  readonly #api: RobotApi;
  readonly #machine: Machine;
  readonly #account: AccountData;
  readonly #sequences: SequenceCache;
  readonly #link: BrokerConnection;
  readonly #logs: LogSender;
  readonly #status: StatusThrottle;
  readonly #desk: RequestHandler;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #telemetryInterval: number;
  readonly #restartTime: number;
  readonly #connected = new Deferred<void>();
  readonly #ended = new Deferred<string>();
  readonly #startedAt: number;
  #pingedAt = -pingedStatusInterval;
  #hasConnected = false;
  #hasGreeted = false;
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
    this.#link = new BrokerConnection({
      port: options.port,
      webSocket: options.webSocket,
      backOff: options.backOff ?? robotBackOff,
      token: (wasRefused) => this.#token(wasRefused),
      log,
      connected: () => this.#greet(),
      received: (channel, payload) => this.#hear(channel, payload),
      failed: (reason) => void this.#end(reason),
    });
    this.#logs = new LogSender({
      clock: time,
      position: () => this.#machine.position,
      send: (payload) => this.#link.publish('logs', payload),
      log,
    });
    const garden = new GardenReader(this.#api);
    const actions = this.#actions();
    this.#desk = new RequestHandler({
      machine: this.#machine,
      context: (signal, afterwards) => ({
        machine: this.#machine,
        garden,
        actions,
        sequences: this.#sequences,
        sequenceLogs: () => this.#account.sequenceLogs,
        depth: 0,
        allowance: new StepBudget(),
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
    // Nobody has to wait for it.
    this.#connected.promise.catch(() => undefined);
  }

  /** Where it is, in millimetres. */
  get position(): Vector {
    return this.#machine.position;
  }

  get isLocked(): boolean {
    return this.#machine.isLocked;
  }

  /** Encoded; null when it has none. */
  get token(): string | null {
    return this.#api.token?.encoded ?? null;
  }

  /** Resolves with a sentence when the robot has ended, by itself or because it was stopped. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** Signs in, reads the account's data and connects. Resolves when the broker has taken it in. Throws {@link RobotError} when it cannot sign in. */
  async start(): Promise<void> {
    await this.#api.signIn();
    await this.#sync();
    this.#link.start();
    await this.#connected.promise;
  }

  /** Ends its work and its connection. */
  stop(): Promise<void> {
    return this.#end('It was stopped.');
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
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, farewellTime);
    });
    await Promise.race([this.#link.end().catch(() => undefined), patience]);
    clearTimeout(timer);
    this.#status.stop();
    this.#connected.reject(new RobotError(reason));
    this.#ended.resolve(reason);
  }

  /** The token for the next connection: the same as before, unless the broker refused it. */
  async #token(wasRefused: boolean): Promise<RobotToken> {
    const token = this.#api.token;
    if (token && !wasRefused) return token;
    try {
      if (this.#api.canSignIn) return await this.#api.signIn();
      // The server's word decides: the broker may also refuse because of too many logins.
      if (token) await this.#api.get('/api/device');
    } catch (error) {
      if (error instanceof RobotError && (error.status === 401 || error.status === 422))
        throw new PermanentFailure(`The server does not let it in any more: ${error.message}`);
      throw error;
    }
    if (!token) throw new PermanentFailure('It has no token any more.');
    return token;
  }

  #greet(): void {
    this.#log(`Connected as ${this.#api.token?.bot ?? 'nobody'}.`);
    this.#logs.flush();
    this.#status.publishNow();
    // What was announced in the meantime went past it.
    if (this.#hasConnected)
      this.#sync().catch((error: unknown) =>
        this.#log(`The data could not be read: ${error instanceof Error ? error.message : 'unknown'}`),
      );
    this.#hasConnected = true;
    if (!this.#hasGreeted) {
      this.#hasGreeted = true;
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

  #hear(channel: string, payload: Buffer): void {
    const [kind, name, ...more] = channel.split('/');
    if (channel === 'from_clients') this.#desk.handle(payload.toString('utf8'));
    else if (kind === 'ping' && name !== undefined && more.length === 0) this.#pong(name, payload);
    else if (kind === 'sync') this.#takeSync(channel.split('/'), payload.toString('utf8'));
  }

  #pong(name: string, payload: Buffer): void {
    this.#link.publish(`pong/${name}`, payload);
    const now = this.#time.now();
    if (now - this.#pingedAt < pingedStatusInterval) return;
    this.#pingedAt = now;
    this.#status.publishNow();
  }

  /** Every change is acknowledged with its label; the settings are taken over. [client FBOS] */
  #takeSync([, resource = '', id = '']: readonly string[], text: string): void {
    try {
      const message: unknown = JSON.parse(text);
      if (!isObject(message) || !isObject(message.args) || typeof message.args.label !== 'string') return;
      this.#account.applyChange(resource, Number(id), message.body);
      if (resource === 'Sequence') this.#sequences.applyChange(Number(id), message.body);
      this.#status.changed();
      this.#answer(message.args.label, null);
    } catch {
      this.#log('A change from the server could not be read.');
    }
  }

  #answer(label: string, problem: string | null): void {
    const answer =
      problem === null
        ? { kind: 'rpc_ok', args: { label } }
        : {
            kind: 'rpc_error',
            args: { label },
            body: [{ kind: 'explanation', args: { message: problem } }],
          };
    this.#link.publish('from_device', JSON.stringify(answer));
  }

  #health(): { uptime: number; memory: number } {
    const uptime = Math.round((this.#time.now() - this.#startedAt) / 1000);
    return { uptime, memory: Math.round(process.memoryUsage.rss() / 2 ** 20) };
  }

  #publishStatus(): void {
    this.#link.publish('status', JSON.stringify(stateTree(this.#machine, this.#account, this.#health())));
  }

  #sendTelemetry(): void {
    const telemetry = telemetryOf(this.#health(), timestamp(this.#time.now()));
    this.#link.publish('telemetry', JSON.stringify(telemetry));
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
        this.#hasGreeted = false;
        for (const timer of this.#timers.splice(0)) clearInterval(timer);
        // A restarted robot signs in again with what it has.
        if (this.#api.canSignIn) this.#api.clearToken();
        await this.#link.restart(this.#restartTime);
      },
      end: (reason) => this.#lastWords(reason),
      factoryReset: (reason) => {
        const ended = this.#lastWords(reason);
        this.#api.clearToken();
        return ended;
      },
    };
  }

  #lastWords(reason: string): Promise<void> {
    this.#logs.log('warn', toPrintable(reason));
    return this.#end(reason);
  }
}
