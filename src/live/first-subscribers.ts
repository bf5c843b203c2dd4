/** How long announcements of an earlier run wait for a subscriber after the start, in ms. */
const defaultTimeout = 60_000;

/** The devices with a client that subscribed since the start of the broker. */
export class FirstSubscribers {
  readonly #timeout: number;
  readonly #devices = new Set<number>();
  readonly #waiting = new Map<number, () => void>();
  readonly #promises = new Map<number, Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #isOver = false;

  constructor(timeout = defaultTimeout) {
    this.#timeout = timeout;
  }

  start(): void {
    this.#timer = setTimeout(() => this.stop(), this.#timeout).unref();
  }

  /** Ends all waits. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#isOver = true;
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
    this.#promises.clear();
    this.#devices.clear();
  }

  /** Records a subscriber to the announcements of a device. */
  add(deviceId: number): void {
    if (this.#isOver) return;
    this.#devices.add(deviceId);
    this.#waiting.get(deviceId)?.();
    this.#waiting.delete(deviceId);
    this.#promises.delete(deviceId);
  }

  /** Resolves when a client of the device has subscribed since the start, or a minute after the start. */
  whenAny(deviceId: number): Promise<void> {
    if (this.#isOver || this.#devices.has(deviceId)) return Promise.resolve();
    const existing = this.#promises.get(deviceId);
    if (existing) return existing;
    const promise = new Promise<void>((resolve) => this.#waiting.set(deviceId, resolve));
    this.#promises.set(deviceId, promise);
    return promise;
  }
}
