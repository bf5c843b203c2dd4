import { write, writeSync } from 'node:fs';

export interface LogOutputOptions {
  /** File descriptor; standard output by default. */
  readonly fd?: number;
  /** Called for each line that is dropped. */
  readonly onDrop?: () => void;
  /** Called when lines can be written again, with the number of lines that were dropped. */
  readonly onRecovery?: (dropped: number) => void;
  /** Maximum number of characters that wait to be written. */
  readonly maxWaiting?: number;
  /** Time between attempts after a failure, in ms. */
  readonly retryInterval?: number;
}

/**
 * The output of the server's log. It never blocks or ends the server: lines wait in memory while the output fails (a full
 * disk) or is slow, and are dropped and counted beyond a limit. Pino's own output repeats a failed write forever at exit.
 */
export class LogOutput {
  readonly #options: Required<LogOutputOptions>;
  readonly #waiting: string[] = [];
  #waitingLength = 0;
  /** The bytes that the last write did not complete. */
  #rest: Buffer = Buffer.alloc(0);
  #isWriting = false;
  #retry: NodeJS.Timeout | null = null;
  #dropped = 0;

  constructor(options: LogOutputOptions = {}) {
    const ignore = () => undefined;
    const defaults = { fd: 1, onDrop: ignore, onRecovery: ignore, maxWaiting: 1024 * 1024, retryInterval: 1000 };
    this.#options = { ...defaults, ...options };
    process.once('exit', () => this.#writeLast());
  }

  /** Writes a line, which ends in a line feed, later. Never throws. */
  write(line: string): void {
    if (this.#waitingLength + line.length > this.#options.maxWaiting) {
      this.#dropped++;
      this.#options.onDrop();
      return;
    }
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (!this.#isWriting && this.#retry === null) this.#writeNext();
  }

  #takeWaiting(): Buffer {
    const bytes = Buffer.concat([this.#rest, Buffer.from(this.#waiting.join(''))]);
    this.#waiting.length = 0;
    this.#waitingLength = 0;
    return bytes;
  }

  #writeNext(): void {
    this.#isWriting = true;
    const bytes = this.#takeWaiting();
    this.#rest = bytes;
    write(this.#options.fd, bytes, (error, written) => {
      this.#isWriting = false;
      if (error) return this.#retryLater();
      this.#rest = bytes.subarray(written);
      // The waiting entries may fill the memory, and the report would be dropped itself.
      if (this.#dropped > 0 && this.#rest.length === 0 && this.#waiting.length === 0) {
        const dropped = this.#dropped;
        this.#dropped = 0;
        this.#options.onRecovery(dropped);
      }
      if (!this.#isWriting && (this.#rest.length > 0 || this.#waiting.length > 0)) this.#writeNext();
    });
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#writeNext();
    }, this.#options.retryInterval).unref();
  }

  /** Makes one attempt at exit, when callbacks no longer run. */
  #writeLast(): void {
    // A write in progress is completed by the system.
    if (this.#isWriting) this.#rest = Buffer.alloc(0);
    const bytes = this.#takeWaiting();
    try {
      if (bytes.length > 0) writeSync(this.#options.fd, bytes);
    } catch {
      // There is nowhere to report it.
    }
  }
}
