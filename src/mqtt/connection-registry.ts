import { networkOf } from '../core/ip-addresses.ts';
import type { GuardedConnection } from './guarded-connection.ts';
import type { MqttLimits } from './limits.ts';

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

/** A connection that has not signed in yet. */
export interface PendingConnection {
  readonly address: string;
  terminate(reason: 'too_many_pending' | 'connect_timeout'): void;
}

/** Connections that have not signed in yet, oldest first. Beyond the limits the oldest is closed, so that idle connections cannot keep clients out. */
export class PendingConnections {
  readonly #limits: MqttLimits;
  /** With their start, of `performance.now()`. */
  readonly #connections = new Map<PendingConnection, number>();
  readonly #byNetwork = new Map<string, Set<PendingConnection>>();
  #timer: NodeJS.Timeout | null = null;

  constructor(limits: MqttLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#connections.size;
  }

  add(connection: PendingConnection): void {
    const network = networkOf(connection.address);
    const neighbors = this.#byNetwork.get(network) ?? new Set();
    if (neighbors.size >= this.#limits.maxPendingPerAddress) this.#terminateFirst(neighbors);
    else if (this.#connections.size >= this.#limits.maxPending) this.#terminateFirst(this.#connections.keys());
    // Set again: the termination may have removed an empty network.
    this.#byNetwork.set(network, neighbors.add(connection));
    this.#connections.set(connection, performance.now());
    this.#startTimer();
  }

  /** Removes a connection that signed in or closed. */
  remove(connection: PendingConnection): void {
    if (!this.#connections.delete(connection)) return;
    const network = networkOf(connection.address);
    const neighbors = this.#byNetwork.get(network);
    neighbors?.delete(connection);
    if (neighbors?.size === 0) this.#byNetwork.delete(network);
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #terminateFirst(connections: Iterable<PendingConnection>): void {
    for (const connection of connections) {
      this.remove(connection);
      connection.terminate('too_many_pending');
      return;
    }
  }

  /** Starts the one timer, for the oldest connection. */
  #startTimer(): void {
    if (this.#timer) return;
    for (const start of this.#connections.values()) {
      const left = start + this.#limits.connectTimeout - performance.now();
      this.#timer = setTimeout(() => this.#terminateLate(), Math.max(1, left));
      return;
    }
  }

  #terminateLate(): void {
    this.#timer = null;
    const latest = performance.now() - this.#limits.connectTimeout;
    for (const [connection, start] of this.#connections) {
      if (start > latest) break;
      this.remove(connection);
      connection.terminate('connect_timeout');
    }
    this.#startTimer();
  }
}
