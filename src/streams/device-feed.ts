import type { Change } from '../core/changes.ts';
import type { Logger } from '../core/logger.ts';
import type { ChangeLog, CommitSource, CommittedChanges } from '../db/change-log.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { DeviceOffer } from '../device/offer.ts';
import { changeEvent, jsonEvent, messageEvent, resetEvent, startEvent } from './event-format.ts';
import type { EventStream, LiveChannel } from './event-stream.ts';

/** Changes that are read at a time. */
const pageSize = 100;
/** Bytes of the changes that are read at a time, if there is more than one. */
const maxBytes = 1024 * 1024;
/** Milliseconds before a failed read is repeated. */
const retryDelay = 1000;

export interface FeedParts {
  readonly deviceId: number;
  readonly changes: ChangeLog;
  /** A new scope of the device. */
  readonly scope: () => DeviceScope;
  readonly posted: DeviceOffer['postedLogs'];
  /** Ends the streams whose tokens ended, and applies changed rights; null: nothing has changed since the last check. Rejects without the database. */
  readonly checkRights: () => Promise<void> | null;
  readonly log: Logger;
}

/**
 * The streams of one device. Streams that are up to date share one reader, which formats each change once: it takes the changes of
 * this process from their commits, and reads the change log for other processes' changes. A stream that resumes reads on its own until it
 * has caught up with the shared reader.
 */
export class DeviceFeed {
  /** All streams, resuming ones included. */
  readonly streams = new Set<EventStream>();
  readonly #parts: FeedParts;
  readonly #current = new Set<EventStream>();
  /** The id of the last change that the shared reader has. */
  #cursor = 0;
  #isReading = false;
  /** Changes of commits of this process that are not sent yet. */
  readonly #committed: CommittedChanges[] = [];
  /** There may be changes that a read in progress does not contain. */
  #isBehind = false;
  #unfollow: () => void = () => undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** Adds a stream and begins to send. `whenClosed` is called once. */
  add(stream: EventStream, whenClosed: () => void): void {
    if (this.streams.size === 0) this.#unfollow = this.#parts.changes.follow(this.#parts.deviceId);
    this.streams.add(stream);
    stream.content.once('close', () => {
      this.streams.delete(stream);
      this.#current.delete(stream);
      if (this.streams.size === 0) this.#unfollow();
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

  /** Sends committed changes. */
  onCommit(source: CommitSource): void {
    if (typeof source === 'string' || source.changes === null) this.#wake();
    else if (this.#current.size > 0) {
      this.#committed.push(source.changes);
      // After the response to the change.
      if (this.#committed.length === 1) setImmediate(() => this.#sendCommitted());
    }
  }

  #sendCommitted(): void {
    const committed = this.#committed.splice(0);
    const send = (): void => {
      for (const { previous, list } of committed)
        if (previous <= this.#cursor) this.#send(list);
        else this.#wake();
    };
    const checking = this.#parts.checkRights();
    // The reads that follow a failed check check again.
    if (checking) checking.then(send, () => this.#wake());
    else send();
  }

  /** Has the log read. */
  #wake(): void {
    this.#isBehind = true;
    if (!this.#isReading && this.#current.size > 0) void this.#readAll();
  }

  /** Sends a message of the robot. */
  relay(channel: LiveChannel, payload: Buffer): void {
    const checking = this.#parts.checkRights();
    // Without the database it is lost: messages of the robot are not kept.
    if (checking) checking.then(() => this.#relay(channel, payload)).catch(() => undefined);
    else this.#relay(channel, payload);
  }

  #relay(channel: LiveChannel, payload: Buffer): void {
    let text: string | null | undefined;
    for (const stream of this.streams) {
      if (!stream.takesLive(channel)) continue;
      text ??= messageEvent(channel, payload);
      if (text === null) return;
      stream.send(text);
    }
  }

  /** Sends the logs that did not come from the broker, whichever process stored them, to the streams that lack them. */
  async relayPosted(): Promise<void> {
    const { posted, scope } = this.#parts;
    const cursor = Math.min(...[...this.streams].map(({ logCursor }) => logCursor));
    if (!Number.isFinite(cursor) || (await posted.lastId(scope())) <= cursor) return;
    for (const id of await posted.idsAfter(scope(), cursor)) await this.#relayPosted(id);
  }

  async #relayPosted(id: number): Promise<void> {
    const { posted, scope, checkRights } = this.#parts;
    const json = await posted.read(scope(), id);
    await checkRights();
    for (const stream of this.streams) {
      if (stream.logCursor >= id) continue;
      stream.logCursor = id;
      if (json !== undefined && stream.takesLive('logs')) stream.send(jsonEvent('logs', json));
    }
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

  /** Reads for one stream, as fast as its client receives, until it has caught up with the shared reader. */
  async #catchUp(stream: EventStream): Promise<void> {
    const { changes, scope } = this.#parts;
    while (!stream.isClosed) {
      const takes = (resource: string) => stream.takes(resource);
      const page = await changes.read(scope(), { after: stream.cursor, limit: pageSize, maxBytes, takes });
      if (page === 'reset') this.#reset(stream, await changes.lastId(scope()));
      else if (page.length > 0) {
        await this.#parts.checkRights();
        for (const change of page) {
          await stream.drained();
          deliver(stream, change, () => changeEvent(change));
        }
      } else if (this.#current.size === 0 || stream.cursor >= this.#cursor) break;
    }
    if (stream.isClosed) return;
    if (this.#current.size === 0) this.#cursor = stream.cursor;
    this.#current.add(stream);
    this.#wake();
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
      setTimeout(() => this.#wake(), retryDelay).unref();
    } finally {
      this.#isReading = false;
    }
  }

  async #readPage(): Promise<void> {
    const { changes, scope } = this.#parts;
    const takes = (resource: string) => [...this.#current].some((stream) => stream.takes(resource));
    const page = await changes.read(scope(), { after: this.#cursor, limit: pageSize, maxBytes, takes });
    await this.#parts.checkRights();
    if (page === 'reset') {
      const last = await changes.lastId(scope());
      this.#cursor = Math.max(this.#cursor, last);
      for (const stream of this.#current) this.#reset(stream, this.#cursor);
    } else this.#send(page);
    if (page === 'reset' || page.length > 0) this.#isBehind = true;
  }

  /** Sends changes to the streams that are up to date. The shared reader may have some of them already. */
  #send(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.id <= this.#cursor) continue;
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
