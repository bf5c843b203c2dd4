import { networkOf } from '../core/ip-addresses.ts';
import type { MqttLimits } from './limits.ts';

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
