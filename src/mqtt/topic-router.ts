import type { TreeValue } from './topic-tree.ts';
import { TopicTree } from './topic-tree.ts';

/** Receives the messages of one connection, for all of its filters. */
export interface Receiver<Packet> extends TreeValue {
  /** `qos` is the highest that was granted for a matching filter. Calls back when the message is queued. */
  receive(packet: Packet, qos: 0 | 1 | 2, done: () => void): void;
}

/**
 * Delivers messages to subscribers, instead of aedes' own emitter. It delivers synchronously, so messages keep their order (aedes
 * drops one that was overtaken, as a duplicate), and has no limit on concurrent messages that a slow receiver could use up. A
 * receiver with several matching filters gets a message once.
 */
export class TopicRouter<Packet extends { readonly topic: string }> {
  readonly #receivers = new TopicTree<Receiver<Packet>>();

  /** Adds a subscription, or changes the QoS of one that exists. */
  subscribe(filter: string, receiver: Receiver<Packet>, qos: 0 | 1 | 2): void {
    this.#receivers.add(filter, receiver, qos);
  }

  unsubscribe(filter: string, receiver: Receiver<Packet>): void {
    this.#receivers.remove(filter, receiver);
  }

  /** Calls back when all receivers have queued the message. */
  emit(packet: Packet, done: () => void = () => undefined): this {
    // aedes publishes its state below `$SYS` for other nodes; no client may read it.
    const receivers = packet.topic.startsWith('$') ? [] : this.#receivers.match(packet.topic);
    let missing = receivers.length;
    if (missing === 0) {
      done();
      return this;
    }
    const received = () => {
      missing--;
      if (missing === 0) done();
    };
    // `foundQos` is read before a receiver can cause another search.
    const grants = receivers.map(({ foundQos }) => foundQos);
    for (const [index, receiver] of receivers.entries()) receiver.receive(packet, grants[index] ?? 0, received);
    return this;
  }

  // The methods below are called by aedes for each filter of a client, which is subscribed already.

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
