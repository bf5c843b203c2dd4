import { isObject } from '../core/json.ts';
import type { Machine } from './machine.ts';
import { type RobotNode, readNode, StepError, toPrintable } from './nodes.ts';
import { RobotError } from './robot-api.ts';
import type { StepContext } from './step-context.ts';
import { isImmediate, runSteps } from './steps.ts';

/** Characters of a request; the server's packets are limited too. */
const longestRequest = 256 * 1024;
const longestLabel = 1024;
/** Requests that may wait for the machine or be under way. */
const mostWaiting = 100;

export interface RequestHandlerOptions {
  readonly machine: Machine;
  readonly context: (signal: AbortSignal, afterwards: StepContext['afterwards']) => StepContext;
  /** Sends the answer to the request of that label; a problem makes it an error. */
  readonly answer: (label: string, problem: string | null) => void;
  /** Is told what went wrong, whoever asked. */
  readonly reportProblem: (problem: string) => void;
}

/** Takes requests (`rpc_request`), carries them out and answers each. One moves the machine at a time, in the order of arrival. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  /** Takes what came from the broker. Never throws. */
  handle(text: string): void {
    const label = this.#labelOf(text);
    if (label === null) return;
    try {
      const request = readNode(JSON.parse(text));
      if (request.kind !== 'rpc_request') throw new StepError('Only requests of kind "rpc_request" are answered.');
      if (this.#waiting >= mostWaiting) throw new StepError('Too many requests wait already.');
      this.#waiting++;
      // Taken now: what waits for the machine when it is stopped must not begin later.
      const signal = this.#options.machine.stopSignal;
      const work = () => this.#work(label, request.body, signal);
      if (request.body.every(isImmediate)) void work();
      else this.#queue = this.#queue.then(work);
    } catch (error) {
      this.#fail(label, error);
    }
  }

  /** Null when nobody could be answered. */
  #labelOf(text: string): string | null {
    if (text.length > longestRequest) {
      this.#options.reportProblem('A request was too long.');
      return null;
    }
    try {
      const value: unknown = JSON.parse(text);
      if (isObject(value) && isObject(value.args)) {
        const { label } = value.args;
        if (typeof label === 'string' && label.length <= longestLabel) return label;
      }
    } catch {
      // No JSON, no label.
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
      this.#options.answer(label, null);
    } catch (error) {
      this.#fail(label, error);
    } finally {
      this.#waiting--;
    }
    for (const work of later) await work().catch((error: unknown) => this.#options.reportProblem(sentenceOf(error)));
  }

  #fail(label: string, error: unknown): void {
    const problem = sentenceOf(error);
    this.#options.reportProblem(problem);
    this.#options.answer(label, problem);
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof StepError || error instanceof RobotError) return toPrintable(error.message);
  return `Something went wrong inside the virtual robot${error instanceof Error ? ` (${error.name})` : ''}.`;
}
