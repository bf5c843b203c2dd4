import type { Logger } from '../core/logger.ts';
import type { MessageOutlet } from '../core/message-outlet.ts';
import { deviceTopic } from './topics.ts';

/** Returns a function that publishes a stored log (JSON text) to the subscribers of its device. A failure is logged. */
export const logPublisher =
  (messages: MessageOutlet, logger: Logger) =>
  (deviceId: number, log: string): void => {
    messages
      .publish({ topic: deviceTopic(deviceId, 'logs'), payload: log })
      .catch((error: unknown) => logger.warn({ reason: String(error) }, 'a notice could not be published'));
  };
