import { expect, it } from 'vitest';
import { offsetOf, planDays, repeatedItems } from './regimen-plan.ts';

const day = 86_400_000;

it('repeats a program every so many days until a day, inclusive', () => {
  expect(repeatedItems(5, '07:30', 2, 3, 8)).toEqual([
    { sequence_id: 5, time_offset: day + 27_000_000 },
    { sequence_id: 5, time_offset: 4 * day + 27_000_000 },
    { sequence_id: 5, time_offset: 7 * day + 27_000_000 },
  ]);
  expect(repeatedItems(5, '00:00', 4, 1, 1)).toEqual([{ sequence_id: 5, time_offset: 3 * day }]);
  expect(repeatedItems(5, '00:00', 1, 1, 10_000)).toHaveLength(500);
});

it('groups items by day, in order', () => {
  const late = { sequence_id: 1, time_offset: day + offsetOf('18:05') };
  const early = { sequence_id: 2, time_offset: day + offsetOf('06:00') };
  const first = { sequence_id: 3, time_offset: 0 };
  expect(planDays([late, early, first])).toEqual([
    { day: 1, items: [first] },
    { day: 2, items: [early, late] },
  ]);
  expect(offsetOf('23:59')).toBe(day - 60_000);
});
