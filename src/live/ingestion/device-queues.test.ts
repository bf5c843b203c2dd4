import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DeviceQueues } from './device-queues.ts';

const forever = new Promise<void>(() => undefined);

describe('device queues', () => {
  it("keep the order of a device's messages, in batches of a hundred", async () => {
    const batches: number[][] = [];
    const queues = new DeviceQueues<number>(async (_device, messages) => void batches.push([...messages]), 8);
    await Promise.all(Array.from({ length: 250 }, (_, index) => queues.push(1, 10, index)));
    expect(batches.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(batches.flat()).toEqual(Array.from({ length: 250 }, (_, index) => index));
  });

  it('process one batch of a device at a time', async () => {
    let [active, maxActive] = [0, 0];
    const queues = new DeviceQueues<number>(async () => {
      maxActive = Math.max(maxActive, ++active);
      await turn();
      active--;
    }, 8);
    const all: (Promise<void> | null)[] = [];
    for (let i = 0; i < 300; i++) {
      all.push(queues.push(1, 10, i));
      if (i % 50 === 0) await turn();
    }
    await Promise.all(all);
    expect(maxActive).toBe(1);
  });

  it('do not block other devices while one is being processed', async () => {
    const done: number[] = [];
    const queues = new DeviceQueues<number>(async (device) => {
      if (device === 1) await forever;
      done.push(device);
    }, 2);
    void queues.push(1, 10, 0);
    void queues.push(1, 10, 0);
    for (const device of [2, 3, 4]) await queues.push(device, 10, 0);
    expect(done).toEqual([2, 3, 4]);
  });

  it('process a limited number of devices concurrently', async () => {
    const begun: number[] = [];
    const queues = new DeviceQueues<number>((device) => {
      begun.push(device);
      return forever;
    }, 2);
    for (const device of [1, 2, 3]) void queues.push(device, 10, 0);
    await turn();
    await turn();
    expect(begun).toEqual([1, 2]);
  });

  it('return to the event loop between batches', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const queues = new DeviceQueues<number>(async () => undefined, 8);
    await Promise.all(Array.from({ length: 1000 }, (_, index) => queues.push(1, 10, index)));
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it('hold a thousand messages or 4 MiB per device', async () => {
    const queues = new DeviceQueues<number>(() => forever, 8);
    for (let i = 0; i < 1000; i++) expect(queues.push(1, 10, i)).not.toBe(null);
    expect(queues.push(1, 10, 0)).toBe(null);
    const mebibyte = 1024 * 1024;
    for (let i = 0; i < 3; i++) expect(queues.push(2, mebibyte, i)).not.toBe(null);
    // The overhead of each message counts, too.
    expect(queues.push(2, mebibyte, 0)).toBe(null);
  });

  it('hold 64 MiB of all devices, and have room again when some are processed', async () => {
    const size = 4 * 1024 * 1024 - 1000;
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const queues = new DeviceQueues<number>(() => gate, 8);
    const all = Array.from({ length: 16 }, (_, index) => queues.push(index, size, 0));
    expect(all.every((pushed) => pushed !== null)).toBe(true);
    expect(queues.push(99, 10, 0)).toBe(null);
    finish();
    await Promise.all(all);
    expect(queues.push(99, size, 0)).not.toBe(null);
  });

  it('reject the messages that follow a failed batch', async () => {
    let isUnavailable = true;
    const stored: number[] = [];
    const queues = new DeviceQueues<number>(async (device, messages) => {
      await turn();
      if (isUnavailable && device === 1) throw new Error('away');
      stored.push(...messages);
    }, 8);
    const all = Array.from({ length: 150 }, (_, index) => queues.push(1, 10, index));
    const other = queues.push(2, 10, 1000);
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(150);
    await other;
    isUnavailable = false;
    await queues.push(1, 10, 7);
    expect(stored).toEqual([1000, 7]);
  });

  it('are drained when all messages are processed or rejected', async () => {
    const queues = new DeviceQueues<number>(async () => void (await turn()), 1);
    await queues.drained();
    let settled = 0;
    for (const device of [1, 2, 3]) void queues.push(device, 10, 0)?.then(() => settled++);
    await queues.drained();
    await turn();
    expect(settled).toBe(3);

    const pushed = [1, 1, 2].map((device) => queues.push(device, 10, 0));
    queues.rejectAll(new Error('no more'));
    expect((await Promise.allSettled(pushed)).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'rejected',
    ]);
    await queues.drained();
  });
});
