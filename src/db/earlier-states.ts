/** The JSON of records before the first change of a transaction; null for created records. */
export class EarlierStates {
  readonly #outer: EarlierStates | null;
  readonly #states = new Map<string, string | null>();

  /** `outer`: the states of the transaction around a savepoint. */
  constructor(outer: EarlierStates | null) {
    this.#outer = outer;
  }

  /** Whether changes are logged without states. */
  isOmitted = false;

  /** Returns undefined if the state is not known. */
  get(resource: string, id: number): string | null | undefined {
    return this.#find(`${resource} ${id}`);
  }

  #find(key: string): string | null | undefined {
    const state = this.#outer === null ? undefined : this.#outer.#find(key);
    return state === undefined ? this.#states.get(key) : state;
  }

  /** Keeps a state, unless an earlier one is known. */
  add(resource: string, id: number, state: string | null): void {
    const key = `${resource} ${id}`;
    if (this.#find(key) === undefined) this.#states.set(key, state);
  }

  /** Adds the states of a savepoint that was released. */
  merge(inner: EarlierStates): void {
    this.isOmitted ||= inner.isOmitted;
    for (const [key, state] of inner.#states) if (this.#find(key) === undefined) this.#states.set(key, state);
  }
}
