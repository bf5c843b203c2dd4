import { expect, it } from 'vitest';
import { GrowingPauses } from './growing-pauses.ts';

const create = () => new GrowingPauses({ free: 2, first: 1000, max: 5000, forgetTime: 60_000, per: 'key' });

/** Fails whenever that is possible; returns when, in ms. */
function failures(pauses: GrowingPauses, key: string, count: number): number[] {
  const times: number[] = [];
  for (let now = 0; times.length < count; now += 500)
    if (!pauses.isPaused(key, now)) {
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
  expect([pauses.isPaused('a', 2500), pauses.isPaused('b', 2500)]).toEqual([true, false]);
});

it('forgets one failure per period', () => {
  const pauses = create();
  for (let i = 0; i < 3; i++) pauses.add('a', 0);
  pauses.add('a', 60_000);
  expect(pauses.isPaused('a', 60_999)).toBe(true);
  expect(pauses.isPaused('a', 61_000)).toBe(false);
  pauses.add('a', 240_000);
  expect(pauses.isPaused('a', 240_000)).toBe(false);
});

it('takes a failure and its pause back', () => {
  const pauses = create();
  for (let i = 0; i < 2; i++) pauses.add('a', 0);
  pauses.remove('a', 10, pauses.add('a', 0));
  expect(pauses.isPaused('a', 10)).toBe(false);
  pauses.add('a', 20);
  expect([pauses.isPaused('a', 1019), pauses.isPaused('a', 1020)]).toEqual([true, false]);
});

it('keeps the pause of a later failure', () => {
  const pauses = create();
  pauses.add('a', 0);
  const until = pauses.add('a', 0);
  pauses.add('a', 0);
  pauses.remove('a', 10, until);
  expect([pauses.isPaused('a', 999), pauses.isPaused('a', 1000)]).toEqual([true, false]);
});
