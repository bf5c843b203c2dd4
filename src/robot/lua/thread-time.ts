import { closeSync, openSync, readSync } from 'node:fs';

const text = Buffer.alloc(64);

/** Reads the CPU time of a thread of this process. */
export class ThreadTime {
  #file: number | null = null;

  /** Opens the time of a thread by its number in the system; 0: it is not known. */
  open(thread: number): void {
    if (this.#file !== null || thread === 0) return;
    try {
      this.#file = openSync(`/proc/self/task/${thread}/schedstat`, 'r');
    } catch {
      // Only Linux has it.
    }
  }

  /** Returns the time in ms; null where it is not known. */
  read(): number | null {
    if (this.#file === null) return null;
    try {
      const length = readSync(this.#file, text, 0, text.length, 0);
      return Number.parseInt(text.toString('latin1', 0, length), 10) / 1e6;
    } catch {
      // The thread has ended.
      return null;
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}
