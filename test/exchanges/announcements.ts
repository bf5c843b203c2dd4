import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import type { Event } from '../../src/core/events.ts';
import { eventRows } from '../../src/db/event-rows.ts';
import { signUpLabel } from '../support/accounts.ts';
import type { Json } from '../support/json.ts';
import { MqttTestClient } from '../support/mqtt-test-client.ts';

/** Something that one account's device was told. */
export interface Announcement {
  /** Below `bot/device_N`: `sync/Tool/5`, `logs`, … */
  readonly channel: string;
  readonly message: Json;
}

/** Where a scenario hears what is announced. */
export interface AnnouncementSource {
  /** Other channels than `sync` are heard too. */
  readonly receivesAllChannels: boolean;
  /** Begins to listen for an account, before its first request. */
  subscribe(account: { readonly deviceId: number; readonly bot: string; readonly token: string }): Promise<void>;
  /** Takes out what a device was told since this was asked last. `expected`: it is waited for so many messages, then a moment for those that should not come. */
  take(deviceId: number, expected: number): Promise<readonly Announcement[]>;
  /** Stops listening for these devices. */
  unsubscribe(deviceIds: readonly number[]): Promise<void>;
}

/** Milliseconds after which undelivered events are taken for a failure. */
const patience = 10_000;

/** Everything that a server in this process announces, kept until somebody takes it. */
export class Announcements implements AnnouncementSource {
  readonly receivesAllChannels = false;
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
  async events(deviceIds: readonly number[]): Promise<readonly Event[]> {
    const end = Date.now() + patience;
    while ((await this.#app.server().count(eventRows, { where: { device_id: deviceIds } })) > 0) {
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
    const events = (await this.events([deviceId])).filter(({ label }) => label !== signUpLabel);
    return events.map(({ resource, recordId, label, body }) => ({
      channel: `sync/${resource}/${recordId}`,
      message: { args: { label }, body: body === null ? null : (JSON.parse(body) as Json) },
    }));
  }
}

const ofSignUp = `"label":${JSON.stringify(signUpLabel)}`;
/** Milliseconds without a message after which none is taken to be on its way. */
const quiet = 200;
/** Milliseconds that an expected message may take. */
const slowest = 5000;

/** What arrives at clients of the broker, one for each account, signed in with its token. */
export class BrokerAnnouncements implements AnnouncementSource {
  readonly receivesAllChannels = true;
  readonly #url: string;
  readonly #listeners = new Map<number, MqttTestClient>();

  /** `mqtt://host:port`. */
  constructor(url: string) {
    this.#url = url;
  }

  async subscribe({ deviceId, bot, token }: { deviceId: number; bot: string; token: string }): Promise<void> {
    const listener = await MqttTestClient.connect(this.#url, { username: bot, password: token });
    const granted = await listener.subscribe(`bot/${bot}/#`);
    if (granted[0] !== 0) throw new Error(`the broker granted ${granted}`);
    this.#listeners.set(deviceId, listener);
  }

  async take(deviceId: number, expected: number): Promise<readonly Announcement[]> {
    const listener = this.#listeners.get(deviceId);
    if (!listener) return [];
    const end = Date.now() + slowest;
    // What the sign-up itself announced may still be on its way.
    const count = () => listener.received.filter(({ text }) => !text.includes(ofSignUp)).length;
    while (count() < expected && Date.now() < end) await sleep(5);
    let last = count();
    for (;;) {
      await sleep(quiet);
      if (count() === last) break;
      last = count();
    }
    const heard = listener.take().filter(({ text }) => !text.includes(ofSignUp));
    return heard.map(({ topic, text }) => ({
      channel: topic.split('/').slice(2).join('/'),
      message: JSON.parse(text) as Json,
    }));
  }

  async unsubscribe(deviceIds: readonly number[]): Promise<void> {
    for (const deviceId of deviceIds) {
      await this.#listeners.get(deviceId)?.end();
      this.#listeners.delete(deviceId);
    }
  }
}
