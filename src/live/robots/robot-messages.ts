import type { ObservedChannel } from '../topics.ts';

/** A message between a robot and its clients, as the broker saw it. */
export interface RobotMessage {
  readonly deviceId: number;
  /** `from_clients`: a request to the robot; the others are published by robots. */
  readonly channel: ObservedChannel;
  /** Valid during the call only: copy the parts to keep. */
  readonly payload: Buffer;
}

/** Called for each message; must neither throw nor block. */
export type RobotMessageListener = (message: RobotMessage) => void;

/** The messages of all robots that the broker of this process sees: with RabbitMQ every process's. */
export class RobotMessages {
  readonly #listeners = new Set<RobotMessageListener>();

  /** Adds a listener. Returns a function that removes it. */
  observe(listener: RobotMessageListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Passes a message to the listeners. */
  add(message: RobotMessage): void {
    for (const listener of this.#listeners) listener(message);
  }
}
