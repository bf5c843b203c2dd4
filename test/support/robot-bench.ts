import { Garden } from '../../src/robot/garden.ts';
import { Machine } from '../../src/robot/machine.ts';
import { RequestDesk } from '../../src/robot/requests.ts';
import { RobotApi } from '../../src/robot/robot-api.ts';
import { SequenceShelf } from '../../src/robot/sequence-shelf.ts';
import { StepAllowance } from '../../src/robot/step-allowance.ts';
import type { RobotActions } from '../../src/robot/step-context.ts';
import type { Time } from '../../src/robot/time.ts';

/** Time that passes as fast as the work does. */
class QuickTime implements Time {
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

/** A desk with a machine. It asks `server` for stored sequences; without one, nobody answers. */
export class Bench {
  readonly time = new QuickTime();
  readonly answers: [string, string | null][] = [];
  readonly complaints: string[] = [];
  readonly done: string[] = [];
  readonly machine = new Machine({ speed: 100, tick: 100, time: this.time, changed: () => undefined });
  readonly desk: RequestDesk;
  readonly sequences: SequenceShelf;
  /** As the account's settings say. */
  sequenceLogs = { begin: false, steps: false, end: false };
  #labels = 0;

  constructor(server = 'http://127.0.0.1:1') {
    const api = new RobotApi(server, { token: '' });
    const garden = new Garden(api);
    this.sequences = new SequenceShelf(api);
    const note = (what: string) => async () => {
      this.done.push(what);
    };
    const actions: RobotActions = {
      say: (type, message, { channels = [] } = {}) => this.done.push([type, message, ...channels].join('|')),
      publishStatus: () => this.done.push('status'),
      sync: note('sync'),
      setEnvironment: async (values) => {
        this.done.push(JSON.stringify([...values]));
      },
      recordReading: note('reading'),
      resetFirmware: note('reset firmware'),
      reboot: note('reboot'),
      end: note('end'),
      forget: note('forget'),
    };
    this.desk = new RequestDesk({
      machine: this.machine,
      context: (signal, afterwards) => ({
        machine: this.machine,
        garden,
        actions,
        sequences: this.sequences,
        sequenceLogs: () => this.sequenceLogs,
        depth: 0,
        allowance: new StepAllowance(),
        variables: new Map(),
        signal,
        heights: () => ({ safeHeight: -10, soilHeight: -400 }),
        axisOrder: () => 'xy,z;high',
        random: () => 0.75,
        afterwards,
      }),
      answer: (label, problem) => {
        this.done.push('answer');
        this.answers.push([label, problem]);
      },
      complain: (problem) => this.complaints.push(problem),
    });
  }

  /** Sends a request with these steps; gives its label. */
  send(...body: readonly object[]): string {
    const label = `label ${++this.#labels}`;
    this.desk.take(JSON.stringify({ kind: 'rpc_request', args: { label, priority: 500 }, body }));
    return label;
  }

  async answered(count = this.#labels): Promise<void> {
    while (this.answers.length < count) await new Promise(setImmediate);
    await new Promise(setImmediate);
  }

  /** Why a step was refused; null when it was carried out. */
  async reply(...body: readonly object[]): Promise<string | null | undefined> {
    this.send(...body);
    await this.answered();
    return this.answers.at(-1)?.[1];
  }
}

/** A node as clients send it. */
export const step = (kind: string, args: object = {}, body?: readonly object[]): object => ({ kind, args, body });
export const numeric = (number: number) => step('numeric', { number });
