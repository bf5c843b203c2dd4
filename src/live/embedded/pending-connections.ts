import { networkOf } from '../../core/network.ts';
import type { BrokerLimits } from './broker-limits.ts';

/** A connection that has not signed in yet. */
export interface PendingConnection {
  readonly address: string;
  cut(reason: 'too_many_pending' | 'connect_timeout'): void;
}

/**
 * Connections that have not signed in yet, the oldest first. When there are too many, the oldest goes: who only holds
 * connections open loses them, and who signs in gets through.
 */
export class PendingConnections {
  readonly #limits: BrokerLimits;
  readonly #connections = new Map<PendingConnection, number>();
  readonly #ofNetwork = new Map<string, Set<PendingConnection>>();
  #timer: NodeJS.Timeout | null = null;

  constructor(limits: BrokerLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#connections.size;
  }

  add(connection: PendingConnection): void {
    const network = networkOf(connection.address);
    let neighbours = this.#ofNetwork.get(network);
    if (!neighbours) {
      neighbours = new Set();
      this.#ofNetwork.set(network, neighbours);
    }
    if (neighbours.size >= this.#limits.pendingOfAddress) this.#cutFirst(neighbours);
    else if (this.#connections.size >= this.#limits.pending) this.#cutFirst(this.#connections.keys());
    // The cut may have left the network without a connection.
    this.#ofNetwork.set(network, neighbours.add(connection));
    this.#connections.set(connection, performance.now());
    this.#watch();
  }

  /** It signed in, or is gone. */
  remove(connection: PendingConnection): void {
    if (!this.#connections.delete(connection)) return;
    const network = networkOf(connection.address);
    const neighbours = this.#ofNetwork.get(network);
    neighbours?.delete(connection);
    if (neighbours?.size === 0) this.#ofNetwork.delete(network);
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #cutFirst(connections: Iterable<PendingConnection>): void {
    for (const connection of connections) {
      this.remove(connection);
      connection.cut('too_many_pending');
      return;
    }
  }

  /** One timer for all: it is set for the oldest. */
  #watch(): void {
    if (this.#timer) return;
    for (const since of this.#connections.values()) {
      const left = since + this.#limits.connectWithin - performance.now();
      this.#timer = setTimeout(() => this.#cutLate(), Math.max(1, left));
      return;
    }
  }

  #cutLate(): void {
    this.#timer = null;
    const latest = performance.now() - this.#limits.connectWithin;
    for (const [connection, since] of this.#connections) {
      if (since > latest) break;
      this.remove(connection);
      connection.cut('connect_timeout');
    }
    this.#watch();
  }
}
