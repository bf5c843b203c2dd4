/** How long a broker may take to send a discovery back, in ms. */
const echoTimeout = 30_000;
/** A discovery is held back when the connection was lost after it so many times in succession. */
const maxLosses = 2;
/** How long it is held back, in ms. */
const holdTime = 10 * 60_000;

export interface DiscoveryEchoesOptions {
  /** Called with the size of a discovery that the broker does not take, in bytes. */
  readonly onRefused: (bytes: number) => void;
  /** Called when what was held back may be published again. */
  readonly onRetry: () => void;
}

/**
 * Observes whether a broker sends discoveries back to their author, who subscribes to them. Brokers that limit messages drop
 * larger ones silently, or close the connection, after which they would be sent again for ever.
 */
export class DiscoveryEchoes {
  readonly #options: DiscoveryEchoesOptions;
  readonly #awaited = new Map<string, { readonly bytes: number; readonly timer: NodeJS.Timeout }>();
  readonly #losses = new Map<string, number>();
  readonly #held = new Map<string, NodeJS.Timeout>();

  constructor(options: DiscoveryEchoesOptions) {
    this.#options = options;
  }

  /** Begins to wait for a discovery that is to be published; false: it is held back. */
  begin(topic: string, payload: string): boolean {
    if (this.#held.has(topic)) return false;
    clearTimeout(this.#awaited.get(topic)?.timer);
    const bytes = Buffer.byteLength(payload);
    const timer = setTimeout(() => {
      this.#awaited.delete(topic);
      this.#options.onRefused(bytes);
    }, echoTimeout).unref();
    this.#awaited.set(topic, { bytes, timer });
    return true;
  }

  received(topic: string): void {
    clearTimeout(this.#awaited.get(topic)?.timer);
    if (this.#awaited.delete(topic)) this.#losses.delete(topic);
  }

  /** Counts a lost connection against the discoveries that are awaited. */
  lost(): void {
    for (const [topic, { bytes, timer }] of this.#awaited) {
      clearTimeout(timer);
      const losses = (this.#losses.get(topic) ?? 0) + 1;
      this.#losses.set(topic, losses);
      if (losses < maxLosses) continue;
      this.#losses.delete(topic);
      this.#options.onRefused(bytes);
      this.#held.set(topic, setTimeout(() => this.#release(topic), holdTime).unref());
    }
    this.#awaited.clear();
  }

  #release(topic: string): void {
    this.#held.delete(topic);
    this.#options.onRetry();
  }

  end(): void {
    for (const { timer } of this.#awaited.values()) clearTimeout(timer);
    for (const timer of this.#held.values()) clearTimeout(timer);
    this.#awaited.clear();
    this.#held.clear();
  }
}
