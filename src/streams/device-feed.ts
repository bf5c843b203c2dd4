import type { Change } from '../core/changes.ts';
import type { Logger } from '../core/logger.ts';
import type { ChangeLog } from '../db/change-log.ts';
import type { DeviceScope } from '../db/scope.ts';
import { changeEvent, jsonEvent, messageEvent, resetEvent, startEvent } from './event-format.ts';
import type { EventStream, LiveChannel } from './event-stream.ts';
import type { PostedLog, PostedLogReader } from './posted-logs.ts';

/** Changes that are read at a time. */
const pageSize = 100;
/** Bytes of the changes that are read at a time, if there is more than one. */
const maxBytes = 1024 * 1024;
/** Milliseconds before a failed read is repeated. */
const retryDelay = 1000;

export interface FeedParts {
  readonly changes: Pick<ChangeLog, 'read' | 'lastId'>;
  /** A new scope of the device. */
  readonly scope: () => DeviceScope;
  readonly posted: Pick<PostedLogReader, 'lastId' | 'read'>;
  readonly log: Logger;
}

/**
 * The streams of one device. Those that are up to date share one reader of the change log, which reads and formats each change once;
 * one that resumes reads on its own until it has what the shared reader has.
 */
export class DeviceFeed {
  /** All streams, those that are still resuming included. */
  readonly streams = new Set<EventStream>();
  readonly #parts: FeedParts;
  readonly #current = new Set<EventStream>();
  /** The id of the last change that the shared reader has read. */
  #cursor = 0;
  #isReading = false;
  /** There may be changes that a read in progress does not contain. */
  #isBehind = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** Adds a stream and begins to send. `whenClosed` is called once. */
  add(stream: EventStream, whenClosed: () => void): void {
    this.streams.add(stream);
    stream.content.once('close', () => {
      this.streams.delete(stream);
      this.#current.delete(stream);
      whenClosed();
    });
    this.#run(stream, () => this.#open(stream));
  }

  #run(stream: EventStream, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      this.#parts.log.warn({ reason: String(error) }, 'changes could not be read for an event stream');
      stream.content.destroy();
    });
  }

  /** Sends what was committed since. */
  wake(): void {
    this.#isBehind = true;
    if (!this.#isReading && this.#current.size > 0) void this.#readAll();
  }

  /** Sends a message of the robot. */
  relay(channel: LiveChannel, payload: Buffer): void {
    let text: string | null | undefined;
    for (const stream of this.streams) {
      if (!stream.takesLive(channel)) continue;
      text ??= messageEvent(channel, payload);
      if (text === null) return;
      stream.send(text);
    }
  }

  /** Sends a log that did not come from the broker to the streams that lack it. */
  async relayPosted(log: PostedLog): Promise<void> {
    const { posted, scope } = this.#parts;
    const streams = [...this.streams].filter((stream) => stream.logCursor < log.id);
    for (const stream of streams) stream.logCursor = log.id;
    const takers = streams.filter((stream) => stream.takesLive('logs'));
    const json = takers.length > 0 ? await posted.read(scope(), log) : undefined;
    if (json !== undefined) for (const stream of takers) stream.send(jsonEvent('logs', json));
  }

  async #open(stream: EventStream): Promise<void> {
    const { changes, scope, posted } = this.#parts;
    if (stream.filter.live.has('logs')) stream.logCursor = await posted.lastId(scope());
    const last = await changes.lastId(scope());
    const { after } = stream.filter;
    stream.startAfter(after ?? last);
    if (after === null) stream.send(startEvent(last));
    // An id of a database that was replaced by an earlier copy.
    else if (after > last) this.#reset(stream, last);
    await this.#catchUp(stream);
  }

  /** Reads for one stream, as fast as its client receives, until it has what the shared reader has. */
  async #catchUp(stream: EventStream): Promise<void> {
    const { changes, scope } = this.#parts;
    while (!stream.isClosed) {
      const page = await changes.read(scope(), { after: stream.cursor, limit: pageSize, maxBytes });
      if (page === 'reset') this.#reset(stream, await changes.lastId(scope()));
      else if (page.length > 0) {
        for (const change of page) {
          await stream.drained();
          deliver(stream, change, () => changeEvent(change));
        }
      } else if (this.#current.size === 0 || stream.cursor >= this.#cursor) break;
    }
    if (stream.isClosed) return;
    if (this.#current.size === 0) this.#cursor = stream.cursor;
    this.#current.add(stream);
    this.wake();
  }

  #reset(stream: EventStream, last: number): void {
    stream.cursor = last;
    stream.send(resetEvent(last));
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isBehind && this.#current.size > 0) {
        this.#isBehind = false;
        await this.#readPage();
      }
    } catch (error) {
      this.#parts.log.warn({ reason: String(error) }, 'changes for event streams could not be read');
      setTimeout(() => this.wake(), retryDelay).unref();
    } finally {
      this.#isReading = false;
    }
  }

  async #readPage(): Promise<void> {
    const { changes, scope } = this.#parts;
    const page = await changes.read(scope(), { after: this.#cursor, limit: pageSize, maxBytes });
    if (page === 'reset') {
      this.#cursor = await changes.lastId(scope());
      for (const stream of this.#current) this.#reset(stream, this.#cursor);
    } else
      for (const change of page) {
        let text: string | undefined;
        const format = (): string => {
          text ??= changeEvent(change);
          return text;
        };
        for (const stream of this.#current)
          if (stream.isBehind) this.#leave(stream);
          else deliver(stream, change, format);
        this.#cursor = change.id;
      }
    if (page === 'reset' || page.length > 0) this.#isBehind = true;
  }

  /** Has a stream whose client is slower than the others read on its own. */
  #leave(stream: EventStream): void {
    this.#current.delete(stream);
    this.#run(stream, () => this.#catchUp(stream));
  }
}

function deliver(stream: EventStream, change: Change, format: () => string): void {
  // Streams that resumed may be ahead.
  if (change.id <= stream.cursor) return;
  stream.cursor = change.id;
  if (stream.takes(change.resource)) stream.send(format());
}
