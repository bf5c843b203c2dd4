import type { Findable } from './topic-tree.ts';
import { TopicTree } from './topic-tree.ts';

/** Somebody who takes messages: one for each connection, whatever it subscribed to. */
export interface Receiver<Packet> extends Findable {
  /** `qos`: the highest that was granted for filters which the message meets. Calls back when it is handed over. */
  take(packet: Packet, qos: 0 | 1 | 2, done: () => void): void;
}

/**
 * Hands messages to those who subscribed, in the place of aedes' own emitter. It hands them over at once, so that messages
 * keep the order in which they came (aedes drops one that was overtaken, as a duplicate), and it has no limit on messages under
 * way that a slow receiver could use up. Who has many filters that a message meets is handed it once.
 */
export class TopicRouter<Packet extends { readonly topic: string }> {
  readonly #receivers = new TopicTree<Receiver<Packet>>();

  /** Has messages handed to a receiver; the QoS of a filter that it has already is changed. */
  subscribe(filter: string, receiver: Receiver<Packet>, qos: 0 | 1 | 2): void {
    this.#receivers.add(filter, receiver, qos);
  }

  unsubscribe(filter: string, receiver: Receiver<Packet>): void {
    this.#receivers.remove(filter, receiver);
  }

  /** Calls back when all who listen have taken the message. */
  emit(packet: Packet, done: () => void = () => undefined): this {
    // What aedes tells other servers about itself; here there are none, and no client may read it.
    const found = packet.topic.startsWith('$') ? [] : this.#receivers.match(packet.topic);
    let missing = found.length;
    if (missing === 0) {
      done();
      return this;
    }
    const taken = () => {
      missing--;
      if (missing === 0) done();
    };
    // `foundQos` is read before the receiver may cause another search.
    const grants = found.map(({ foundQos }) => foundQos);
    for (const [index, receiver] of found.entries()) receiver.take(packet, grants[index] ?? 0, taken);
    return this;
  }

  // What follows is called by aedes for each filter of a client. The gate has subscribed the client already.

  on(_filter: string, _listener: unknown, done?: () => void): this {
    done?.();
    return this;
  }

  removeListener(_filter: string, _listener: unknown, done?: () => void): this {
    done?.();
    return this;
  }

  close(done: () => void): this {
    setImmediate(done);
    return this;
  }
}
