import type { Counters } from '../core/counters.ts';
import type { EventListener } from '../core/events.ts';
import type { Broker } from './broker.ts';
import { deviceTopic } from './broker.ts';

/** Publishes what changed as clients expect it. A broker that does not take it rejects, so that it comes again. [reference 12.4] */
export const announcer =
  (broker: Broker, counters: Counters): EventListener =>
  async ({ deviceId, resource, recordId, label, body }) => {
    await broker.publish({
      topic: deviceTopic(deviceId, 'sync', resource, recordId),
      payload: `{"args":{"label":${JSON.stringify(label)}},"body":${body ?? 'null'}}`,
    });
    counters.add('announcements');
  };
