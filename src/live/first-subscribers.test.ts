import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FirstSubscribers } from './first-subscribers.ts';

/** Returns whether a promise is settled by now. */
const isSettled = (promise: Promise<void>): Promise<boolean> =>
  Promise.race([promise.then(() => true), sleep(5).then(() => false)]);

it('waits for the first subscriber of a device', async () => {
  const subscribers = new FirstSubscribers();
  subscribers.start();
  const [one, again, other] = [subscribers.whenAny(5), subscribers.whenAny(5), subscribers.whenAny(6)];
  expect(await isSettled(one)).toBe(false);
  subscribers.add(5);
  await Promise.all([one, again, subscribers.whenAny(5)]);
  expect(await isSettled(other)).toBe(false);
  subscribers.stop();
  await other;
});

it('waits no longer than its timeout after the start', async () => {
  const subscribers = new FirstSubscribers(20);
  subscribers.start();
  await subscribers.whenAny(5);
  await subscribers.whenAny(6);
});
