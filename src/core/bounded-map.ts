/** A map with at most `max` keys. It consists of two generations: instead of ordering its keys, it drops half of them in constant time. An LRU cache allocates its whole size in advance. */
export class BoundedMap<V> {
  readonly #maxGeneration: number;
  #recent = new Map<string, V>();
  #older = new Map<string, V>();

  constructor(max: number) {
    this.#maxGeneration = max / 2;
  }

  /** Number of keys. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  /** Returns a value, whose key is in use again. */
  get(key: string): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  /** Drops the keys that were not used since as many others were, if there are too many. */
  set(key: string, value: V): void {
    this.#older.delete(key);
    if (this.#recent.size >= this.#maxGeneration && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }
}
