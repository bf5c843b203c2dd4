import { expect, it } from 'vitest';
import { idsOf, textOfIds } from './point-ids.ts';

it('writes ids as numbers and ranges, and reads them', () => {
  expect(textOfIds([7, 3, 4, 5, 12])).toBe('3-5,7,12');
  expect(idsOf('3-5,7,12')).toEqual([3, 4, 5, 7, 12]);
  expect(textOfIds([])).toBeUndefined();
  expect(idsOf(undefined)).toEqual([]);
});

it('leaves out invalid parts, and stops at 5000 ids', () => {
  expect(idsOf('x,-3,4,5-,9-8,,6')).toEqual([4, 6]);
  expect(idsOf('1-999999999')).toHaveLength(5000);
});
