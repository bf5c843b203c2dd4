import { TopicTree } from './topic-tree.ts';

/** Takes a message and says when it is handed over. Must name both parameters: the broker library counts them. */
export type Listener<Packet> = (packet: Packet, done: () => void) => void;

/**
 * Hands messages to those who subscribed, in the place of aedes' own emitter. It hands them over at once, so that messages
 * keep the order in which they came (aedes drops one that was overtaken, as a duplicate), and it has no limit on messages under
 * way that a slow receiver could use up.
 */
export class TopicRouter<Packet extends { readonly topic: string }> {
  readonly #listeners = new TopicTree<Listener<Packet>>();

  on(filter: string, listener: Listener<Packet>, done?: () => void): this {
    this.#listeners.add(filter, listener);
    done?.();
    return this;
  }

  removeListener(filter: string, listener: Listener<Packet>, done?: () => void): this {
    this.#listeners.remove(filter, listener);
    done?.();
    return this;
  }

  /** Calls back when all who listen have taken the message. */
  emit(packet: Packet, done: () => void = () => undefined): this {
    // What aedes tells other servers about itself; here there are none, and no client may read it.
    const found = packet.topic.startsWith('$') ? [] : this.#listeners.match(packet.topic);
    let missing = found.length;
    if (missing === 0) {
      done();
      return this;
    }
    const taken = () => {
      missing--;
      if (missing === 0) done();
    };
    for (const listener of found) listener(packet, taken);
    return this;
  }

  close(done: () => void): this {
    setImmediate(done);
    return this;
  }
}
