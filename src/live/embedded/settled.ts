/**
 * A result that is there already, for code that asks for it with `then`. A promise would answer a turn later, and a message
 * that waits a turn for its queue is overtaken by the next: aedes would drop it as a duplicate.
 */
export class Settled<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  // biome-ignore lint/suspicious/noThenProperty: that is what it is for
  then(use: (value: T) => unknown): void {
    use(this.#value);
  }
}

/** A failure that is there already. */
export class Failed {
  readonly #error: Error;

  constructor(message: string) {
    this.#error = new Error(message);
  }

  // biome-ignore lint/suspicious/noThenProperty: as above
  then(_use: unknown, fail: (error: Error) => unknown): void {
    fail(this.#error);
  }
}
