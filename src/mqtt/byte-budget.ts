/**
 * Limits the bytes that many holders have together: beyond the limit the largest are evicted, one after the other. Reported
 * sizes may be out of date, so all holders are measured before any is evicted.
 */
export class ByteBudget<Holder> {
  readonly #limit: number;
  readonly #measure: (holder: Holder) => number;
  readonly #evict: (holder: Holder) => void;
  readonly #held = new Map<Holder, number>();
  #total = 0;

  constructor(limit: number, measure: (holder: Holder) => number, evict: (holder: Holder) => void) {
    this.#limit = limit;
    this.#measure = measure;
    this.#evict = evict;
  }

  /** The sum of the reported sizes. */
  get total(): number {
    return this.#total;
  }

  /** Records the size of a holder; 0 removes it. */
  report(holder: Holder, bytes: number): void {
    if (bytes === (this.#held.get(holder) ?? 0)) return;
    this.#set(holder, bytes);
    if (this.#total > this.#limit) this.#shrink();
  }

  #shrink(): void {
    for (const holder of [...this.#held.keys()]) this.#set(holder, this.#measure(holder));
    if (this.#total <= this.#limit) return;
    const largestFirst = [...this.#held].sort(([, one], [, other]) => other - one);
    for (const [holder] of largestFirst) {
      if (this.#total <= this.#limit) return;
      this.#set(holder, 0);
      this.#evict(holder);
    }
  }

  #set(holder: Holder, bytes: number): void {
    this.#total += bytes - (this.#held.get(holder) ?? 0);
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
  }
}
