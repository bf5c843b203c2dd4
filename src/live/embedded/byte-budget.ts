/**
 * Bytes that many hold together. When it is too much, those let go that hold most, one after the other. What holders
 * report may be out of date, so they are measured anew before anybody has to go.
 */
export class ByteBudget<Holder> {
  readonly #most: number;
  readonly #measure: (holder: Holder) => number;
  readonly #letGo: (holder: Holder) => void;
  readonly #held = new Map<Holder, number>();
  #total = 0;

  constructor(most: number, measure: (holder: Holder) => number, letGo: (holder: Holder) => void) {
    this.#most = most;
    this.#measure = measure;
    this.#letGo = letGo;
  }

  /** What all together hold, as reported. */
  get total(): number {
    return this.#total;
  }

  /** Somebody holds so many bytes now; with none it is forgotten. */
  report(holder: Holder, bytes: number): void {
    const before = this.#held.get(holder) ?? 0;
    if (bytes === before) return;
    this.#total += bytes - before;
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
    if (this.#total > this.#most) this.#shrink();
  }

  #shrink(): void {
    for (const holder of [...this.#held.keys()]) this.#set(holder, this.#measure(holder));
    if (this.#total <= this.#most) return;
    const largestFirst = [...this.#held].sort(([, one], [, other]) => other - one);
    for (const [holder] of largestFirst) {
      if (this.#total <= this.#most) return;
      this.#set(holder, 0);
      this.#letGo(holder);
    }
  }

  #set(holder: Holder, bytes: number): void {
    this.#total += bytes - (this.#held.get(holder) ?? 0);
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
  }
}
