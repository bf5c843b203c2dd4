/** Keeps at most `size` values by text, of which the least recently used half is forgotten at a time: an LRUCache moves each entry that is used. */
export class RecentValues<V> {
  readonly #size: number;
  #recent = new Map<string, V>();
  #older = new Map<string, V>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: string): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: V): void {
    if (this.#recent.size >= this.#size / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }
}
