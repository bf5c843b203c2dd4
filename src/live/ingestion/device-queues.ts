/** Messages of one device that are stored in one go at most. */
const batch = 100;
/** Messages that are being stored at once, of all devices: on SQLite they hold up everybody else, about 10 ms. */
const messagesAtOnce = 500;
/** What may wait for one device: so many messages, so many bytes. */
const mostMessages = 1000;
const mostBytes = 4 * 1024 * 1024;
/** Bytes that may wait for all devices together. */
const mostBytesInAll = 64 * 1024 * 1024;
/** Bytes that a message takes beside its own. */
const overhead = 1000;

interface Waiting<M> {
  readonly message: M;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Lane<M> {
  waiting: Waiting<M>[];
  bytes: number;
  isBusy: boolean;
}

/** Does the work on messages of a device, in their order. Rejects when they must all come again. */
export type Work<M> = (deviceId: number, messages: readonly M[]) => Promise<void>;

/** Messages of robots that wait for the database. Those of one device stay in order and are worked on in batches; devices do not wait for each other. */
export class DeviceQueues<M> {
  readonly #work: Work<M>;
  readonly #devicesAtOnce: number;
  readonly #lanes = new Map<number, Lane<M>>();
  /** Devices that have messages and are not being worked on, in the order of their turn. */
  readonly #ready = new Set<number>();
  readonly #idle: (() => void)[] = [];
  #bytes = 0;
  #devicesAtWork = 0;
  #messagesAtWork = 0;
  #isPlanned = false;

  constructor(work: Work<M>, devicesAtOnce: number) {
    this.#work = work;
    this.#devicesAtOnce = devicesAtOnce;
  }

  /** Settles with the work on this message. Null: there is no room for it. `size` in bytes. */
  put(deviceId: number, size: number, message: M): Promise<void> | null {
    let lane = this.#lanes.get(deviceId);
    const bytes = size + overhead;
    if (this.#bytes + bytes > mostBytesInAll) return null;
    if (lane && (lane.waiting.length >= mostMessages || lane.bytes + bytes > mostBytes)) return null;
    if (!lane) {
      lane = { waiting: [], bytes: 0, isBusy: false };
      this.#lanes.set(deviceId, lane);
    }
    const { waiting, isBusy } = lane;
    lane.bytes += bytes;
    this.#bytes += bytes;
    if (!isBusy) this.#ready.add(deviceId);
    this.#plan();
    return new Promise((resolve, reject) => waiting.push({ message, bytes, resolve, reject }));
  }

  /** Resolves when nothing waits any more. */
  drained(): Promise<void> {
    return this.#lanes.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Refuses all that waits; what is being worked on goes on. */
  refuseAll(error: unknown): void {
    for (const deviceId of this.#lanes.keys()) this.#refuse(deviceId, error);
  }

  /** Turns come from the event loop, one round each: on SQLite a backlog would otherwise let nobody else run. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#startSome();
    });
  }

  #startSome(): void {
    for (const deviceId of this.#ready) {
      if (this.#devicesAtWork >= this.#devicesAtOnce || this.#messagesAtWork >= messagesAtOnce) return;
      this.#ready.delete(deviceId);
      const lane = this.#lanes.get(deviceId);
      if (lane) void this.#process(deviceId, lane);
    }
  }

  /** One batch of a device. Never rejects. */
  async #process(deviceId: number, lane: Lane<M>): Promise<void> {
    const some = lane.waiting.length <= batch ? lane.waiting : lane.waiting.splice(0, batch);
    if (some === lane.waiting) lane.waiting = [];
    lane.isBusy = true;
    this.#devicesAtWork++;
    this.#messagesAtWork += some.length;
    try {
      await this.#work(
        deviceId,
        some.map(({ message }) => message),
      );
      for (const { resolve } of some) resolve();
    } catch (error) {
      for (const { reject } of some) reject(error);
      // They come again in their order only if those behind them do so too.
      this.#refuse(deviceId, error);
    }
    this.#devicesAtWork--;
    this.#messagesAtWork -= some.length;
    lane.isBusy = false;
    for (const { bytes } of some) this.#release(lane, bytes);
    if (lane.waiting.length > 0) this.#ready.add(deviceId);
    else this.#close(deviceId);
    if (this.#ready.size > 0) this.#plan();
  }

  #refuse(deviceId: number, error: unknown): void {
    const lane = this.#lanes.get(deviceId);
    if (!lane) return;
    for (const { bytes, reject } of lane.waiting.splice(0)) {
      this.#release(lane, bytes);
      reject(error);
    }
    if (!lane.isBusy) this.#close(deviceId);
  }

  #release(lane: Lane<M>, bytes: number): void {
    lane.bytes -= bytes;
    this.#bytes -= bytes;
  }

  #close(deviceId: number): void {
    this.#lanes.delete(deviceId);
    this.#ready.delete(deviceId);
    if (this.#lanes.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
