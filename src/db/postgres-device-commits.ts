import { setTimeout as sleep } from 'node:timers/promises';
import type { Reader } from './session.ts';

/** How long requests wait for the running statement, in ms: its connection may be slow. */
const maxWait = 10;

const text = 'select id, commits from devices where id = any($1)';

/** The devices of one statement. */
interface Batch {
  readonly deviceIds: Set<number>;
  readonly counts: Promise<ReadonlyMap<number, number>>;
}

/** Reads the number of committed transactions of a device. Requests that arrive while a statement runs are served by the next one. [ADR 73] */
export class DeviceCommits {
  readonly #reader: Reader;
  #next: Batch | null = null;
  #running: Promise<unknown> = Promise.resolve();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Returns the count of a device, by a statement that is sent after the call; null if the device was deleted. Throws Failure `unavailable`. */
  async count(deviceId: number): Promise<number | null> {
    this.#next ??= this.#open();
    const { deviceIds, counts } = this.#next;
    deviceIds.add(deviceId);
    return (await counts).get(deviceId) ?? null;
  }

  #open(): Batch {
    const deviceIds = new Set<number>();
    return { deviceIds, counts: this.#read(deviceIds) };
  }

  async #read(deviceIds: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
    // All requests of this iteration of the event loop.
    await new Promise(setImmediate);
    await Promise.race([this.#running, sleep(maxWait)]);
    this.#next = null;
    const rows = Promise.resolve(this.#reader.query(text, [[...deviceIds]]));
    this.#running = rows.catch(() => undefined);
    return new Map((await rows).map(([id, commits]) => [Number(id), Number(commits)]));
  }
}
