import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { systemClock } from './clock.ts';

it('measures the time since the start of the machine, which includes its sleep', () => {
  const uptime = () => Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000;
  const before = uptime();
  const elapsed = systemClock.elapsed?.() ?? 0;
  // A clock may count whole seconds.
  expect(elapsed).toBeGreaterThan(before - 1001);
  expect(elapsed).toBeLessThan(uptime() + 1001);
});
