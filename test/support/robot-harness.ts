import { EventEmitter, once } from 'node:events';
import { AccountData } from '../../src/robot/account-data.ts';
import { Camera } from '../../src/robot/camera.ts';
import { GardenReader } from '../../src/robot/garden-reader.ts';
import { JobList } from '../../src/robot/job-list.ts';
import { LuaRunner } from '../../src/robot/lua/lua-runner.ts';
import type { LuaLimits, ScriptScheduler } from '../../src/robot/lua/lua-thread.ts';
import type { PausableClock } from '../../src/robot/machine.ts';
import { Machine } from '../../src/robot/machine.ts';
import { osVersions } from '../../src/robot/os-version.ts';
import { RequestHandler, sentenceOf } from '../../src/robot/request-handler.ts';
import { RobotApi } from '../../src/robot/robot-api.ts';
import { RunningPrograms } from '../../src/robot/running-programs.ts';
import { SequenceCache } from '../../src/robot/sequence-cache.ts';
import { stateTree } from '../../src/robot/status.ts';
import type { RobotActions } from '../../src/robot/step-context.ts';
import { StepBudget } from '../../src/robot/step-context.ts';
import { runSteps } from '../../src/robot/steps.ts';

/** A clock that advances only when the robot pauses. */
export class QuickTime implements PausableClock {
  #now: number;

  /** `start`: the first time, in ms since the epoch. */
  constructor(start = 0) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  set(now: number): void {
    this.#now = now;
  }

  async pause(ms: number, signal: AbortSignal): Promise<void> {
    await new Promise(setImmediate);
    signal.throwIfAborted();
    // At least the precision of the time.
    this.#now += Math.max(ms, 0.001);
  }
}

/** A request handler with a machine. It fetches stored sequences from `server`; by default nothing listens there. */
export class RobotHarness {
  readonly version = osVersions[0];
  readonly time = new QuickTime();
  readonly responses: [string, string | null][] = [];
  readonly problems: string[] = [];
  readonly performed: string[] = [];
  /** The assertions that were logged. */
  readonly assertions: object[] = [];
  readonly machine = new Machine({ speed: 100, tick: 100, time: this.time, changed: () => undefined });
  readonly handler: RequestHandler;
  readonly sequences: SequenceCache;
  readonly account: AccountData;
  readonly jobs = new JobList(this.time, () => undefined);
  running = new RunningPrograms(() => undefined);
  readonly lua: LuaRunner;
  readonly #events = new EventEmitter();
  #labels = 0;

  constructor(server = 'http://127.0.0.1:1', limits?: LuaLimits, scheduler?: ScriptScheduler) {
    const api = new RobotApi(server, { token: '' });
    this.account = new AccountData(api);
    this.configure({});
    this.lua = new LuaRunner(runSteps, sentenceOf, { limits, scheduler });
    const garden = new GardenReader(api, this.time);
    this.sequences = new SequenceCache(api);
    const record = (what: string) => async () => {
      this.performed.push(what);
    };
    const actions: RobotActions = {
      log: (type, message, { channels = [], assertion } = {}) => {
        this.performed.push([type, message, ...channels].join('|'));
        if (assertion) this.assertions.push(assertion);
      },
      publishStatus: () => this.performed.push('status'),
      sync: record('sync'),
      setEnvironment: async (values) => {
        this.performed.push(JSON.stringify([...values]));
      },
      resetFirmware: record('reset firmware'),
      reboot: record('reboot'),
      end: record('end'),
      factoryReset: record('forget'),
    };
    this.handler = new RequestHandler({
      machine: this.machine,
      context: (signal, afterwards) => ({
        machine: this.machine,
        api,
        account: this.account,
        garden,
        camera: new Camera(api, garden, this.time),
        jobs: this.jobs,
        running: this.running,
        state: () => stateTree(this, { uptime: 0, memory: 0 }),
        clock: this.time,
        actions,
        sequences: this.sequences,
        fetch: null,
        runLua: this.lua.run.bind(this.lua),
        depth: 0,
        budget: new StepBudget(),
        variables: new Map(),
        signal,
        random: () => 0.75,
        afterwards,
      }),
      respond: (label, problem) => {
        this.performed.push('response');
        this.responses.push([label, problem]);
        this.#events.emit('response');
      },
      reportProblem: (problem) => this.problems.push(problem),
    });
  }

  /** Removes the recorded messages. */
  reset(): void {
    for (const list of [this.responses, this.problems, this.performed, this.assertions]) list.length = 0;
    this.#labels = 0;
  }

  /** Changes the account's settings. */
  configure(settings: object): void {
    const defaults = { safe_height: -10, soil_height: -400, default_axis_order: 'xy,z;high' };
    this.account.applyChange('FbosConfig', 1, { ...defaults, ...settings });
  }

  /** Sends a request with these steps and returns its label. */
  send(...body: readonly object[]): string {
    const label = `label ${++this.#labels}`;
    this.handler.handle(JSON.stringify({ kind: 'rpc_request', args: { label, priority: 500 }, body }));
    return label;
  }

  async waitForResponses(count = this.#labels): Promise<void> {
    while (this.responses.length < count) await once(this.#events, 'response');
    await new Promise(setImmediate);
  }

  /** Runs steps and returns the reason of a failure, or null. */
  async run(...body: readonly object[]): Promise<string | null | undefined> {
    this.send(...body);
    await this.waitForResponses();
    return this.responses.at(-1)?.[1];
  }
}

/** A node, as clients send it. */
export const step = (kind: string, args: object = {}, body?: readonly object[]): object => ({ kind, args, body });
export const numeric = (number: number) => step('numeric', { number });
