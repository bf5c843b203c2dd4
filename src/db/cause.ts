import { randomUUID } from 'node:crypto';
import type { Actor } from '../core/changes.ts';

/** The cause of changes: a request, a run of a job, or a batch of messages. */
export class Cause {
  readonly actor: Actor;
  readonly #outer: Cause | null;
  #request: string | undefined;

  constructor(actor: Actor, outer: Cause | null = null) {
    this.actor = actor;
    this.#outer = outer;
  }

  /** The same for all changes of one cause; generated on demand. */
  get request(): string {
    this.#request ??= this.#outer?.request ?? randomUUID();
    return this.#request;
  }

  /** Returns the same cause with another actor, if one is given. */
  by(actor: Actor | undefined): Cause {
    return actor === undefined ? this : new Cause(actor, this);
  }
}
