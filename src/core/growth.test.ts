import { describe, expect, it } from 'vitest';
import { ageInDays, curveValue } from './growth.ts';

describe('the age of a plant', () => {
  const planted = '2026-06-01T12:00:00.000Z';
  it.each([
    ['2026-05-31T13:00:00.000Z', 0],
    ['2026-06-01T12:00:00.000Z', 0],
    ['2026-06-01T12:00:01.000Z', 1],
    ['2026-06-02T12:00:00.999Z', 1],
    ['2026-06-02T12:00:01.000Z', 2],
    ['2026-06-07T11:00:00.000Z', 6],
  ])('at %s it is %s days old', (now, age) => expect(ageInDays(planted, Date.parse(now))).toBe(age));

  it.each([null, undefined, 'soon'])('planted %s it has none', (time) => expect(ageInDays(time, 0)).toBeNull());
});

it.each([
  [0, 10],
  [1, 10],
  [3, 20],
  [5, 30],
  [90, 30],
  [2.111, 15.56],
])('a curve has a value on day %s', (day, expected) => {
  expect(curveValue({ 5: 30, 1: 10 }, day)).toBe(expected);
  expect(curveValue({}, day)).toBeUndefined();
});
