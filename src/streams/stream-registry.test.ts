import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Change } from '../core/changes.ts';
import type { ChangeLog } from '../db/change-log.ts';
import { allRights } from '../engine/rights.ts';
import type { Session } from '../engine/route.ts';
import type { EventStream } from './event-stream.ts';
import type { RegistryParts } from './stream-registry.ts';
import { StreamRegistry } from './stream-registry.ts';

const session = { kind: 'session', jti: 'a', deviceId: 5, rights: allRights, expires: 9000 } as unknown as Session;
const filter = { after: null, resources: null, live: new Set<never>() };

describe('the registry of streams', () => {
  let current: Session | undefined | Error;
  let registry: StreamRegistry;
  let version: string | null;
  let now: number;
  let checks: number;
  let onCommit: Parameters<ChangeLog['onCommit']>[0];
  const received: string[] = [];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    current = session;
    [version, now, checks] = [null, 1000, 0];
    received.length = 0;
    registry = new StreamRegistry({
      changes: {
        read: async () => [],
        lastId: async () => 7,
        onCommit: (listener: typeof onCommit) => {
          onCommit = listener;
          return () => undefined;
        },
        follow: () => () => undefined,
      },
      server: () => ({ device: () => undefined, clock: { now: () => now } }),
      log: { debug: () => undefined, warn: () => expect.fail() },
      rights: { readable: () => () => true },
      accounts: {
        currentSession: async () => {
          checks++;
          if (current instanceof Error) throw current;
          return current;
        },
        sessionsVersion: () => version,
      },
      live: { robotMessages: { observe: () => () => undefined } },
      device: { postedLogs: { lastId: async () => 0 } },
    } as unknown as RegistryParts);
    registry.start();
  });
  afterEach(() => {
    registry.stop();
    vi.useRealTimers();
  });

  const open = async (of = session): Promise<EventStream> => {
    const stream = registry.open(of, filter);
    stream.content.on('data', (part: Buffer) => received.push(String(part)));
    await once(stream.content, 'data');
    expect(received).toEqual(['id: 7\nevent: start\ndata: {}\n\n']);
    return stream;
  };

  it('sends a comment every 15 seconds', async () => {
    await open();
    const comments = () => received.slice(1);
    await vi.advanceTimersByTimeAsync(14_999);
    expect(comments()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(comments()).toEqual([':\n']);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(comments()).toEqual([':\n', ':\n', ':\n']);
    registry.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(comments()).toHaveLength(3);
  });

  it('ends a stream within half a second after its token, and not because the database is away', async () => {
    const stream = await open();
    let isEnded = false;
    stream.content.once('end', () => {
      isEnded = true;
    });
    current = new Error('the connection was refused');
    await vi.advanceTimersByTimeAsync(5000);
    current = session;
    await vi.advanceTimersByTimeAsync(500);
    expect([isEnded, stream.isClosed]).toEqual([false, false]);
    current = undefined;
    await vi.advanceTimersByTimeAsync(499);
    expect(isEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isEnded).toBe(true);
  });

  it('asks for the session only when one may have changed, or it expired', async () => {
    version = '1';
    const stream = await open();
    await vi.advanceTimersByTimeAsync(500);
    checks = 0;
    await vi.advanceTimersByTimeAsync(5000);
    expect(checks).toBe(0);
    version = '2';
    await vi.advanceTimersByTimeAsync(1000);
    expect(checks).toBe(1);
    // Commits of other processes are not known for a while.
    version = null;
    await vi.advanceTimersByTimeAsync(1000);
    expect(checks).toBe(3);
    version = '2';
    await vi.advanceTimersByTimeAsync(1000);
    expect([checks, stream.isClosed]).toEqual([4, false]);
    [now, current] = [9000, undefined];
    await vi.advanceTimersByTimeAsync(500);
    expect([checks, stream.isClosed]).toEqual([5, true]);
  });

  it('sends no change before it has checked the tokens, also where commits of other processes are not known', async () => {
    const stream = await open();
    [version, current] = [null, undefined];
    const change = { id: 8, resource: 'Tool', action: 'created', before: null, after: '{}' } as unknown as Change;
    onCommit(5, { first: 8, last: 8, responseSent: undefined, changes: { previous: 7, list: [change] } });
    await expect.poll(() => stream.isClosed).toBe(true);
    expect(received).toEqual(['id: 7\nevent: start\ndata: {}\n\n']);
  });
});
