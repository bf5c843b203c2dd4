import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { timestamp } from '../core/clock.ts';
import type { Event } from '../core/events.ts';
import type { DeliveryContext } from './change-delivery.ts';
import { ChangeDelivery } from './change-delivery.ts';
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
  it('do not keep the texts of their changes', async () => {
    let isStopped = false;
    let accept: () => void = () => undefined;
    const context = {
      claims: {
        take: () =>
          new Promise((resolve) => {
            accept = () => resolve(0);
          }),
        release: () => undefined,
      },
      server: () => ({ rows: async () => [] }),
      isStopped: () => isStopped,
      onAdvance: () => undefined,
      onEnd: () => undefined,
    };
    const delivery = new ChangeDelivery(7, context as unknown as DeliveryContext);
    const commit = (id: number): WeakRef<object> => {
      const changes = { previous: id - 1, list: [] };
      delivery.add({ first: id, last: id, responseSent: Promise.resolve(), changes });
      return new WeakRef(changes);
    };
    const running = delivery.run();
    const waiting = [1, 2, 3].map(commit);
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    await expect
      .poll(() => {
        collectGarbage();
        return waiting.map((changes) => changes.deref() === undefined);
      })
      .toEqual([true, true, true]);
    isStopped = true;
    accept();
    await running;
  });
});
