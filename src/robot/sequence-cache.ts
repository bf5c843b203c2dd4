import { isObject } from '../core/json.ts';
import { type RobotNode, readNode, StepError, toPrintable } from './nodes.ts';
import { type RobotApi, RobotError } from './robot-api.ts';

/** A parsed sequence. */
export interface CachedSequence {
  readonly id: number;
  readonly name: string;
  /** The declarations of its variables. */
  readonly declarations: readonly RobotNode[];
  readonly steps: readonly RobotNode[];
}

function readSequence(id: number, value: unknown): CachedSequence {
  if (!isObject(value) || !isObject(value.args)) throw new StepError('The server sent an invalid sequence.');
  const { name, args, body } = value;
  // The scope may be absent if there are no variables.
  const locals = isObject(args.locals) ? readNode(args.locals).body : [];
  const { body: steps } = readNode({ kind: 'sequence', args: {}, body });
  return { id, name: typeof name === 'string' ? toPrintable(name, 100) : 'a sequence', declarations: locals, steps };
}

/** Caches the account's sequences from first use until they change. */
export class SequenceCache {
  readonly #api: RobotApi;
  readonly #sequences = new Map<number, CachedSequence>();
  /** Incremented by every change: a response to an earlier request may be outdated. */
  #generation = 0;

  constructor(api: RobotApi) {
    this.#api = api;
  }

  /** Returns a sequence. Throws {@link StepError} if it does not exist, `RobotError` if the server is unreachable. */
  async get(id: number): Promise<CachedSequence> {
    const known = this.#sequences.get(id);
    if (known) return known;
    const generation = this.#generation;
    const sequence = readSequence(id, await this.#fetch(id));
    if (generation === this.#generation) this.#sequences.set(id, sequence);
    return sequence;
  }

  /** Applies an announced change; `body` is null if the sequence was deleted. */
  applyChange(id: number, body: unknown): void {
    this.#generation++;
    this.#sequences.delete(id);
    // An invalid sequence is fetched again when it is run, which reports the problem.
    if (isObject(body)) this.#store(id, body);
  }

  /** Removes all sequences. */
  clear(): void {
    this.#generation++;
    this.#sequences.clear();
  }

  #store(id: number, body: object): void {
    try {
      this.#sequences.set(id, readSequence(id, body));
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
    }
  }

  async #fetch(id: number): Promise<unknown> {
    try {
      return await this.#api.get(`/api/sequences/${id}`);
    } catch (error) {
      if (!(error instanceof RobotError) || error.status !== 404) throw error;
      throw new StepError(`There is no sequence ${id} in this account.`);
    }
  }
}
