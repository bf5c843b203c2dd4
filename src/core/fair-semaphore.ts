import { Failure } from './errors.ts';

interface Waiting {
  readonly start: () => void;
  readonly reject: (error: Failure) => void;
}

/** A semaphore with a bounded queue for each key. Keys take turns, so that the tasks of one cannot make the others wait. */
export class FairSemaphore {
  readonly #permits: number;
  readonly #maxQueued: number;
  readonly #maxQueuedPerKey: number;
  #running = 0;
  #queued = 0;
  /** Waiting tasks by key, in the order of the turns. */
  readonly #queues = new Map<string, Waiting[]>();

  /** Allows `permits` concurrent tasks and queues up to `maxQueued` more, by default all of them for one key. */
  constructor(permits: number, maxQueued: number, maxQueuedPerKey: number = maxQueued) {
    this.#permits = permits;
    this.#maxQueued = maxQueued;
    this.#maxQueuedPerKey = maxQueuedPerKey;
  }

  /** Runs the task when it is its key's turn. Throws 429 if the key's queue is full, or all are and no other key has more tasks in them. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#permits) await this.#wait(key);
    else this.#running++;
    try {
      return await task();
    } finally {
      this.#startNext();
    }
  }

  #wait(key: string): Promise<void> {
    return new Promise((start, reject) => {
      const queue = this.#queues.get(key) ?? [];
      if (queue.length >= this.#maxQueuedPerKey || (this.#queued >= this.#maxQueued && !this.#makeRoom(key))) {
        reject(new Failure('throttled'));
        return;
      }
      queue.push({ start, reject });
      this.#queues.set(key, queue);
      this.#queued++;
    });
  }

  /** Rejects the newest task of the key with the longest queue, if that leaves it at least as long as the queue of `key`. */
  #makeRoom(key: string): boolean {
    let longest: Waiting[] = [];
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue;
    const own = this.#queues.get(key)?.length ?? 0;
    if (longest.length <= own + 1) return false;
    longest.pop()?.reject(new Failure('throttled'));
    this.#queued--;
    return true;
  }

  /** Passes the permit on directly, so that no other task can take it in between. */
  #startNext(): void {
    const [next] = this.#queues;
    if (!next) {
      this.#running--;
      return;
    }
    const [key, queue] = next;
    const waiting = queue.shift();
    // The key's next turn comes after all others.
    this.#queues.delete(key);
    if (queue.length > 0) this.#queues.set(key, queue);
    this.#queued--;
    waiting?.start();
  }
}
