import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import type { Event } from '../../src/core/events.ts';
import { eventRows } from '../../src/db/event-rows.ts';

/** Milliseconds after which undelivered events are taken for a failure. */
const patience = 10_000;

/** Everything that a server in this process announces, kept until somebody takes it. */
export class Announcements {
  readonly #app: App;
  #events: Event[] = [];

  private constructor(app: App) {
    this.#app = app;
  }

  /** Begins to listen. */
  static async of(app: App): Promise<Announcements> {
    const announcements = new Announcements(app);
    await app.attach((event) => void announcements.#events.push(event));
    return announcements;
  }

  /** Waits until all events of these devices are delivered, and takes them out, in their order. Throws after 10 s. */
  async take(deviceIds: readonly number[]): Promise<readonly Event[]> {
    const end = Date.now() + patience;
    while ((await this.#app.server().count(eventRows, { where: { device_id: deviceIds } })) > 0) {
      if (Date.now() > end) throw new Error('events were not delivered');
      await sleep(5);
    }
    const taken = this.#events.filter(({ deviceId }) => deviceIds.includes(deviceId));
    this.#events = this.#events.filter(({ deviceId }) => !deviceIds.includes(deviceId));
    return taken;
  }
}
