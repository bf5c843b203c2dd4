import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { createDurableFolder, createFile } from '../core/durable-file.ts';
import { Failure } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { errorCode } from '../core/system.ts';
import { createTemporaryPath, deleteTemporaryFile } from '../core/temporary-files.ts';
import { SerializationFailure } from '../db/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import { jobSchedules } from '../jobs/schedules.ts';

export interface WriteProbeOptions {
  /** The target of the writes, for the log. */
  readonly name: string;
  /** Writes a small amount of data. */
  readonly write: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long the caller waits for a write, in ms. */
  readonly timeout?: number;
}

/** Time between writes, in ms: each is flushed to the disk, which may be an SD card. */
const interval = 30_000;
/** Time between writes after one that failed, in ms. */
const retryInterval = 2000;
const defaultTimeout = 2000;

/** SQLite: another process holds the lock. PostgreSQL: timeouts while waiting for one. */
const contention = /^(SQLITE_BUSY|SQLITE_LOCKED|57014|25P03|55P03)/;

const isContention = (error: unknown): boolean =>
  error instanceof SerializationFailure ||
  (error instanceof Failure && contention.test(String(errorCode(error.cause) ?? '')));

/** Periodically checks that a target is writable: reads also succeed on a full disk and from a read-only file. [ADR 37] */
export class WriteProbe {
  readonly #options: WriteProbeOptions;
  #isWritable = true;
  #triedAt = Number.NEGATIVE_INFINITY;
  #pending: Promise<void> | null = null;

  constructor(options: WriteProbeOptions) {
    this.#options = options;
  }

  /** Returns whether the last write succeeded; one that only a lock prevented leaves the result unchanged. Never rejects. */
  async isWritable(): Promise<boolean> {
    const now = this.#options.clock.now();
    const isDue = now - this.#triedAt >= (this.#isWritable ? interval : retryInterval) || now < this.#triedAt;
    if (isDue && !this.#pending) {
      this.#triedAt = now;
      this.#pending = this.#try().finally(() => {
        this.#pending = null;
      });
    }
    if (this.#pending) {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, this.#options.timeout ?? defaultTimeout).unref();
      });
      await Promise.race([this.#pending, timeout]);
      clearTimeout(timer);
    }
    return this.#isWritable;
  }

  async #try(): Promise<void> {
    const { name, write, log } = this.#options;
    try {
      await write();
      if (!this.#isWritable) log.info({}, `the ${name} can be written again`);
      this.#isWritable = true;
    } catch (error) {
      if (isContention(error)) return;
      const cause = error instanceof Failure ? error.cause : error;
      if (this.#isWritable) log.error({ reason: String(errorCode(cause) ?? cause) }, `the ${name} cannot be written`);
      this.#isWritable = false;
    }
  }
}

/** Updates one row of the database without changing it. */
export async function writeRow(scope: ServerScope): Promise<void> {
  await scope.transaction(async (inner) => {
    const row = await inner.first(jobSchedules);
    if (row) await inner.update(jobSchedules, { next_at: row.next_at }, { where: { id: row.id } });
  });
}

/** Size of the file that is written, in bytes: one page, for which a full disk has no space. */
const fileSize = 4096;

/** Creates a file in a folder, which is created if it is missing, and deletes it. */
export async function writeTemporaryFile(folder: string): Promise<void> {
  await createDurableFolder(folder);
  const path = createTemporaryPath(join(folder, 'write-probe'));
  try {
    await createFile(path, (file) => file.writeFile(Buffer.alloc(fileSize)));
  } finally {
    await deleteTemporaryFile(path);
  }
}
