import { isObject } from '../core/json.ts';
import { AccountData } from './account-data.ts';
import {
  type BackOff,
  type BrokerAddress,
  BrokerConnection,
  PermanentFailure,
  robotBackOff,
} from './broker-connection.ts';
import { Camera } from './camera.ts';
import { Deferred } from './deferred.ts';
import { GardenReader } from './garden-reader.ts';
import { JobList } from './job-list.ts';
import { LocalCopy } from './local-copy.ts';
import { sayOfRobot } from './log-messages.ts';
import { LuaRunner } from './lua/lua-runner.ts';
import type { ScriptScheduler } from './lua/lua-thread.ts';
import { Machine, type PausableClock, systemTime } from './machine.ts';
import { createNode, type Vector } from './nodes.ts';
import { isOs154, type OsVersion, osVersions } from './os-version.ts';
import { Reports } from './reports.ts';
import { RequestHandler, sentenceOf } from './request-handler.ts';
import { RobotApi, RobotError, type RobotSignIn, type RobotToken, type RobotTransport } from './robot-api.ts';
import { RunningPrograms } from './running-programs.ts';
import { ScheduledRuns } from './scheduled-runs.ts';
import { SequenceCache } from './sequence-cache.ts';
import { type RobotActions, type RobotFetch, StepBudget } from './step-context.ts';
import { runSteps } from './steps.ts';

/** Interval of keep-alive requests, in ms. [rule R7] */
const keepAliveInterval = 15 * 60_000;
/** Maximum interval of states, in ms: with RabbitMQ the server knows by them that a robot is connected. */
const aliveInterval = 60_000;
/** Pause of OS 15.4 after a failed synchronization, in ms. [rule R33] */
const syncInterval = 5_000;
/** Maximum time to flush the connection at the end, in ms. */
const closeTimeout = 2_000;

export interface VirtualRobotOptions extends BrokerAddress {
  /** `http://host:port`. */
  readonly server: string;
  /** Sends requests to the server; over the network by default. */
  readonly transport?: RobotTransport | undefined;
  readonly credentials: RobotSignIn;
  /** Prints a line for each event. */
  readonly log: (line: string) => void;
  /** The version of its operating system; the newest by default. */
  readonly version?: OsVersion | undefined;
  /** Pause of OS 15.4 before each record that it uploads, in ms; 1 second by default. [rule R33] */
  readonly uploadPause?: number | undefined;
  readonly time?: PausableClock;
  /** The speed of each axis at 100 %, in mm/s; 200 by default. */
  readonly speed?: number | undefined;
  /** Interval of telemetry messages, in ms; 5 minutes by default. [rule R11] */
  readonly telemetryInterval?: number | undefined;
  /** Minimum interval of states, in ms; 300 by default. */
  readonly statusInterval?: number | undefined;
  /** Pauses between connection attempts; a real robot's by default. */
  readonly backOff?: BackOff;
  /** The first position, in mm; 0 by default. */
  readonly position?: Vector | undefined;
  /** Fetches addresses for scripts that use `http`; by default they get nil. */
  readonly fetch?: RobotFetch | undefined;
  /** Called after each synchronization; after the first one before scripts can run, but as OS 15.4. */
  readonly synced?: (() => void) | undefined;
  /** When scripts compute; by default at any time. */
  readonly scheduler?: ScriptScheduler;
  /** Duration of a simulated restart, in ms; 2 seconds by default. */
  readonly restartTime?: number;
}

/** A robot without hardware, which looks like a real one to the server and its clients. */
export class VirtualRobot {
  readonly #api: RobotApi;
  readonly #machine: Machine;
  readonly #account: AccountData;
  readonly #sequences: SequenceCache;
  readonly #connection: BrokerConnection;
  readonly #reports: Reports;
  readonly #lua: LuaRunner;
  readonly #requests: RequestHandler;
  readonly #schedule: ScheduledRuns;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #options: VirtualRobotOptions;
  readonly #connected = new Deferred<void>();
  readonly #ended = new Deferred<string>();
  readonly #time: PausableClock;
  /** The account's copy in OS 15.4. */
  readonly #copy: LocalCopy | null;
  #activeAt: number;
  #hasConnected = false;
  #hasReportedReady = false;
  #hasBooted = false;
  #stopping: Promise<void> | null = null;

  constructor(options: VirtualRobotOptions) {
    const { server, credentials, transport, log, version = osVersions[0] } = options;
    const { time = systemTime, speed = 200, statusInterval = 300 } = options;
    this.#time = time;
    this.#activeAt = time.now();
    this.#options = options;
    this.#api = new RobotApi(server, credentials, { transport, version });
    this.#copy = isOs154(version)
      ? new LocalCopy({ api: this.#api, clock: time, print: log, uploadPause: options.uploadPause ?? 1_000 })
      : null;
    this.#account = new AccountData(this.#api, this.#copy);
    this.#sequences = new SequenceCache(this.#api);
    this.#lua = new LuaRunner(runSteps, sentenceOf, { scheduler: options.scheduler });
    const changed = () => this.#reports.stateChanged();
    this.#machine = new Machine({
      position: options.position,
      speed,
      tick: Math.min(statusInterval, 100),
      time,
      changed,
    });
    this.#connection = new BrokerConnection({
      version,
      port: options.port,
      webSocket: options.webSocket,
      backOff: options.backOff ?? robotBackOff,
      token: (wasRejected) => this.#token(wasRejected),
      log,
      connected: () => this.#onConnect(),
      received: (channel, payload) => this.#receive(channel, payload),
      failed: (reason) => void this.#end(reason),
    });
    const jobs = new JobList(time, changed);
    const running = new RunningPrograms(changed);
    this.#reports = new Reports({
      version,
      machine: this.#machine,
      account: this.#account,
      jobs,
      running,
      clock: time,
      statusInterval,
      publish: (channel, payload) => this.#connection.publish(channel, payload),
      print: log,
    });
    const garden = new GardenReader(this.#api, time);
    const common = {
      machine: this.#machine,
      api: this.#api,
      account: this.#account,
      garden,
      camera: new Camera(this.#api, garden, time),
      jobs,
      running,
      state: () => this.#reports.state(),
      clock: time,
      actions: this.#actions(),
      sequences: this.#sequences,
      fetch: options.fetch ?? null,
      runLua: this.#lua.run.bind(this.#lua),
      depth: 0,
      variables: new Map(),
      random: Math.random,
    };
    this.#requests = new RequestHandler({
      machine: this.#machine,
      context: (signal, afterwards) => ({ ...common, budget: new StepBudget(), signal, afterwards }),
      respond: (label, problem) => this.#reports.respond(label, problem),
      reportProblem: (problem) => this.#reports.log('error', problem),
    });
    this.#schedule = new ScheduledRuns({
      api: this.#api,
      clock: time,
      enqueue: (work) => this.#requests.enqueue(work),
      print: log,
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

  /** When it last began or ended to work, in ms since the epoch. */
  get activeAt(): number {
    return this.#machine.isBusy ? this.#time.now() : this.#activeAt;
  }

  /** Resolves with the reason, a sentence, when the robot has stopped. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** Signs in, fetches the account's data and connects to the broker. Throws {@link RobotError} if it cannot sign in. */
  async start(): Promise<void> {
    await this.#api.signIn();
    if (!this.#copy) await this.#sync();
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
    this.#copy?.end();
    this.#machine.stopWork('The robot stops.');
    this.#lua.stop();
    this.#reports.stop();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closeTimeout);
    });
    await Promise.race([this.#connection.end().catch(() => undefined), timeout]);
    clearTimeout(timer);
    this.#reports.stop();
    this.#connected.reject(new RobotError(reason));
    this.#ended.resolve(reason);
  }

  /** Returns the token for the next connection: the same as before, unless the broker rejected it; as OS 15.4 always. */
  async #token(wasRejected: boolean): Promise<RobotToken> {
    const token = this.#api.token;
    if (token && (!wasRejected || this.#copy)) return token;
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
    this.#options.log(`Connected as ${this.#api.token?.bot ?? 'unknown'}.`);
    this.#reports.connected();
    // Announcements were missed while disconnected. OS 15.4 fetches data only when it starts. [rule R33]
    if (this.#copy ? !this.#hasReportedReady : this.#hasConnected) this.#syncLater();
    this.#hasConnected = true;
    if (!this.#hasReportedReady) {
      this.#hasReportedReady = true;
      this.#reports.log('success', sayOfRobot.ready);
      this.#reports.sendTelemetry();
      this.#every(this.#options.telemetryInterval ?? 5 * 60_000, () => this.#reports.sendTelemetry());
      this.#every(ScheduledRuns.interval, () => void this.#schedule.check());
      this.#every(aliveInterval, () => this.#reports.stateChanged());
      this.#every(keepAliveInterval, () => void this.#api.get('/api/device').catch(() => undefined));
      this.#hasBooted = false;
      if (this.#account.status === 'synced') this.#boot();
    }
    this.#connected.resolve();
  }

  #every(ms: number, work: () => void): void {
    if (!this.#stopping) this.#timers.push(setInterval(work, ms));
  }

  #receive(channel: string, payload: Buffer): void {
    const [kind, name, ...more] = channel.split('/');
    if (channel === 'from_clients') this.#activeAt = this.#time.now();
    if (channel === 'from_clients') this.#requests.handle(payload.toString('utf8'));
    else if (kind === 'ping' && name !== undefined && more.length === 0) this.#reports.pong(name, payload);
    else if (kind === 'sync') this.#takeSync(channel.split('/'), payload.toString('utf8'));
  }

  /** Applies an announced change and acknowledges it with its label. [rule R9] */
  #takeSync([, resource = '', id = '']: readonly string[], text: string): void {
    try {
      const message: unknown = JSON.parse(text);
      if (!isObject(message) || !isObject(message.args) || typeof message.args.label !== 'string') return;
      this.#account.applyChange(resource, Number(id), message.body);
      this.#schedule.changed(resource);
      if (resource === 'Sequence') this.#sequences.applyChange(Number(id), message.body);
      this.#reports.stateChanged();
      this.#reports.respond(message.args.label, null);
    } catch {
      this.#options.log('Received an invalid announcement.');
    }
  }

  async #sync(): Promise<void> {
    this.#sequences.clear();
    this.#schedule.changed();
    await this.#account.sync(() => this.#reports.stateChanged());
    this.#options.synced?.();
    if (this.#hasReportedReady) this.#boot();
  }

  /** Runs the boot sequence, once after each start. */
  #boot(): void {
    const sequence_id = this.#account.bootSequence;
    if (this.#hasBooted) return;
    this.#hasBooted = true;
    if (sequence_id === null) return;
    this.#reports.log('info', sayOfRobot.boots);
    this.#requests.enqueue((context) => runSteps([createNode('execute', { sequence_id })], context));
  }

  /** Synchronizes in the background; as OS 15.4 until it succeeds. */
  #syncLater(): void {
    this.#sync().catch((error: unknown) => {
      this.#options.log(`Could not fetch the account's data: ${sentenceOf(error)}`);
      if (this.#copy && !this.#stopping) setTimeout(() => this.#syncLater(), syncInterval).unref();
    });
  }

  #actions(): RobotActions {
    return {
      log: (type, message, options) => this.#reports.log(type, message, options),
      publishStatus: () => this.#reports.publishState(),
      sync: () => this.#sync(),
      setEnvironment: async (values) => {
        await this.#account.setEnvironment(values);
        this.#reports.stateChanged();
      },
      resetFirmware: () => this.#account.resetFirmware(),
      reboot: async () => {
        this.#reports.log('info', sayOfRobot.restarting);
        this.#machine.restart();
        this.#hasReportedReady = false;
        for (const timer of this.#timers.splice(0)) clearInterval(timer);
        // A restarted robot signs in again with its credentials.
        if (this.#api.canSignIn) this.#api.clearToken();
        await this.#connection.restart(this.#options.restartTime ?? 2_000);
      },
      end: (reason) => this.#logAndStop(reason),
      factoryReset: (reason) => {
        const ended = this.#logAndStop(reason);
        this.#api.clearToken();
        return ended;
      },
    };
  }

  #logAndStop(reason: Parameters<RobotActions['end']>[0]): Promise<void> {
    this.#reports.log('warn', reason);
    return this.#end(String(reason));
  }
}
