import type { Counters } from '../core/counters.ts';
import type { Event, EventListener } from '../core/events.ts';
import { announcementOf } from './announcement.ts';
import type { Broker } from './broker.ts';
import type { MissedChanges } from './robots/missed-changes.ts';

/** Returns a listener that publishes changes, except hidden ones (`isHidden`). It rejects when the broker does not accept a message, so that the event is delivered again. [rule M15] */
export const announcer =
  (
    broker: Pick<Broker, 'publish'>,
    counters: Counters,
    isHidden: (event: Event) => Promise<boolean>,
    missed: Pick<MissedChanges, 'around'>,
  ): EventListener =>
  async (event) => {
    if (await isHidden(event)) return;
    await missed.around(event, () => broker.publish(announcementOf(event, event.label)));
    counters.add('announcements');
  };
