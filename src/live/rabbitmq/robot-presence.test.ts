import { expect, it } from 'vitest';
import { RobotPresence } from './robot-presence.ts';

it('a robot counts as connected for 70 s after a message', () => {
  const clock = { at: 1000, now: () => clock.at };
  const presence = new RobotPresence(clock);
  expect(presence.find(5)).toBe(null);
  presence.record(5);
  clock.at += 69_999;
  expect(presence.find(5)?.since).toBe(1000);
  presence.record(5);
  clock.at += 69_999;
  expect(presence.find(5)?.since).toBe(1000);
  clock.at += 1;
  expect(presence.find(5)).toBe(null);
  presence.record(5);
  expect(presence.find(5)?.since).toBe(140_999);
  expect(presence.find(6)).toBe(null);
});
