import { readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ThreadTime } from './thread-time.ts';

it.runIf(process.platform === 'linux')('is what this thread computed, not what it waited', async () => {
  const time = new ThreadTime();
  time.open(Number(readlinkSync('/proc/thread-self').split('/').at(-1)));
  const began = time.read() ?? Number.NaN;
  await new Promise((resolve) => setTimeout(resolve, 300));
  const waited = time.read() ?? Number.NaN;
  const { user } = process.cpuUsage();
  while (process.cpuUsage().user - user < 600_000);
  const computed = time.read() ?? Number.NaN;
  time.close();
  expect(waited - began).toBeLessThan(computed - waited);
  expect(computed - began).toBeGreaterThan(0);
  expect(time.read()).toBeNull();
});

it('is not known of a thread that is not there', () => {
  const time = new ThreadTime();
  time.open(0);
  expect(time.read()).toBeNull();
  time.close();
});
