import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from './clock.ts';
import { Failure } from './errors.ts';
import { sayOfDisk } from './low-space.ts';

/** Bytes of a disk. */
export interface DiskSize {
  readonly free: number;
  readonly total: number;
}

/** The free space of a disk, in bytes. */
export interface DiskSpace extends DiskSize {
  /** Below it, nothing large is written. */
  readonly required: number;
}

export interface FreeSpaceOptions {
  /** Free bytes that a disk must have; null: the smaller of 512 MiB and 5 % of the disk. */
  readonly minFree: number | null;
  readonly clock: Clock;
  /** Measures the disk of a folder; returns null if it does not exist. */
  readonly measure?: (folder: string) => DiskSize | null;
}

const maxDefault = 512 * 1024 * 1024;
const defaultShare = 0.05;

/** Time that a measurement is used, in ms: in seconds, clients of a fast network could fill the reserve on a small disk. */
const cacheTime = 500;

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024).toLocaleString('en-US')} MiB`;

/** 507. */
export class DiskAlmostFull extends Failure {
  /** For the operator: names the folder. */
  readonly details: string;
  constructor(folder: string, space: DiskSpace) {
    super('storage_full', sayOfDisk.lowSpace);
    this.name = 'DiskAlmostFull';
    this.details = lowSpaceMessage(folder, space);
  }
}

/** Returns the remedy for a disk with too little free space. */
export const lowSpaceMessage = (folder: string, { free, required }: DiskSpace): string =>
  `The disk with ${folder} has ${mebibytes(free)} of free space, less than ${mebibytes(required)}: uploads, imports and backups are refused. Free some space, or set MIN_FREE_BYTES.`;

/** Returns the space of a disk that has enough. */
export const spaceMessage = (folder: string, { free, required }: DiskSpace): string =>
  `The disk with ${folder} has ${mebibytes(free)} of free space; below ${mebibytes(required)}, uploads, imports and backups are refused.`;

/** Whether disks have room for uploads, imports and backups: the rest of a disk is reserved for the database. [ADR 36] */
export class FreeSpace {
  readonly #options: FreeSpaceOptions;
  readonly #measured = new Map<string, { readonly at: number; readonly space: DiskSpace | null }>();

  constructor(options: FreeSpaceOptions) {
    this.#options = options;
  }

  /** Returns the space of the disk on which a folder is, or will be; null if it is unknown. At most half a second old. */
  spaceOf(folder: string): DiskSpace | null {
    const now = this.#options.clock.now();
    const last = this.#measured.get(folder);
    if (last && now >= last.at && now - last.at < cacheTime) return last.space;
    const size = measureNearest(folder, this.#options.measure ?? measureDisk);
    const required = this.#options.minFree ?? Math.min(maxDefault, (size?.total ?? 0) * defaultShare);
    const space = size && { ...size, required };
    this.#measured.set(folder, { at: now, space });
    return space;
  }

  /** Returns the first of some folders whose disk has too little space, with the space; null if all have enough. */
  findLow(folders: readonly string[]): { readonly folder: string; readonly space: DiskSpace } | null {
    for (const folder of folders) {
      const space = this.spaceOf(folder);
      if (space && space.free < space.required) return { folder, space };
    }
    return null;
  }

  /** Throws {@link DiskAlmostFull} if the disk of a folder has too little space. */
  assertRoom(...folders: readonly string[]): void {
    const low = this.findLow(folders);
    if (low) throw new DiskAlmostFull(low.folder, low.space);
  }

  /** Yields content that is written to a folder. Throws {@link DiskAlmostFull} when its disk has too little space. */
  async *guard<T>(folder: string, content: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const chunk of content) {
      this.assertRoom(folder);
      yield chunk;
    }
  }
}

function measureNearest(folder: string, measure: NonNullable<FreeSpaceOptions['measure']>): DiskSize | null {
  const size = measure(folder);
  const parent = dirname(folder);
  return size === null && parent !== folder ? measureNearest(parent, measure) : size;
}

/** A file system without a size reports zero blocks. */
function measureDisk(folder: string): DiskSize | null {
  try {
    const { bsize, bavail, blocks } = statfsSync(folder);
    return blocks === 0 ? null : { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return null;
  }
}
