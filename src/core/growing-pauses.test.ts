import { expect, it } from 'vitest';
import { GrowingPauses } from './growing-pauses.ts';

const create = () => new GrowingPauses({ free: 2, first: 1000, max: 5000, decayTime: 60_000, per: 'key' });

/** Fails as soon as possible each time; returns the times, in ms. */
function failures(pauses: GrowingPauses, key: string, count: number): number[] {
  const times: number[] = [];
  for (let now = 0; times.length < count; now += 500)
    if (pauses.wait(key, now) === 0) {
      pauses.add(key, now);
      times.push(now);
    }
  return times;
}

it('allows some failures, then doubles the pause up to a maximum', () => {
  expect(failures(create(), 'a', 7)).toEqual([0, 500, 1000, 2000, 4000, 8000, 13_000]);
});

it('counts keys separately', () => {
  const pauses = create();
  failures(pauses, 'a', 4);
  expect([pauses.wait('a', 2500) > 0, pauses.wait('b', 2500) > 0]).toEqual([true, false]);
});

it('drops one failure per period', () => {
  const pauses = create();
  for (let i = 0; i < 3; i++) pauses.add('a', 0);
  pauses.add('a', 60_000);
  expect(pauses.wait('a', 60_999)).toBe(1);
  expect(pauses.wait('a', 61_000)).toBe(0);
  pauses.add('a', 240_000);
  expect(pauses.wait('a', 240_000)).toBe(0);
});

it('takes a failure and its pause back', () => {
  const pauses = create();
  for (let i = 0; i < 2; i++) pauses.add('a', 0);
  pauses.remove('a', 10, pauses.add('a', 0));
  expect(pauses.wait('a', 10)).toBe(0);
  pauses.add('a', 20);
  expect([pauses.wait('a', 1019), pauses.wait('a', 1020)]).toEqual([1, 0]);
});

it('keeps the pause of a later failure', () => {
  const pauses = create();
  pauses.add('a', 0);
  const until = pauses.add('a', 0);
  pauses.add('a', 0);
  pauses.remove('a', 10, until);
  expect([pauses.wait('a', 999), pauses.wait('a', 1000)]).toEqual([1, 0]);
});
