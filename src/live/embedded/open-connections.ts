import type { GuardedConnection } from './guarded-connection.ts';

/** All connections whose last byte has not left. */
export class OpenConnections {
  readonly #open = new Set<GuardedConnection>();
  readonly #waiting = new Map<GuardedConnection, (() => void)[]>();

  [Symbol.iterator](): Iterator<GuardedConnection> {
    return this.#open.values();
  }

  add(connection: GuardedConnection): void {
    this.#open.add(connection);
  }

  /** The last byte of a connection has left, or it broke. */
  remove(connection: GuardedConnection): void {
    this.#open.delete(connection);
    for (const resolve of this.#waiting.get(connection) ?? []) resolve();
    this.#waiting.delete(connection);
  }

  /** Resolves when a connection was removed. */
  farewell(connection: GuardedConnection): Promise<void> {
    if (!this.#open.has(connection)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.set(connection, [...(this.#waiting.get(connection) ?? []), resolve]);
    });
  }
}
