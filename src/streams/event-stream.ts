import { Readable } from 'node:stream';
import type { Rights } from '../engine/rights.ts';
import { needOf, refusal } from '../engine/rights.ts';
import type { Session } from '../engine/route.ts';
import type { TagName } from '../engine/tags.ts';

/** Bytes that wait for the client. One that does not read them is disconnected. */
const maxWaitingSize = 1024 * 1024;
/** Milliseconds in which a client must receive the waiting data, before it is sent more changes: 1 KiB a second. */
const maxDrainTime = 60_000;

/** The messages of a robot that a stream may contain, each with the group of operations whose records its client must be allowed to read. */
export const liveChannels = { status: 'Device', logs: 'Logs', telemetry: 'Device' } as const satisfies Readonly<
  Record<string, TagName>
>;

export type LiveChannel = keyof typeof liveChannels;

/** Whether a credential may read these messages. */
export const mayReadLive = (rights: Rights, channel: LiveChannel): boolean =>
  refusal(rights, needOf({ method: 'GET', tag: liveChannels[channel] })) === null;

/** The events that a client asked for. */
export interface EventFilter {
  /** The id of the last change that the client has; null: changes from now on. */
  readonly after: number | null;
  /** Names in the log; null: of all resources. */
  readonly resources: ReadonlySet<string> | null;
  readonly live: ReadonlySet<LiveChannel>;
}

/** The open response of one client: its content, and its position. */
export class EventStream {
  readonly content: Readable;
  readonly filter: EventFilter;
  /** The user of the stream; replaced when the rights change. */
  session: Session;
  isReadable: (resource: string) => boolean;
  /** The id of the last change that was read for it. */
  cursor = 0;
  /** The id of the last posted log that it has; until it is known, none is sent. */
  logCursor = Number.POSITIVE_INFINITY;
  #isEnded = false;
  #drained: (() => void) | null = null;
  #start: () => void = () => undefined;
  /** Resolves when the beginning of the stream is known, or it was closed before. */
  readonly started = new Promise<void>((resolve) => {
    this.#start = resolve;
  });

  constructor(session: Session, filter: EventFilter, isReadable: (resource: string) => boolean) {
    this.session = session;
    this.filter = filter;
    this.isReadable = isReadable;
    this.content = new Readable({ highWaterMark: 64 * 1024, read: () => this.#resume() });
    this.content.once('close', () => {
      this.#resume();
      this.#start();
    });
  }

  /** Sets the id of the last change before the sent ones. */
  startAfter(cursor: number): void {
    this.cursor = cursor;
    this.#start();
  }

  get isClosed(): boolean {
    return this.#isEnded || this.content.destroyed;
  }

  /** Whether the client receives changes of this resource. */
  takes(resource: string): boolean {
    return (this.filter.resources?.has(resource) ?? true) && this.isReadable(resource);
  }

  takesLive(channel: LiveChannel): boolean {
    return this.filter.live.has(channel) && mayReadLive(this.session.rights, channel);
  }

  /** Whether the client receives more slowly than it is sent to. */
  get isBehind(): boolean {
    return this.content.readableLength >= this.content.readableHighWaterMark;
  }

  /** Sends text, or disconnects a client for which too much waits. */
  send(text: string): void {
    if (this.isClosed) return;
    // Before the text: one event may be larger.
    if (this.content.readableLength > maxWaitingSize) this.content.destroy();
    else this.content.push(text);
  }

  /** Resolves when the client has received most of the sent data, or is disconnected, because it does not read. */
  async drained(): Promise<void> {
    if (this.isClosed || !this.isBehind) return;
    const timer = setTimeout(() => this.content.destroy(), maxDrainTime).unref();
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    clearTimeout(timer);
  }

  /** Ends the response. The client may come back, if its token allows it. */
  end(): void {
    if (!this.isClosed) this.content.push(null);
    this.#isEnded = true;
    this.#resume();
  }

  #resume(): void {
    this.#drained?.();
    this.#drained = null;
  }
}
