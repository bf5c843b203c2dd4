import { LRUCache } from 'lru-cache';
import type { Eventual } from '../core/eventual.ts';
import type { JsonText, Memo } from './scope.ts';

/** Bytes of all values. */
const maxBytes = 16 * 1024 * 1024;
/** Bytes that a value takes besides its text. */
const overhead = 500;

/** Values that were read of one device. */
interface CachedAnswers {
  /** {@link Database.deviceVersion} before it was read. */
  readonly version: number;
  readonly byKey: Map<string, object>;
  bytes: number;
}

export interface DeviceMemoryOptions {
  readonly maxBytes?: number;
  /** How long values are kept without a commit, in ms; 0 (the default): without limit. */
  readonly maxAge?: number;
}

/** Returns the bytes of texts, of which strings may have two per character. */
const sizeOf = (texts: readonly JsonText[]): number =>
  texts.reduce((size, text) => size + text.length * (typeof text === 'string' ? 2 : 1), 0);

/** Values that were read of devices, until a commit may have changed them. The devices that were read least recently are evicted first. [ADR 73] */
export class DeviceMemory {
  readonly #devices: LRUCache<number, CachedAnswers>;
  /** Counts commits of this process, so that a value which was read before one is not kept. */
  #commits = 0;

  constructor({ maxBytes: maxSize = maxBytes, maxAge = 0 }: DeviceMemoryOptions = {}) {
    const sizeCalculation = ({ bytes }: CachedAnswers): number => bytes;
    this.#devices = new LRUCache({ maxSize, sizeCalculation, ttl: maxAge, noUpdateTTL: true });
  }

  /** Returns the value under the key, or reads it. `version`: the device's, from before. */
  recall<T extends object>(deviceId: number, version: number, memo: Memo<T>): Eventual<T> {
    const known = this.#devices.get(deviceId);
    if (known && known.version < version) this.#devices.delete(deviceId);
    const value = known?.version === version ? known.byKey.get(memo.key) : undefined;
    return value ? (value as T) : this.#read(deviceId, version, memo);
  }

  async #read<T extends object>(deviceId: number, version: number, memo: Memo<T>): Promise<T> {
    const commits = this.#commits;
    const read = await memo.read();
    const texts = memo.textsOf(read);
    if (texts !== null && commits === this.#commits)
      this.#add(deviceId, version, memo.key, read, overhead + sizeOf([memo.key, ...texts]));
    return read;
  }

  #add(deviceId: number, version: number, key: string, value: object, size: number): void {
    const known = this.#devices.get(deviceId) ?? { version, byKey: new Map<string, object>(), bytes: 0 };
    // Another request has read it since, or a later version.
    if (known.version !== version || known.byKey.has(key)) return;
    known.byKey.set(key, value);
    this.#devices.set(deviceId, { ...known, bytes: known.bytes + size });
  }

  /** Drops the values that a commit of this process may have changed: of these devices, or of all. */
  committed(devices: ReadonlySet<number> | 'all'): void {
    this.#commits++;
    if (devices === 'all') this.#devices.clear();
    else for (const deviceId of devices) this.#devices.delete(deviceId);
  }
}
