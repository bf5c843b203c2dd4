import type { GuardedConnection } from './guarded-connection.ts';

/** Open connections: all of them, and the signed-in ones by user. */
export class ConnectionRegistry {
  readonly #open = new Set<GuardedConnection>();
  readonly #users = new Map<string, Set<GuardedConnection>>();
  readonly #closeListeners = new Map<GuardedConnection, (() => void)[]>();
  #signedIn = 0;

  /** Number of signed-in connections. */
  get signedIn(): number {
    return this.#signedIn;
  }

  /** The users with signed-in connections. */
  get users(): readonly string[] {
    return [...this.#users.keys()];
  }

  /** All connections whose last byte has not been written. */
  open(): readonly GuardedConnection[] {
    return [...this.#open];
  }

  /** Number of signed-in connections of a user. */
  count(userName: string): number {
    return this.#users.get(userName)?.size ?? 0;
  }

  /** Signed-in connections of a user. */
  ofUser(userName: string): readonly GuardedConnection[] {
    return [...(this.#users.get(userName) ?? [])];
  }

  /** Signed-in connections of all users. */
  allSignedIn(): readonly GuardedConnection[] {
    return [...this.#users.values()].flatMap((connections) => [...connections]);
  }

  add(connection: GuardedConnection): void {
    this.#open.add(connection);
  }

  signIn(userName: string, connection: GuardedConnection): void {
    const connections = this.#users.get(userName) ?? new Set();
    if (connections.has(connection)) return;
    this.#users.set(userName, connections.add(connection));
    this.#signedIn++;
  }

  /** Removes a connection from its user; its last bytes may not be written yet. */
  signOut(connection: GuardedConnection): void {
    const name = connection.identity?.name;
    const connections = name === undefined ? undefined : this.#users.get(name);
    if (name === undefined || !connections?.delete(connection)) return;
    this.#signedIn--;
    if (connections.size === 0) this.#users.delete(name);
  }

  /** Removes a closed connection. */
  remove(connection: GuardedConnection): void {
    this.#open.delete(connection);
    for (const listener of this.#closeListeners.get(connection) ?? []) listener();
    this.#closeListeners.delete(connection);
  }

  /** Resolves when a connection has been removed. */
  closed(connection: GuardedConnection): Promise<void> {
    if (!this.#open.has(connection)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#closeListeners.set(connection, [...(this.#closeListeners.get(connection) ?? []), resolve]);
    });
  }
}
