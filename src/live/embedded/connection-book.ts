import type { GuardedConnection } from './guarded-connection.ts';

/** The connections that are signed in, by their users' names. */
export class ConnectionBook {
  readonly #users = new Map<string, Set<GuardedConnection>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many connections a user has. */
  count(userName: string): number {
    return this.#users.get(userName)?.size ?? 0;
  }

  of(userName: string): readonly GuardedConnection[] {
    return [...(this.#users.get(userName) ?? [])];
  }

  *all(): Iterable<GuardedConnection> {
    for (const connections of this.#users.values()) yield* connections;
  }

  add(userName: string, connection: GuardedConnection): void {
    const connections = this.#users.get(userName) ?? new Set();
    if (connections.has(connection)) return;
    this.#users.set(userName, connections.add(connection));
    this.#size++;
  }

  remove(connection: GuardedConnection): void {
    const name = connection.user?.name;
    const connections = name === undefined ? undefined : this.#users.get(name);
    if (name === undefined || !connections?.delete(connection)) return;
    this.#size--;
    if (connections.size === 0) this.#users.delete(name);
  }
}
