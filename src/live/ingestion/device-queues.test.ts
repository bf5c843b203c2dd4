import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DeviceQueues } from './device-queues.ts';

const forever = new Promise<void>(() => undefined);

describe('queues of devices', () => {
  it('keep the order of a device and work in batches of a hundred', async () => {
    const batches: number[][] = [];
    const queues = new DeviceQueues<number>(async (_device, messages) => void batches.push([...messages]), 8);
    await Promise.all(Array.from({ length: 250 }, (_, index) => queues.put(1, 10, index)));
    expect(batches.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(batches.flat()).toEqual(Array.from({ length: 250 }, (_, index) => index));
  });

  it('work on one batch of a device at a time', async () => {
    let [now, most] = [0, 0];
    const queues = new DeviceQueues<number>(async () => {
      most = Math.max(most, ++now);
      await turn();
      now--;
    }, 8);
    const all: (Promise<void> | null)[] = [];
    for (let i = 0; i < 300; i++) {
      all.push(queues.put(1, 10, i));
      if (i % 50 === 0) await turn();
    }
    await Promise.all(all);
    expect(most).toBe(1);
  });

  it('let nobody wait for a device whose work does not end', async () => {
    const done: number[] = [];
    const queues = new DeviceQueues<number>(async (device) => {
      if (device === 1) await forever;
      done.push(device);
    }, 2);
    void queues.put(1, 10, 0);
    void queues.put(1, 10, 0);
    for (const device of [2, 3, 4]) await queues.put(device, 10, 0);
    expect(done).toEqual([2, 3, 4]);
  });

  it('work on no more devices at once than they may', async () => {
    const begun: number[] = [];
    const queues = new DeviceQueues<number>((device) => {
      begun.push(device);
      return forever;
    }, 2);
    for (const device of [1, 2, 3]) void queues.put(device, 10, 0);
    await turn();
    await turn();
    expect(begun).toEqual([1, 2]);
  });

  it('let others run between two batches', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const queues = new DeviceQueues<number>(async () => undefined, 8);
    await Promise.all(Array.from({ length: 1000 }, (_, index) => queues.put(1, 10, index)));
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it('have no room for more than a thousand messages or 4 MiB of a device', async () => {
    const queues = new DeviceQueues<number>(() => forever, 8);
    for (let i = 0; i < 1000; i++) expect(queues.put(1, 10, i)).not.toBe(null);
    expect(queues.put(1, 10, 0)).toBe(null);
    const mebibyte = 1024 * 1024;
    for (let i = 0; i < 3; i++) expect(queues.put(2, mebibyte, i)).not.toBe(null);
    // What a message takes beside its own bytes counts too.
    expect(queues.put(2, mebibyte, 0)).toBe(null);
  });

  it('have room for 64 MiB of all devices, and again when some are done', async () => {
    const size = 4 * 1024 * 1024 - 1000;
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const queues = new DeviceQueues<number>(() => gate, 8);
    const all = Array.from({ length: 16 }, (_, index) => queues.put(index, size, 0));
    expect(all.every((put) => put !== null)).toBe(true);
    expect(queues.put(99, 10, 0)).toBe(null);
    finish();
    await Promise.all(all);
    expect(queues.put(99, size, 0)).not.toBe(null);
  });

  it('refuse what waits behind a batch that must come again', async () => {
    let isAway = true;
    const stored: number[] = [];
    const queues = new DeviceQueues<number>(async (device, messages) => {
      await turn();
      if (isAway && device === 1) throw new Error('away');
      stored.push(...messages);
    }, 8);
    const all = Array.from({ length: 150 }, (_, index) => queues.put(1, 10, index));
    const other = queues.put(2, 10, 1000);
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(150);
    await other;
    isAway = false;
    await queues.put(1, 10, 7);
    expect(stored).toEqual([1000, 7]);
  });

  it('are drained when nothing waits, or refused', async () => {
    const queues = new DeviceQueues<number>(async () => void (await turn()), 1);
    await queues.drained();
    let settled = 0;
    for (const device of [1, 2, 3]) void queues.put(device, 10, 0)?.then(() => settled++);
    await queues.drained();
    await turn();
    expect(settled).toBe(3);

    const puts = [1, 1, 2].map((device) => queues.put(device, 10, 0));
    queues.refuseAll(new Error('no more'));
    expect((await Promise.allSettled(puts)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await queues.drained();
  });
});
