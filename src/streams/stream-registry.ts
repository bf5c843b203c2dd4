import type { AccountsOffer } from '../accounts/offer.ts';
import { Failure } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { ChangeLog } from '../db/change-log.ts';
import type { ServerScope } from '../db/scope.ts';
import type { DeviceOffer } from '../device/offer.ts';
import type { ResourceRights } from '../engine/rights.ts';
import type { Session } from '../engine/route.ts';
import type { LiveOffer } from '../live/offer.ts';
import { DeviceFeed } from './device-feed.ts';
import { comment } from './event-format.ts';
import type { EventFilter } from './event-stream.ts';
import { EventStream, type LiveChannel, liveChannels } from './event-stream.ts';
import { say } from './messages.ts';

/** Streams of one device in this process. */
export const maxStreams = 20;
/** The maximum number for one member who is not an owner, and for all of these members together: owners can always open one. */
export const maxMemberStreams = 5;
export const maxMembersStreams = 15;
/** Milliseconds between comments. */
const commentInterval = 15_000;
/** Milliseconds between looks for logs that did not come from the broker: another process may have stored them. */
const logInterval = 500;
/** Milliseconds between checks of the tokens: another process may have ended them. */
const checkInterval = 500;

/** The rooms that event streams depend on. */
export interface StreamDependencies {
  readonly accounts: AccountsOffer;
  readonly device: DeviceOffer;
  readonly live: LiveOffer;
}

export interface RegistryParts extends StreamDependencies {
  readonly changes: ChangeLog;
  readonly server: () => ServerScope;
  readonly log: Logger;
  readonly rights: ResourceRights;
}

const isLive = (channel: string): channel is LiveChannel => Object.hasOwn(liveChannels, channel);

/** Throws 429 if there is no room for a further stream of a device. */
function assertRoom(streams: ReadonlySet<EventStream>, { userId, rights }: Session): void {
  const assertBelow = (count: number, limit: number, subject: string): void => {
    if (count >= limit) throw new Failure('too_many_open', say.manyStreams(subject, limit));
  };
  assertBelow(streams.size, maxStreams, 'There are');
  if (rights.role === 'owner') return;
  const ofMembers = [...streams].filter(({ session }) => session.rights.role !== 'owner');
  assertBelow(ofMembers.length, maxMembersStreams, 'Members have');
  assertBelow(ofMembers.filter(({ session }) => session.userId === userId).length, maxMemberStreams, 'You have');
}

/** Groups streams by their tokens. */
function byToken(streams: Iterable<EventStream>): Iterable<readonly EventStream[]> {
  const groups = new Map<string, EventStream[]>();
  for (const stream of streams) {
    const { kind, jti } = stream.session;
    const group = groups.get(`${kind} ${jti}`);
    if (group) group.push(stream);
    else groups.set(`${kind} ${jti}`, [stream]);
  }
  return groups.values();
}

/** The open event streams of this process, by device. */
export class StreamRegistry {
  readonly #parts: RegistryParts;
  readonly #feeds = new Map<number, DeviceFeed>();
  readonly #stops: (() => void)[] = [];
  #isChecking = false;
  /** Of the sessions when all streams were checked last. */
  #checkedVersion: string | null = null;
  #isRelayingLogs = false;
  #isStopping = false;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  start(): void {
    const { changes, live } = this.#parts;
    const comments = setInterval(() => this.#each((stream) => stream.send(comment)), commentInterval).unref();
    const checks = setInterval(() => void this.#check(), checkInterval).unref();
    const logs = setInterval(() => void this.#relayLogs(), logInterval).unref();
    this.#stops.push(
      () => clearInterval(logs),
      changes.onCommit((deviceId, source) => this.#feeds.get(deviceId)?.onCommit(source)),
      live.robotMessages.observe(({ deviceId, channel, payload }) => {
        if (isLive(channel)) this.#feeds.get(deviceId)?.relay(channel, payload);
      }),
      () => clearInterval(comments),
      () => clearInterval(checks),
    );
  }

  /** Opens a stream. Throws 429 if the device or the member has as many as allowed. */
  open(session: Session, filter: EventFilter): EventStream {
    const { deviceId, rights } = session;
    const feed = this.#feeds.get(deviceId) ?? this.#newFeed(deviceId);
    assertRoom(feed.streams, session);
    if (this.#isStopping) throw new Failure('unavailable');
    const stream = new EventStream(session, filter, this.#parts.rights.readable(rights));
    this.#feeds.set(deviceId, feed);
    // Its session may have ended after it was authenticated and before the last check.
    this.#checkedVersion = null;
    feed.add(stream, () => {
      if (feed.streams.size === 0) this.#feeds.delete(deviceId);
    });
    return stream;
  }

  /** Ends all streams. */
  stop(): void {
    this.#isStopping = true;
    for (const stop of this.#stops.splice(0)) stop();
    this.#each((stream) => stream.end());
  }

  #newFeed(deviceId: number): DeviceFeed {
    const { server, device, accounts } = this.#parts;
    let checked: string | null = null;
    let running: Promise<void> = Promise.resolve();
    /** A check that has not begun: it serves all callers until then. */
    let next: Promise<void> | null = null;
    const check = async (): Promise<void> => {
      const version = accounts.sessionsVersion(server());
      if (version !== null && version === checked) return;
      for (const streams of byToken(feed.streams)) await this.#checkToken(streams);
      checked = version;
    };
    const checkRights = (): Promise<void> | null => {
      const version = accounts.sessionsVersion(server());
      if (version !== null && version === checked) return null;
      if (!next) {
        next = running.then(() => {
          next = null;
          return check();
        });
        running = next.catch(() => undefined);
      }
      return next;
    };
    const feed = new DeviceFeed({
      ...this.#parts,
      deviceId,
      posted: device.postedLogs,
      checkRights,
      scope: () => server().device(deviceId),
    });
    return feed;
  }

  #each(action: (stream: EventStream) => void): void {
    for (const { streams } of this.#feeds.values()) for (const stream of [...streams]) action(stream);
  }

  /** Sends the logs that did not come from the broker. */
  async #relayLogs(): Promise<void> {
    if (this.#isRelayingLogs) return;
    this.#isRelayingLogs = true;
    try {
      // Together: on PostgreSQL, one statement finds the changed ones among the gardens.
      await Promise.all([...this.#feeds.values()].map((feed) => feed.relayPosted()));
    } catch (error) {
      // The database is not available at the moment.
      this.#parts.log.debug({ reason: String(error) }, 'logs for event streams could not be read');
    } finally {
      this.#isRelayingLogs = false;
    }
  }

  /** Ends the streams whose token ended, and applies changed rights. */
  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const { server, accounts } = this.#parts;
      const version = accounts.sessionsVersion(server());
      const isUnchanged = version !== null && version === this.#checkedVersion;
      const now = server().clock.now();
      const unknown: EventStream[] = [];
      this.#each((stream) => {
        if (!isUnchanged || stream.session.expires <= now) unknown.push(stream);
      });
      for (const streams of byToken(unknown)) await this.#checkToken(streams);
      this.#checkedVersion = version;
    } catch (error) {
      // The database is not available at the moment.
      this.#parts.log.debug({ reason: String(error) }, 'the tokens of event streams could not be checked');
    } finally {
      this.#isChecking = false;
    }
  }

  async #checkToken(streams: readonly EventStream[]): Promise<void> {
    const [first] = streams;
    if (!first) return;
    const { server, accounts, rights } = this.#parts;
    const session = await accounts.currentSession(server(), first.session);
    for (const stream of streams) {
      if (session?.deviceId !== stream.session.deviceId) stream.end();
      else {
        stream.session = session;
        stream.isReadable = rights.readable(session.rights);
      }
    }
  }
}
