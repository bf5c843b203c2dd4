import { isObject } from '../core/json.ts';
import type { Machine } from './machine.ts';
import { type RobotNode, readNode, StepError, toPrintable } from './nodes.ts';
import { RobotError } from './robot-api.ts';
import type { StepContext } from './step-context.ts';
import { isImmediate, runSteps } from './steps.ts';

/** Maximum length of a request, in characters. */
const maxRequestLength = 256 * 1024;
const maxLabelLength = 1024;
/** Maximum number of waiting and running requests. */
const maxPending = 100;

export interface RequestHandlerOptions {
  readonly machine: Machine;
  readonly context: (signal: AbortSignal, afterwards: StepContext['afterwards']) => StepContext;
  /** Sends the response to the request with this label: an error if there is a problem. */
  readonly respond: (label: string, problem: string | null) => void;
  /** Logs a problem. */
  readonly reportProblem: (problem: string) => void;
}

/** Returns the response to a request or announcement with this label: an error if there is a problem. */
export const createResponse = (label: string, problem: string | null): object =>
  problem === null
    ? { kind: 'rpc_ok', args: { label } }
    : { kind: 'rpc_error', args: { label }, body: [{ kind: 'explanation', args: { message: problem } }] };

/** Runs requests (`rpc_request`) and responds to each. Requests that need the machine run one at a time, in order of arrival. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  #queue: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  /** Handles a message from the broker. Never throws. */
  handle(text: string): void {
    const label = this.#labelOf(text);
    if (label === null) return;
    try {
      const request = readNode(JSON.parse(text));
      if (request.kind !== 'rpc_request') throw new StepError('Only requests of kind "rpc_request" get a response.');
      if (this.#pending >= maxPending) throw new StepError('Too many requests wait already.');
      this.#pending++;
      // Read now: a stop must also abort requests that still wait for the machine.
      const signal = this.#options.machine.stopSignal;
      const work = () => this.#work(label, request.body, signal);
      if (request.body.every(isImmediate)) void work();
      else this.#queue = this.#queue.then(work);
    } catch (error) {
      this.#fail(label, error);
    }
  }

  /** Runs work of the robot's own when the machine is free, after earlier work. Problems are reported. */
  enqueue(work: (context: StepContext) => Promise<void>): void {
    const { stopSignal } = this.#options.machine;
    this.#queue = this.#queue.then(async () => {
      const later: (() => Promise<void>)[] = [];
      try {
        await work(this.#options.context(stopSignal, (each) => later.push(each)));
      } catch (error) {
        this.#options.reportProblem(sentenceOf(error));
      }
      await this.#runLater(later);
    });
  }

  /** Returns the label of a request; null if there is none to respond to. */
  #labelOf(text: string): string | null {
    if (text.length > maxRequestLength) {
      this.#options.reportProblem('A request was too long.');
      return null;
    }
    try {
      const value: unknown = JSON.parse(text);
      if (isObject(value) && isObject(value.args)) {
        const { label } = value.args;
        if (typeof label === 'string' && label.length <= maxLabelLength) return label;
      }
    } catch {
      // Invalid JSON has no label.
    }
    this.#options.reportProblem('A request could not be read.');
    return null;
  }

  async #work(label: string, steps: readonly RobotNode[], signal: AbortSignal): Promise<void> {
    const later: (() => Promise<void>)[] = [];
    try {
      await runSteps(
        steps,
        this.#options.context(signal, (work) => later.push(work)),
      );
      this.#options.respond(label, null);
    } catch (error) {
      this.#fail(label, error);
    } finally {
      this.#pending--;
    }
    await this.#runLater(later);
  }

  async #runLater(later: readonly (() => Promise<void>)[]): Promise<void> {
    for (const work of later) await work().catch((error: unknown) => this.#options.reportProblem(sentenceOf(error)));
  }

  #fail(label: string, error: unknown): void {
    const problem = sentenceOf(error);
    this.#options.reportProblem(problem);
    this.#options.respond(label, problem);
  }
}

/** Describes an error in a sentence for the client. */
export function sentenceOf(error: unknown): string {
  if (error instanceof StepError || error instanceof RobotError) return toPrintable(error.message);
  return `Something went wrong inside the virtual robot${error instanceof Error ? ` (${error.name})` : ''}.`;
}
