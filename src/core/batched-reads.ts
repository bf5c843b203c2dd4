import { setTimeout as sleep } from 'node:timers/promises';

/** How long requests wait for the running read, in ms: its connection may be slow. */
const maxWait = 10;

/** The ids of one read. */
interface Batch<T> {
  readonly ids: Set<number>;
  readonly values: Promise<ReadonlyMap<number, T>>;
}

/** Reads values by id. Requests that arrive while a read runs are served by the next one. */
export class BatchedReads<T> {
  readonly #readAll: (ids: readonly number[]) => Promise<ReadonlyMap<number, T>>;
  #next: Batch<T> | null = null;
  #running: Promise<unknown> = Promise.resolve();

  constructor(readAll: (ids: readonly number[]) => Promise<ReadonlyMap<number, T>>) {
    this.#readAll = readAll;
  }

  /** Returns the value of an id, by a read that begins after the call; undefined if there is none. */
  async read(id: number): Promise<T | undefined> {
    this.#next ??= this.#open();
    const { ids, values } = this.#next;
    ids.add(id);
    return (await values).get(id);
  }

  #open(): Batch<T> {
    const ids = new Set<number>();
    return { ids, values: this.#run(ids) };
  }

  async #run(ids: ReadonlySet<number>): Promise<ReadonlyMap<number, T>> {
    // All requests of this iteration of the event loop.
    await new Promise(setImmediate);
    await Promise.race([this.#running, sleep(maxWait)]);
    this.#next = null;
    const values = this.#readAll([...ids]);
    this.#running = values.catch(() => undefined);
    return values;
  }
}
