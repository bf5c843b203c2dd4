import type { Counters } from '../core/counters.ts';
import type { EventListener } from '../core/events.ts';
import type { Broker } from './broker.ts';
import { deviceTopic } from './topics.ts';

/** Returns a listener that publishes changes. It rejects when the broker does not accept a message, so that the event is delivered again. [rule M15] */
export const announcer =
  (broker: Broker, counters: Counters): EventListener =>
  async ({ deviceId, resource, recordId, label, body }) => {
    await broker.publish({
      topic: deviceTopic(deviceId, 'sync', resource, recordId),
      payload: `{"args":{"label":${JSON.stringify(label)}},"body":${body ?? 'null'}}`,
    });
    counters.add('announcements');
  };
