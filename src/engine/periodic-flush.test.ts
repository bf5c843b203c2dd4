import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PeriodicFlush } from './periodic-flush.ts';

/** Counts writes and the maximum of concurrent ones. */
function recorded(takes = 10) {
  const seen = { begun: 0, ended: 0, most: 0 };
  const write = async () => {
    seen.begun++;
    seen.most = Math.max(seen.most, seen.begun - seen.ended);
    await sleep(takes);
    seen.ended++;
  };
  return { seen, write };
}

describe('PeriodicFlush', () => {
  it('writes again after a write in progress, never concurrently', async () => {
    const { seen, write } = recorded();
    const flush = new PeriodicFlush(write, 60_000);
    await Promise.all([flush.flush(), flush.flush(), flush.flush()]);
    expect(seen).toEqual({ begun: 3, ended: 3, most: 1 });
  });

  it('writes periodically, and once more when it stops', async () => {
    const { seen, write } = recorded(1);
    const flush = new PeriodicFlush(write, 5);
    flush.start();
    flush.start();
    await expect.poll(() => seen.ended).toBeGreaterThan(2);
    const before = seen.begun;
    await flush.stop();
    expect(seen.begun).toBeGreaterThan(before);
    const { begun } = seen;
    await sleep(30);
    expect(seen).toEqual({ begun, ended: begun, most: 1 });
  });
});
