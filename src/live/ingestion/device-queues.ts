/** Messages of a device per transaction. */
const batchSize = 100;
/** Maximum number of messages that are stored concurrently: on SQLite they block other requests, for about 10 ms. */
const maxConcurrentMessages = 500;
/** Messages queued for a device. */
const maxMessagesPerDevice = 1000;
/** Bytes queued for a device. */
const maxBytesPerDevice = 4 * 1024 * 1024;
/** Bytes queued for all devices. */
const maxTotalBytes = 64 * 1024 * 1024;
/** Bytes that a message counts in addition to its payload. */
const messageOverhead = 1000;

interface Entry<M> {
  readonly message: M;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface DeviceQueue<M> {
  entries: Entry<M>[];
  bytes: number;
  isProcessing: boolean;
}

/** Processes messages of a device, in order. Rejects when all of them must be sent again. */
export type BatchHandler<M> = (deviceId: number, messages: readonly M[]) => Promise<void>;

/** Queues of messages that wait for the database, one per device. A device's messages are processed in order and in batches; devices do not wait for each other. */
export class DeviceQueues<M> {
  readonly #handle: BatchHandler<M>;
  readonly #maxConcurrentDevices: number;
  readonly #queues = new Map<number, DeviceQueue<M>>();
  /** Devices with messages that are not being processed, in order. */
  readonly #ready = new Set<number>();
  readonly #drainListeners: (() => void)[] = [];
  #bytes = 0;
  #activeDevices = 0;
  #activeMessages = 0;
  #isScheduled = false;

  constructor(handle: BatchHandler<M>, maxConcurrentDevices: number) {
    this.#handle = handle;
    this.#maxConcurrentDevices = maxConcurrentDevices;
  }

  /** Queues a message; the promise settles when it is processed. Returns null when there is no room. `size` in bytes. */
  push(deviceId: number, size: number, message: M): Promise<void> | null {
    let queue = this.#queues.get(deviceId);
    const bytes = size + messageOverhead;
    if (this.#bytes + bytes > maxTotalBytes) return null;
    if (queue && (queue.entries.length >= maxMessagesPerDevice || queue.bytes + bytes > maxBytesPerDevice)) return null;
    if (!queue) {
      queue = { entries: [], bytes: 0, isProcessing: false };
      this.#queues.set(deviceId, queue);
    }
    const { entries, isProcessing } = queue;
    queue.bytes += bytes;
    this.#bytes += bytes;
    if (!isProcessing) this.#ready.add(deviceId);
    this.#schedule();
    return new Promise((resolve, reject) => entries.push({ message, bytes, resolve, reject }));
  }

  /** Resolves when all queues are empty. */
  drained(): Promise<void> {
    return this.#queues.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#drainListeners.push(resolve));
  }

  /** Rejects all queued messages; batches that are being processed continue. */
  rejectAll(error: unknown): void {
    for (const deviceId of this.#queues.keys()) this.#reject(deviceId, error);
  }

  /** Starts one round of batches per iteration of the event loop: on SQLite a backlog would otherwise block everything else. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#startBatches();
    });
  }

  #startBatches(): void {
    for (const deviceId of this.#ready) {
      if (this.#activeDevices >= this.#maxConcurrentDevices || this.#activeMessages >= maxConcurrentMessages) return;
      this.#ready.delete(deviceId);
      const queue = this.#queues.get(deviceId);
      if (queue) void this.#processBatch(deviceId, queue);
    }
  }

  /** Never rejects. */
  async #processBatch(deviceId: number, queue: DeviceQueue<M>): Promise<void> {
    const batch = queue.entries.length <= batchSize ? queue.entries : queue.entries.splice(0, batchSize);
    if (batch === queue.entries) queue.entries = [];
    queue.isProcessing = true;
    this.#activeDevices++;
    this.#activeMessages += batch.length;
    try {
      await this.#handle(
        deviceId,
        batch.map(({ message }) => message),
      );
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
      // To keep their order, the messages behind them must be sent again, too.
      this.#reject(deviceId, error);
    }
    this.#activeDevices--;
    this.#activeMessages -= batch.length;
    queue.isProcessing = false;
    for (const { bytes } of batch) this.#release(queue, bytes);
    if (queue.entries.length > 0) this.#ready.add(deviceId);
    else this.#remove(deviceId);
    if (this.#ready.size > 0) this.#schedule();
  }

  #reject(deviceId: number, error: unknown): void {
    const queue = this.#queues.get(deviceId);
    if (!queue) return;
    for (const { bytes, reject } of queue.entries.splice(0)) {
      this.#release(queue, bytes);
      reject(error);
    }
    if (!queue.isProcessing) this.#remove(deviceId);
  }

  #release(queue: DeviceQueue<M>, bytes: number): void {
    queue.bytes -= bytes;
    this.#bytes -= bytes;
  }

  #remove(deviceId: number): void {
    this.#queues.delete(deviceId);
    this.#ready.delete(deviceId);
    if (this.#queues.size === 0) for (const listener of this.#drainListeners.splice(0)) listener();
  }
}
