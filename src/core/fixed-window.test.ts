import { describe, expect, it } from 'vitest';
import { FixedWindow, HashedFixedWindow, maxKeys } from './fixed-window.ts';

const noon = Date.UTC(2026, 10, 21, 12, 0, 0);

/** Returns the number of allowed requests among `hits`. */
function allowed(window: FixedWindow, key: string, now: number, hits: number): number {
  let count = 0;
  for (let i = 0; i < hits; i++) if (window.consume(key, now)) count++;
  return count;
}

describe('FixedWindow', () => {
  it('aligns windows to the clock, not to the first hit', () => {
    const window = new FixedWindow(2, 60_000);
    expect(allowed(window, 'a', noon + 59_000, 3)).toBe(2);
    expect(window.consume('b', noon + 59_000)).toBe(true);
    expect(window.consume('a', noon + 60_000)).toBe(true);
    expect(window.size).toBe(1);
  });

  it('bounds the number of keys and keeps recently used ones', () => {
    const window = new FixedWindow(1, 60_000);
    window.consume('early', noon);
    window.consume('steady', noon);
    for (let i = 0; i < 3 * maxKeys; i++) {
      window.consume(String(i), noon);
      if (i % 10_000 === 0) expect(window.consume('steady', noon)).toBe(false);
    }
    expect(window.size).toBeLessThanOrEqual(maxKeys);
    expect(window.consume('early', noon)).toBe(true);
  });

  it('adds keys in constant time when full', () => {
    const window = new FixedWindow(1, 60_000);
    /** Returns the CPU time of adding as many keys as are kept, in µs. */
    const added = (from: number): number => {
      const start = process.cpuUsage();
      for (let i = from; i < from + maxKeys; i++) window.consume(String(i), noon);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    const filled = added(0);
    // A scan of all keys for each new one would take a thousand times as long.
    expect(added(maxKeys)).toBeLessThan(50 * filled);
  });
});

it('counts hashed keys the same way', () => {
  const window = new HashedFixedWindow(3, 3_600_000);
  expect(allowed(window, 'ada@example.com', noon, 5)).toBe(3);
  expect(allowed(window, 'bea@example.com', noon, 5)).toBe(3);
  expect(window.size).toBe(2);
});
