/** A message that the server publishes. QoS 0. [rule M15] */
export interface Message {
  /** In MQTT notation, `bot/device_5/logs`. */
  readonly topic: string;
  /** JSON text. */
  readonly payload: string;
  /** The built-in broker keeps it for later subscribers; an empty one deletes it. Topics of devices are not retained. [rule M15] */
  readonly retain?: true;
}

/** Passes messages to the broker. Without a broker there are no subscribers, so messages are dropped. */
export class MessageOutlet {
  #publish: ((message: Message) => Promise<void>) | null = null;

  /** Connects the broker. Throws if there is one already. */
  connect(publish: (message: Message) => Promise<void>): void {
    if (this.#publish) throw new Error('the message outlet is connected to a broker already');
    this.#publish = publish;
  }

  /** Resolves when the broker has accepted the message. Rejects when it stays unavailable for too long. */
  async publish(message: Message): Promise<void> {
    await this.#publish?.(message);
  }
}
