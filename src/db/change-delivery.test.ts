import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Change } from '../core/changes.ts';
import { serverActor } from '../core/changes.ts';
import { timestamp } from '../core/clock.ts';
import type { Event } from '../core/events.ts';
import type { DeliveryContext } from './change-delivery.ts';
import { ChangeDelivery } from './change-delivery.ts';
import type { Commit } from './change-log.ts';
import type { AnnouncedRow } from './change-rows.ts';

const maxBatch = 100;

/** Changes of one device in a log, by a robot, all committed at the same time. */
function rowsOf(count: number, createdAt: number): AnnouncedRow[] {
  const at = timestamp(createdAt);
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    created_at: at,
    updated_at: at,
    device_id: 7,
    resource: 'Point',
    action: 'updated',
    record_id: index + 1,
    after: '{}',
    label: 'x',
    origin: 'robot',
  }));
}

/** Announces rows that another process left; returns the number of timers that it waited for, and the announced ids. */
async function announce(rows: readonly AnnouncedRow[]) {
  const announced: number[] = [];
  let position = 0;
  let isRunning = true;
  const context = {
    claims: {
      take: async () => position,
      hold: async () => true,
      release: () => undefined,
      advance: (_deviceId: number, id: number) => {
        position = id;
      },
    },
    listeners: new Set([async ({ id }: Event) => void announced.push(id)]),
    log: { warn: (...line: unknown[]) => expect(line).toEqual([]) },
    server: () => ({
      clock: { now: () => Date.now() },
      rows: async () => rows.filter(({ id }) => id > position).slice(0, maxBatch),
    }),
    isOnlyProcess: true,
    isStopped: () => false,
    untilClientsReturn: async () => undefined,
    onAdvance: () => undefined,
    onEnd: () => undefined,
    characters: 0,
  };
  const delivery = new ChangeDelivery(7, context as unknown as DeliveryContext);
  delivery.wake();
  const run = delivery.run().finally(() => {
    isRunning = false;
  });
  let waits = 0;
  while (isRunning) {
    await vi.advanceTimersByTimeAsync(0);
    if (!isRunning || vi.getTimerCount() === 0) continue;
    waits++;
    await vi.advanceTimersToNextTimerAsync();
  }
  await run;
  return { announced, waits };
}

describe('announcements of a robot that another process left', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('wait for nothing when they were committed 100 ms ago, however many there are', async () => {
    const rows = rowsOf(300, Date.now() - 100);
    const { announced, waits } = await announce(rows);
    expect(announced).toEqual(rows.map(({ id }) => id));
    expect(waits).toBe(0);
  });

  it('wait together, once, when they have just been committed', async () => {
    const start = Date.now();
    const { announced, waits } = await announce(rowsOf(300, start));
    expect([announced.length, waits, Date.now() - start]).toEqual([300, 1, 100]);
  });
});

describe('commits that wait for a broker', () => {
  const change = (id: number, after: string): Change => ({
    id,
    deviceId: 7,
    at: timestamp(0),
    request: '',
    actor: serverActor,
    resource: 'Point',
    recordId: 1,
    action: 'updated',
    before: null,
    after,
    label: '',
    origin: 'server',
  });
  const commit = (id: number, after: string): Commit => ({
    first: id,
    last: id,
    responseSent: undefined,
    changes: { previous: id - 1, list: [change(id, after)] },
  });

  it('keep their changes in memory up to a maximum, and read the others from the log', async () => {
    let position = 0;
    const announced: (readonly [number, number])[] = [];
    const reads: number[] = [];
    const context = {
      claims: {
        take: async () => position,
        hold: async () => true,
        release: () => undefined,
        advance: (_deviceId: number, id: number) => {
          position = id;
        },
      },
      listeners: new Set([async ({ id, body }: Event) => void announced.push([id, body?.length ?? 0])]),
      server: () => ({
        async rows() {
          reads.push(position);
          return rowsOf(4, 0)
            .filter(({ id }) => id > position)
            .map((row) => ({ ...row, origin: 'server' }));
        },
      }),
      isOnlyProcess: true,
      isStopped: () => false,
      onAdvance: () => undefined,
      onEnd: () => undefined,
      characters: 0,
    };
    const delivery = new ChangeDelivery(7, context as unknown as DeliveryContext);
    const large = 'x'.repeat(1_500_000);
    for (const id of [1, 2, 3, 4]) delivery.add(commit(id, large));
    expect(context.characters).toBe(2 * large.length);
    await delivery.run();
    expect(announced).toEqual([
      [1, large.length],
      [2, large.length],
      [3, 2],
      [4, 2],
    ]);
    expect([reads, context.characters]).toEqual([[2], 0]);
  });

  it('are announced after changes of other processes between them, which are in the log', async () => {
    let position = 1;
    const announced: number[] = [];
    const context = {
      claims: {
        take: async () => position,
        hold: async () => true,
        release: () => undefined,
        advance: (_deviceId: number, id: number) => {
          position = id;
        },
      },
      listeners: new Set([async ({ id }: Event) => void announced.push(id)]),
      server: () => ({
        clock: { now: () => Date.now() },
        rows: async () => rowsOf(3, 0).filter(({ id }) => id > position),
      }),
      isOnlyProcess: false,
      isStopped: () => false,
      onAdvance: () => undefined,
      onEnd: () => undefined,
      characters: 0,
    };
    const delivery = new ChangeDelivery(7, context as unknown as DeliveryContext);
    delivery.add(commit(3, '{}'));
    await delivery.run();
    expect(announced).toEqual([2, 3]);
  });
});
