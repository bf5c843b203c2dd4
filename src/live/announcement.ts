import { randomUUID } from 'node:crypto';
import type { Event } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { Message, MessageOutlet } from '../core/message-outlet.ts';
import { deviceTopic } from './topics.ts';

/** A record to announce. */
export type Announced = Pick<Event, 'deviceId' | 'resource' | 'recordId' | 'body'>;

/** Returns the message that announces a record. A client ignores announcements with labels of its own requests. [rule M15] */
export const announcementOf = ({ deviceId, resource, recordId, body }: Announced, label: string): Message => ({
  topic: deviceTopic(deviceId, 'sync', resource, recordId),
  payload: `{"args":{"label":${JSON.stringify(label)}},"body":${body ?? 'null'}}`,
});

/** Returns a function that announces a stored record once more, under a new label. A failure is logged. */
export const announceAgain =
  (messages: MessageOutlet, logger: Logger) =>
  (record: Announced): void => {
    messages
      .publish(announcementOf(record, randomUUID()))
      .catch((error: unknown) => logger.warn({ reason: String(error) }, 'a record could not be announced again'));
  };
