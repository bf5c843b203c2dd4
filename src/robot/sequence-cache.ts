import { isObject } from '../core/json.ts';
import { type RobotNode, readNode, StepError, toPrintable } from './nodes.ts';
import { type RobotApi, RobotError } from './robot-api.ts';

/** A sequence as the robot carries it out. */
export interface CachedSequence {
  readonly name: string;
  /** Its variables, in the order of their declarations. */
  readonly declarations: readonly RobotNode[];
  readonly steps: readonly RobotNode[];
}

function readSequence(value: unknown): CachedSequence {
  if (!isObject(value) || !isObject(value.args)) throw new StepError('The server gave no sequence.');
  const { name, args, body } = value;
  // Without variables there may be no scope.
  const locals = isObject(args.locals) ? readNode(args.locals).body : [];
  const { body: steps } = readNode({ kind: 'sequence', args: {}, body });
  return { name: typeof name === 'string' ? toPrintable(name, 100) : 'a sequence', declarations: locals, steps };
}

/** The account's sequences: each is asked of the server when it is first needed and kept until it changes. */
export class SequenceCache {
  readonly #api: RobotApi;
  readonly #kept = new Map<number, CachedSequence>();
  /** Changes with every change that was heard of: an answer that was under way meanwhile may be older. */
  #edition = 0;

  constructor(api: RobotApi) {
    this.#api = api;
  }

  /** Throws {@link StepError} when the account has none with that id, `RobotError` when the server cannot be asked. */
  async get(id: number): Promise<CachedSequence> {
    const known = this.#kept.get(id);
    if (known) return known;
    const edition = this.#edition;
    const sequence = readSequence(await this.#ask(id));
    if (edition === this.#edition) this.#kept.set(id, sequence);
    return sequence;
  }

  /** Takes an announced change; `body` is null when the sequence was deleted. */
  applyChange(id: number, body: unknown): void {
    this.#edition++;
    this.#kept.delete(id);
    // What it cannot read is asked for again, and told to whoever wants it carried out.
    if (isObject(body)) this.#keep(id, body);
  }

  /** Everything may have changed. */
  clear(): void {
    this.#edition++;
    this.#kept.clear();
  }

  #keep(id: number, body: object): void {
    try {
      this.#kept.set(id, readSequence(body));
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
    }
  }

  async #ask(id: number): Promise<unknown> {
    try {
      return await this.#api.get(`/api/sequences/${id}`);
    } catch (error) {
      if (!(error instanceof RobotError) || error.status !== 404) throw error;
      throw new StepError(`There is no sequence ${id} in this account.`);
    }
  }
}
