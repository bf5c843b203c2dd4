import { LRUCache } from 'lru-cache';
import type { JsonText, Memo } from './scope.ts';

/** Bytes of all values. */
const maxBytes = 16 * 1024 * 1024;
/** Bytes that a value takes besides its text. */
const overhead = 500;

/** The tables whose rows were written by a transaction. */
export interface Writes {
  /** The devices whose scopes wrote. */
  readonly devices: ReadonlySet<number>;
  /** The tables that the server scope wrote, which may be rows of any device. */
  readonly shared: ReadonlySet<string>;
}

/** Stands for all tables. */
export const anyTable = '*';

interface Values {
  readonly byKey: Map<string, object>;
  bytes: number;
}

/** Returns the bytes of texts, of which strings may have two per character. */
const sizeOf = (texts: readonly JsonText[]): number =>
  texts.reduce((size, text) => size + text.length * (typeof text === 'string' ? 2 : 1), 0);

/** What was read of devices, until a commit may have changed it. The devices that were read least recently are forgotten first. [ADR 73] */
export class DeviceMemory {
  readonly #devices: LRUCache<number, Values>;
  /** Tables that a value in memory depends on, besides the rows of its device. */
  readonly #tables = new Set<string>();
  /** Counts what makes values invalid, so that one which was read before is not kept. */
  #invalidations = 0;
  #external = 0;

  constructor(size = maxBytes) {
    this.#devices = new LRUCache({ maxSize: size, sizeCalculation: ({ bytes }) => bytes });
  }

  /** Returns the value under the key, or reads it. `external`: the count of commits by other processes, taken before. */
  async recall<T extends object>(deviceId: number, external: number, memo: Memo<T>): Promise<T> {
    if (external !== this.#external) {
      this.#forgetAll();
      this.#external = external;
    }
    const known = this.#devices.get(deviceId)?.byKey.get(memo.key);
    if (known) return known as T;
    const invalidations = this.#invalidations;
    const value = await memo.read();
    const texts = memo.textsOf(value);
    if (texts !== null && invalidations === this.#invalidations)
      this.#add(deviceId, memo, value, overhead + sizeOf([memo.key, ...texts]));
    return value;
  }

  #add(deviceId: number, { key, tables }: Memo<object>, value: object, size: number): void {
    const { byKey, bytes } = this.#devices.get(deviceId) ?? { byKey: new Map<string, object>(), bytes: 0 };
    // Another request has read it meanwhile.
    if (byKey.has(key)) return;
    byKey.set(key, value);
    for (const table of tables) this.#tables.add(table);
    this.#devices.set(deviceId, { byKey, bytes: bytes + size });
  }

  /** Forgets what a commit may have changed. */
  committed({ devices, shared }: Writes): void {
    this.#invalidations++;
    for (const deviceId of devices) this.#devices.delete(deviceId);
    if (shared.has(anyTable) || [...shared].some((table) => this.#tables.has(table))) this.#forgetAll();
  }

  #forgetAll(): void {
    this.#invalidations++;
    this.#devices.clear();
    this.#tables.clear();
  }
}
