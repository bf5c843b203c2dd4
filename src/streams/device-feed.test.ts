import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Change } from '../core/changes.ts';
import type { Commit } from '../db/change-log.ts';
import { allRights } from '../engine/rights.ts';
import type { Session } from '../engine/route.ts';
import type { FeedParts } from './device-feed.ts';
import { DeviceFeed } from './device-feed.ts';
import { EventStream } from './event-stream.ts';

const session = { kind: 'session', jti: 'a', deviceId: 5, rights: allRights } as unknown as Session;

const change = (id: number): Change => ({
  id,
  deviceId: 5,
  at: '2026-04-01T08:00:00.000Z',
  request: 'r',
  resource: 'Tool',
  recordId: 9,
  action: 'updated',
  before: '{}',
  after: '{}',
  label: 'l',
  origin: 'client',
  actor: { kind: 'user', user_id: 1, name: 'Ada', via: null },
});

const commitOf = (previous: number, ...ids: number[]): Commit => ({
  first: Number(ids[0]),
  last: Number(ids.at(-1)),
  responseSent: undefined,
  changes: { previous, list: ids.map(change) },
});

describe('the streams of a device', () => {
  let feed: DeviceFeed;
  /** The ids in the log, and the number of reads. */
  let log: number[];
  let reads: number;
  /** The promise that the next read waits for. */
  let held: Promise<void>;
  const received: number[] = [];
  /** The ids of posted logs, and of read ones. */
  let posted: number[];
  let isAway = false;
  const readLogs: number[] = [];

  beforeEach(async () => {
    [log, reads, held, posted] = [[7], 0, Promise.resolve(), [3, 4]];
    readLogs.length = 0;
    feed = new DeviceFeed({
      deviceId: 5,
      changes: {
        async read(_scope: unknown, { after }: { readonly after: number }) {
          reads++;
          const found = log.filter((id) => id > after).map(change);
          await held;
          return found;
        },
        lastId: async () => log.at(-1) ?? 0,
        follow: () => () => undefined,
      },
      scope: () => undefined,
      posted: {
        lastId: async () => posted.at(-1) ?? 0,
        idsAfter: async (_scope: unknown, after: number) => posted.filter((id) => id > after).slice(0, 2),
        async read(_scope: unknown, id: number) {
          if (isAway) throw new Error('the connection was refused');
          readLogs.push(id);
          return `{"id":${id}}`;
        },
      },
      checkRights: () => null,
      log: { warn: () => expect.fail() },
    } as unknown as FeedParts);
    const stream = new EventStream(session, { after: null, resources: null, live: new Set() }, () => true);
    feed.add(stream, () => undefined);
    stream.content.on('data', (part: Buffer) => {
      for (const [, id] of String(part).matchAll(/^id: (\d+)/gm)) received.push(Number(id));
    });
    received.length = 0;
    await once(stream.content, 'data');
    await expect.poll(() => reads).toBe(2);
    await nextTurn();
    expect(received).toEqual([7]);
    reads = 0;
  });

  /** Adds a stream of posted logs, and returns their ids. */
  const listen = async (): Promise<number[]> => {
    const stream = new EventStream(session, { after: null, resources: null, live: new Set(['logs']) }, () => true);
    const ids: number[] = [];
    stream.content.on('data', (part: Buffer) => {
      for (const [, id] of String(part).matchAll(/^data: \{"id":(\d+)\}/gm)) ids.push(Number(id));
    });
    feed.add(stream, () => undefined);
    await stream.started;
    return ids;
  };

  it('do not read posted logs without a stream for them', async () => {
    posted = [3, 4, 5];
    await feed.relayPosted();
    expect(readLogs).toEqual([]);
  });

  it('get any number of posted logs once and in order, even if reads overlap', async () => {
    const first = await listen();
    posted = [3, 4, 5, 6, 7];
    await Promise.all([feed.relayPosted(), feed.relayPosted()]);
    await expect.poll(() => first).toEqual([5, 6]);
    const second = await listen();
    await feed.relayPosted();
    posted.push(9);
    await feed.relayPosted();
    await feed.relayPosted();
    await expect.poll(() => [first, second]).toEqual([[5, 6, 7, 9], [9]]);
  });

  it('get a posted log when it can be read again', async () => {
    const ids = await listen();
    posted = [3, 4, 5];
    isAway = true;
    await expect(feed.relayPosted()).rejects.toThrow('refused');
    isAway = false;
    await feed.relayPosted();
    await expect.poll(() => ids).toEqual([5]);
  });

  const commit = (source: Parameters<DeviceFeed['onCommit']>[0], ...ids: number[]) => {
    log.push(...ids);
    feed.onCommit(source);
  };

  it('get the changes of commits of this process without reading the log', async () => {
    commit(commitOf(7, 8, 9), 8, 9);
    commit(commitOf(9, 12), 12);
    await expect.poll(() => received).toEqual([7, 8, 9, 12]);
    expect(reads).toBe(0);
  });

  it('read commits of another process in between, in order and once', async () => {
    log.push(8);
    commit(commitOf(8, 9), 9);
    await expect.poll(() => received).toEqual([7, 8, 9]);
    // The later one of two commits is reported first.
    log.push(10);
    commit(commitOf(10, 11), 11);
    feed.onCommit(commitOf(9, 10));
    await expect.poll(() => received).toEqual([7, 8, 9, 10, 11]);
  });

  it('get a change once that was committed while the log was read', async () => {
    let release: () => void = () => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    commit('unconfirmed', 8);
    // The read that is held found 8 only.
    commit(commitOf(8, 9), 9);
    await nextTurn();
    commit(commitOf(9, 10), 10);
    await nextTurn();
    release();
    await expect.poll(() => received).toEqual([7, 8, 9, 10]);
    commit(commitOf(10, 11), 11);
    await expect.poll(() => received).toEqual([7, 8, 9, 10, 11]);
  });
});
