import { GardenReader } from '../../src/robot/garden-reader.ts';
import type { PausableClock } from '../../src/robot/machine.ts';
import { Machine } from '../../src/robot/machine.ts';
import { RequestHandler } from '../../src/robot/request-handler.ts';
import { RobotApi } from '../../src/robot/robot-api.ts';
import { SequenceCache } from '../../src/robot/sequence-cache.ts';
import type { RobotActions } from '../../src/robot/step-context.ts';
import { StepBudget } from '../../src/robot/step-context.ts';

/** A clock that advances only when the robot pauses. */
class QuickTime implements PausableClock {
  #now = 0;

  now(): number {
    return this.#now;
  }

  async pause(ms: number, signal: AbortSignal): Promise<void> {
    await new Promise(setImmediate);
    signal.throwIfAborted();
    this.#now += ms;
  }
}

/** A request handler with a machine. It fetches stored sequences from `server`; by default nothing listens there. */
export class RobotHarness {
  readonly time = new QuickTime();
  readonly responses: [string, string | null][] = [];
  readonly problems: string[] = [];
  readonly performed: string[] = [];
  readonly machine = new Machine({ speed: 100, tick: 100, time: this.time, changed: () => undefined });
  readonly handler: RequestHandler;
  readonly sequences: SequenceCache;
  /** The account's settings of sequence logs. */
  sequenceLogs = { begin: false, steps: false, end: false };
  #labels = 0;

  constructor(server = 'http://127.0.0.1:1') {
    const api = new RobotApi(server, { token: '' });
    const garden = new GardenReader(api);
    this.sequences = new SequenceCache(api);
    const note = (what: string) => async () => {
      this.performed.push(what);
    };
    const actions: RobotActions = {
      log: (type, message, { channels = [] } = {}) => this.performed.push([type, message, ...channels].join('|')),
      publishStatus: () => this.performed.push('status'),
      sync: note('sync'),
      setEnvironment: async (values) => {
        this.performed.push(JSON.stringify([...values]));
      },
      recordReading: note('reading'),
      resetFirmware: note('reset firmware'),
      reboot: note('reboot'),
      end: note('end'),
      factoryReset: note('forget'),
    };
    this.handler = new RequestHandler({
      machine: this.machine,
      context: (signal, afterwards) => ({
        machine: this.machine,
        garden,
        actions,
        sequences: this.sequences,
        sequenceLogs: () => this.sequenceLogs,
        depth: 0,
        budget: new StepBudget(),
        variables: new Map(),
        signal,
        heights: () => ({ safeHeight: -10, soilHeight: -400 }),
        axisOrder: () => 'xy,z;high',
        random: () => 0.75,
        afterwards,
      }),
      answer: (label, problem) => {
        this.performed.push('answer');
        this.responses.push([label, problem]);
      },
      reportProblem: (problem) => this.problems.push(problem),
    });
  }

  /** Sends a request with these steps and returns its label. */
  send(...body: readonly object[]): string {
    const label = `label ${++this.#labels}`;
    this.handler.handle(JSON.stringify({ kind: 'rpc_request', args: { label, priority: 500 }, body }));
    return label;
  }

  async waitForAnswers(count = this.#labels): Promise<void> {
    while (this.responses.length < count) await new Promise(setImmediate);
    await new Promise(setImmediate);
  }

  /** Runs steps and returns the reason of a failure, or null. */
  async run(...body: readonly object[]): Promise<string | null | undefined> {
    this.send(...body);
    await this.waitForAnswers();
    return this.responses.at(-1)?.[1];
  }
}

/** A node, as clients send it. */
export const step = (kind: string, args: object = {}, body?: readonly object[]): object => ({ kind, args, body });
export const numeric = (number: number) => step('numeric', { number });
