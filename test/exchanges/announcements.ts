import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import type { Event } from '../../src/core/events.ts';
import { resourceRights } from '../../src/resources.ts';
import { isIgnored } from '../support/accounts.ts';
import { at, type Json } from '../support/json.ts';
import { MqttTestClient } from '../support/mqtt-test-client.ts';
import { countPendingOf } from '../support/pending-changes.ts';

/** A message to the device of an account. */
export interface Announcement {
  /** The topic below `bot/device_N`: `sync/Tool/5`, `logs`, … */
  readonly channel: string;
  readonly message: Json;
}

/** A source of announcements for scenarios. */
export interface AnnouncementSource {
  /** Whether other channels than `sync` are received. */
  readonly receivesAllChannels: boolean;
  /** Subscribes to an account, before its first request. */
  subscribe(account: { readonly deviceId: number; readonly bot: string; readonly token: string }): Promise<void>;
  /** Returns the messages to a device since the last call. Waits for the `expected` number, then a moment for unexpected ones. */
  take(deviceId: number, expected: number): Promise<readonly Announcement[]>;
  /** Unsubscribes from these devices. */
  unsubscribe(deviceIds: readonly number[]): Promise<void>;
}

/** How long events may take to be delivered, in ms. */
const deliveryTimeout = 60_000;

/** Records the announcements of a server in this process. */
export class Announcements implements AnnouncementSource {
  readonly receivesAllChannels = false;
  readonly #app: App;
  #events: Event[] = [];

  private constructor(app: App) {
    this.#app = app;
  }

  /** Attaches a recorder to the app. */
  static async of(app: App): Promise<Announcements> {
    const announcements = new Announcements(app);
    await app.attach((event) => {
      if (resourceRights.isPublished(event.resource)) announcements.#events.push(event);
    });
    return announcements;
  }

  /** Waits until all events of these devices are delivered, and removes and returns them in their order. Throws after 20 s. */
  async events(deviceIds: readonly number[]): Promise<readonly Event[]> {
    const end = Date.now() + deliveryTimeout;
    while ((await countPendingOf(this.#app.server(), deviceIds)) > 0) {
      if (Date.now() > end) throw new Error('events were not delivered');
      await sleep(5);
    }
    const taken = this.#events.filter(({ deviceId }) => deviceIds.includes(deviceId));
    this.#events = this.#events.filter(({ deviceId }) => !deviceIds.includes(deviceId));
    return taken;
  }

  async subscribe(): Promise<void> {}
  async unsubscribe(): Promise<void> {}

  async take(deviceId: number): Promise<readonly Announcement[]> {
    const events = (await this.events([deviceId])).filter(({ label }) => !isIgnored(label));
    return events.map(({ resource, recordId, label, body }) => ({
      channel: `sync/${resource}/${recordId}`,
      message: { args: { label }, body: body === null ? null : (JSON.parse(body) as Json) },
    }));
  }
}

/** How long no message must arrive until none is expected to be in flight, in ms. */
const quietTime = 200;
/** How long to wait for an expected message, in ms. */
const messageTimeout = 60_000;

/** Receives announcements from the broker, with one client for each account. */
export class BrokerAnnouncements implements AnnouncementSource {
  readonly receivesAllChannels = true;
  readonly #url: string;
  readonly #listeners = new Map<number, Listener>();

  /** `mqtt://host:port`. */
  constructor(url: string) {
    this.#url = url;
  }

  async subscribe({ deviceId, bot, token }: { deviceId: number; bot: string; token: string }): Promise<void> {
    const client = await MqttTestClient.connect(this.#url, { username: bot, password: token });
    const received: Announcement[] = [];
    client.client.on('message', (topic, payload) => {
      const message = JSON.parse(payload.toString('utf8')) as Json;
      if (!isIgnored(at(message, 'args.label')))
        received.push({ channel: topic.split('/').slice(2).join('/'), message });
    });
    const granted = await client.subscribe(`bot/${bot}/#`);
    if (granted[0] !== 0) throw new Error(`the broker granted ${granted}`);
    this.#listeners.set(deviceId, { client, received });
  }

  async take(deviceId: number, expected: number): Promise<readonly Announcement[]> {
    const { received } = this.#listeners.get(deviceId) ?? { received: [] };
    const end = Date.now() + messageTimeout;
    while (received.length < expected && Date.now() < end) await sleep(20);
    for (let last = -1; last !== received.length; ) {
      last = received.length;
      await sleep(quietTime);
    }
    return received.splice(0);
  }

  async unsubscribe(deviceIds: readonly number[]): Promise<void> {
    for (const deviceId of deviceIds) {
      await this.#listeners.get(deviceId)?.client.end();
      this.#listeners.delete(deviceId);
    }
  }
}

interface Listener {
  readonly client: MqttTestClient;
  /** The compared messages since the last call of `take`. */
  readonly received: Announcement[];
}
