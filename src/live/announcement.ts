import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Event } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { Message, MessageOutlet } from '../core/message-outlet.ts';
import { robotDelay } from '../db/change-delivery.ts';
import { deviceTopic } from './topics.ts';

/** A record to announce. */
export type Announced = Pick<Event, 'deviceId' | 'resource' | 'recordId' | 'body'>;

/** Returns the message that announces a record. A client ignores announcements with labels of its own requests. [rule M15] */
export const announcementOf = ({ deviceId, resource, recordId, body }: Announced, label: string): Message => ({
  topic: deviceTopic(deviceId, 'sync', resource, recordId),
  payload: `{"args":{"label":${JSON.stringify(label)}},"body":${body ?? 'null'}}`,
});

/**
 * Returns a function that announces the stored state of a record to a robot once more, under a new label: as late as its changes, and until
 * the last message is the newest state. A failure is logged.
 */
export const announceAgain =
  (messages: MessageOutlet, logger: Logger) =>
  (record: Omit<Announced, 'body'>, responseSent: Promise<void>, read: () => Promise<string>): void => {
    const announce = async (): Promise<void> => {
      await responseSent;
      await setTimeout(robotDelay, undefined, { ref: false });
      for (let [sent, body] = ['', await read()]; body !== sent; [sent, body] = [body, await read()])
        await messages.publish(announcementOf({ ...record, body }, randomUUID()));
    };
    announce().catch((error: unknown) =>
      logger.warn({ reason: String(error) }, 'a record could not be announced again'),
    );
  };
