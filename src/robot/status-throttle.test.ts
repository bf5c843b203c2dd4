import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StatusThrottle } from './status-throttle.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('publishes the first change immediately, combines further ones, and always publishes the last', () => {
  let published = 0;
  const status = new StatusThrottle(300, () => {
    published++;
  });
  status.changed();
  expect(published).toBe(1);
  for (let i = 0; i < 10; i++) status.changed();
  vi.advanceTimersByTime(299);
  expect(published).toBe(1);
  vi.advanceTimersByTime(1);
  expect(published).toBe(2);
  vi.advanceTimersByTime(1000);
  expect(published).toBe(2);
  status.changed();
  status.publishNow();
  expect(published).toBe(4);
  status.changed();
  status.stop();
  vi.advanceTimersByTime(1000);
  expect(published).toBe(4);
});
